import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { diagnostic, sortDiagnostics } from "./diagnostic.ts";
import { printDiagnostic, printDiagnostics } from "./print.ts";
import { DIAGNOSTICS } from "./table.ts";

const at = { file: "src/a.ts", line: 12, column: 3, text: "\tx private find(): void {}", length: 4 };

describe("printing", () => {
  test("place, code, what, why, mend, and the line", () => {
    expect(printDiagnostic(diagnostic("CMP1030", "The tool `A.find` is private.", { at }))).toBe(
      "src/a.ts:12:3 - error CMP1030: The tool `A.find` is private. Make the method public or take the `@tool` away.\n" +
        "\n" +
        "  12 \tx private find(): void {}\n" +
        "     \t ~~~~\n",
    );
  });

  test("a problem of the whole project has no place", () => {
    expect(printDiagnostic(diagnostic("CMP1004", "There is none.", { mend: "Write one." }))).toBe(
      "error CMP1004: There is none. Write one.",
    );
  });

  test("a long line is cut around what matters, a terminal's commands do not get through", () => {
    const text = `${" ".repeat(5000)}bad\u001b[2J${" ".repeat(5000)}`;
    const printed = printDiagnostic(
      diagnostic("CMP1005", "No.", { at: { ...at, column: 5001, text, length: 9000 } }),
    );
    expect(printed.length).toBeLessThan(600);
    expect(printed).toContain("bad?[2J");
    const [line = "", marks = ""] = printed.split("\n").slice(2);
    expect(marks.indexOf("~")).toBe(line.indexOf("bad"));
  });

  test("colours only where asked for", () => {
    const found = diagnostic("CMP1030", "Private.", { at });
    expect(printDiagnostic(found, { color: true })).toContain("\u001b[");
    expect(printDiagnostic(found)).not.toContain("\u001b[");
  });

  test("counts", () => {
    const one = diagnostic("CMP1004", "None.");
    expect(printDiagnostics([])).toBe("");
    expect(printDiagnostics([one])).toMatch(/\n1 problem\.$/);
    expect(printDiagnostics([one, one])).toMatch(/\n2 problems\.$/);
  });
});

test("diagnostics are sorted by place, and doubles dropped", () => {
  const make = (file: string, line: number, column: number) =>
    diagnostic("CMP1005", "x", { at: { ...at, file, line, column } });
  const sorted = sortDiagnostics([
    make("b.ts", 1, 1),
    make("a.ts", 10, 1),
    make("a.ts", 9, 5),
    make("a.ts", 9, 5),
    diagnostic("CMP1004", "y"),
  ]);
  expect(sorted.map(({ at: place }) => place && `${place.file}:${place.line}`)).toEqual([
    undefined,
    "a.ts:9",
    "a.ts:10",
    "b.ts:1",
  ]);
});

test("the README lists every code with its title", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const listed = [...readme.matchAll(/^\| (CMP\d{4}) \| (.+?) *\|/gm)].map(([, code, title]) => [
    code,
    title,
  ]);
  expect(listed).toEqual(Object.entries(DIAGNOSTICS).map(([code, { title }]) => [code, title]));
});
