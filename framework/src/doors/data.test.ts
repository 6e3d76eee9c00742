import { describe, expect, test } from "vitest";
import { resultAs, toData, toJson, toResult } from "./data.ts";

class Point {
  x = 1;
  #hidden = 2;
  get sum(): number {
    return this.x + this.#hidden;
  }
  move(): void {}
}

test("plain data stays", () => {
  const data = { a: [1, "b", null, true], at: new Date(5), bytes: Uint8Array.of(1) };
  expect(toData(data)).toEqual(data);
  expect(toJson(data)).toEqual({ ...data, at: "1970-01-01T00:00:00.005Z", bytes: "AQ==" });
});

test("nothing that can be called is left", () => {
  const reach = { f: () => 1, list: [() => 1], point: new Point(), none: undefined };
  expect(toData(reach)).toEqual({ list: [undefined], point: { x: 1 } });
  expect(toJson(reach)).toEqual({ list: [null], point: { x: 1 } });
  expect(Object.getPrototypeOf((toData(reach) as { point: object }).point)).toBe(Object.prototype);
  expect(toData(() => 1)).toBeUndefined();
});

test("nothing is null in JSON and undefined elsewhere", () => {
  expect([toJson(undefined), toData(undefined)]).toEqual([null, undefined]);
});

test("a Buffer becomes what it is: bytes", () => {
  const bytes = toData(Buffer.from("ab")) as Uint8Array;
  expect([bytes.constructor, [...bytes]]).toEqual([Uint8Array, [97, 98]]);
});

test("the same object twice is no loop", () => {
  const shared = { a: 1 };
  expect(toData([shared, shared])).toEqual([shared, shared]);
});

describe("what would be lost without a word is an error", () => {
  const loop: Record<string, unknown> = {};
  loop.self = { loop };
  let deep: unknown = 1;
  for (let depth = 0; depth < 300; depth += 1) deep = [deep];
  test.each([
    ["a Map", { m: new Map() }, "/m is a Map"],
    ["a Set", new Set(), "it is a Set"],
    ["a promise", [Promise.resolve()], "/0 is a Promise"],
    ["a bigint", { a: [{ b: 1n }] }, "/a/0/b is a bigint"],
    ["a symbol", Symbol("x"), "a symbol"],
    ["other arrays of numbers", new Float64Array(1), "a Float64Array"],
    ["a response", new Response(), "a Response"],
    ["a loop", loop, "holds itself"],
    ["depth without end", deep, "too deeply"],
  ])("%s", (_name, value, message) => {
    expect(() => resultAs(toResult, value)).toThrow(
      expect.objectContaining({ code: "ERR_TOOL_FAILED", message: expect.stringContaining(message) }),
    );
    expect(() => resultAs(toJson, value)).toThrow(expect.objectContaining({ code: "ERR_TOOL_FAILED" }));
  });

  test.each([
    ["an invalid date", { at: new Date(Number.NaN) }, /\/at is an invalid date/],
    ["not a number", [Number.NaN], /\/0 is NaN/],
    ["an infinity", Number.NEGATIVE_INFINITY, /it is -Infinity/],
  ])("%s, which JSON would make null; arguments are for their validator", (_name, value, message) => {
    expect(() => resultAs(toJson, value)).toThrow(message);
    expect(() => resultAs(toResult, value)).toThrow(message);
    expect(toData(value)).toEqual(value);
  });
});
