import { describe, expect, test } from "vitest";
import { checkArguments, explain, nameArguments } from "./arguments.ts";
import type { ToolDoor, Validator } from "./types.ts";

describe("naming positional arguments", () => {
  test("leaves out those not given", () => {
    expect(nameArguments("t", ["a", "b", "c"], [1, undefined, 3])).toEqual({ a: 1, c: 3 });
    expect(nameArguments("t", ["a"], [])).toEqual({});
  });

  test("says how many there are", () => {
    const take = (parameters: string[], args: unknown) => () => nameArguments("find", parameters, args);
    expect(take([], [1])).toThrow("find takes no arguments, got 1");
    expect(take(["a"], [1, 2])).toThrow("find takes 1 argument (a), got 2");
    expect(take(["a", "b"], [1, 2, undefined])).toThrow("find takes 2 arguments (a, b), got 3");
    expect(take(["a"], { 0: 1, length: 1 })).toThrow("expected a list of arguments, got an object");
  });
});

describe("explaining what a validator found", () => {
  const error = (keyword: string, instancePath: string, params: object = {}, message = "is odd") => ({
    keyword,
    instancePath,
    params: params as Record<string, unknown>,
    message,
  });

  test("names and pointers with slashes and tildes", () => {
    expect(explain([error("required", "/a~1b", { missingProperty: "c~d" })], { "a/b": {} })).toEqual({
      path: "/a~1b/c~0d",
      message: "a/b.c~d: is missing",
    });
  });

  test("a union tells all that it takes", () => {
    const errors = [
      error("type", "/x", { type: "string" }),
      error("type", "/x", { type: "number" }),
      error("x-computer", "/x", { kind: "date" }),
      error("anyOf", "/x"),
    ];
    expect(explain(errors, { x: true }).message).toMatch(
      /^x: must be a string, a number or a date \(.*\), got a boolean$/,
    );
  });

  test("of a union of objects, the branch that came furthest", () => {
    const errors = [
      error("type", "/x", { type: "string" }),
      error("type", "/x/size", { type: "number" }),
      error("anyOf", "/x"),
    ];
    expect(explain(errors, { x: { size: "a" } })).toEqual({
      path: "/x/size",
      message: "x.size: must be a number, got a string",
    });
  });

  test("not the constant that tells branches apart, when another came past it", () => {
    const errors = [
      error("const", "/x/kind", { allowedValue: "a" }),
      error("required", "/x", { missingProperty: "size" }),
      error("oneOf", "/x"),
    ];
    expect(explain(errors, { x: { kind: "b" } }).message).toBe("x.size: is missing");
  });

  test("several types in one schema, literals, and what has only Ajv's words", () => {
    expect(explain([error("type", "/x", { type: ["string", "null"] })], { x: 1 }).message).toBe(
      "x: must be a string or null, got a number",
    );
    expect(explain([error("const", "/x", { allowedValue: 3 })], { x: "y".repeat(100) }).message).toMatch(
      /^x: must be 3, got "y{59}…$/,
    );
    expect(
      explain([error("minItems", "/x", { limit: 2 }, "must NOT have fewer than 2 items")], { x: [] }).message,
    ).toBe("x: must NOT have fewer than 2 items");
    expect(explain([], {}).message).toBe("the arguments are not valid");
  });
});

test("a validator that runs out of stack refuses, and the worker goes on", () => {
  const validate: Validator = () => {
    throw new RangeError("Maximum call stack size exceeded");
  };
  const door = { parameters: ["a"], validate, invoke: () => undefined } as ToolDoor<never>;
  expect(() => checkArguments("t", door, { a: 1 })).toThrow(
    expect.objectContaining({ code: "ERR_BAD_ARGUMENT" }),
  );
});
