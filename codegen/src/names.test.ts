import { RESERVED_TOOL_NAMES as RESERVED_BY_STUBS } from "@computer/framework/worker";
import { describe, expect, test } from "vitest";
import {
  AGENT_NAME,
  bindingName,
  camelCase,
  kebabCase,
  pascalCase,
  propertyAccess,
  RESERVED_TOOL_NAMES,
  TOOL_NAME,
  uniqueNames,
} from "./names.ts";

describe("names", () => {
  test.each([
    ["Reader", "reader", "READER", "reader"],
    ["TextReader", "text-reader", "TEXT_READER", "textReader"],
    ["HTTPReaderV2", "http-reader-v2", "HTTP_READER_V2", "httpReaderV2"],
    ["A", "a", "A", "a"],
    ["Ops3Bot", "ops3-bot", "OPS3_BOT", "ops3Bot"],
    ["snake_case", "snake-case", "SNAKE_CASE", "snakeCase"],
    ["Loader", "loader", "AGENT_LOADER", "loader"],
    ["ComputerMode", "computer-mode", "AGENT_COMPUTER_MODE", "computerMode"],
    ["$", "", "AGENT", ""],
  ])("%s", (className, kebab, binding, camel) => {
    expect([kebabCase(className), bindingName(className), camelCase(kebabCase(className))]).toEqual([
      kebab,
      binding,
      camel,
    ]);
  });

  test("pascalCase keeps what is upper already", () => {
    expect(pascalCase("text-reader")).toBe("TextReader");
    expect(pascalCase("myURL")).toBe("MyURL");
  });

  test("agents and tools", () => {
    for (const good of ["a", "text-reader", "a1-b2"]) expect(good).toMatch(AGENT_NAME);
    for (const bad of ["", "A", "a_b", "a--b", "-a", "a-", "1a", "a/b", "é"])
      expect(bad).not.toMatch(AGENT_NAME);
    for (const good of ["a", "topWords", "top_words"]) expect(good).toMatch(TOOL_NAME);
    for (const bad of ["", "1a", "a-b", "a.b", "_a", "$a", "a".repeat(65)])
      expect(bad).not.toMatch(TOOL_NAME);
  });

  test("what the stubs reserve is reserved here", () => {
    expect(RESERVED_BY_STUBS.filter((name) => !RESERVED_TOOL_NAMES.has(name))).toEqual([]);
  });

  test("properties", () => {
    expect(propertyAccess("args", "title")).toBe("args.title");
    expect(propertyAccess("args", "a b")).toBe('args["a b"]');
  });

  test("unique names never collide, not even with numbered ones", () => {
    const unique = uniqueNames(["b2"]);
    expect(["a", "a", "a2", "b", "b"].map(unique)).toEqual(["a", "a2", "a22", "b", "b3"]);
  });
});
