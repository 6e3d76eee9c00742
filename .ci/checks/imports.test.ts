import { expect, test } from "vitest";
import { circles } from "./imports.ts";

const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges));

test("a graph without circles has none", () => {
  expect(circles(graph({ a: ["b", "c"], b: ["c"], c: [] }))).toEqual([]);
});

test("finds every circle, of one file, of two and of more", () => {
  const found = circles(
    graph({ a: ["a"], b: ["c"], c: ["b", "d"], d: [], e: ["f"], f: ["g"], g: ["e", "d"] }),
  );
  expect(found.map((files) => files.sort())).toEqual([["a"], ["b", "c"], ["e", "f", "g"]]);
});

test("shows the shortest circle of a knot", () => {
  const found = circles(graph({ a: ["b"], b: ["c"], c: ["d", "a"], d: ["c"] }));
  expect(found).toEqual([["c", "d"]]);
});

test("a file that is not in the graph is the end of a path", () => {
  expect(circles(graph({ a: ["elsewhere"] }))).toEqual([]);
});
