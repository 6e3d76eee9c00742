import { describe, expect, test } from "vitest";
import { Agent, agentOptions } from "./agent.ts";
import { tool, toolOptions } from "./tool.ts";

class Reader {
  readonly workspace: string;
  constructor(workspace: string) {
    this.workspace = workspace;
  }
  read(title: string): string {
    return `${this.workspace}/${title}`;
  }
  plain(): void {}
}

describe("markers", () => {
  test("Agent records its options and leaves the class as it is", () => {
    const before = Object.getOwnPropertyNames(Reader);
    Agent({ name: "reader" })(Reader);
    expect(agentOptions(Reader)).toEqual({ name: "reader" });
    expect(Object.getOwnPropertyNames(Reader)).toEqual(before);
    expect(new Reader("/w").read("a")).toBe("/w/a");
  });

  test("a class without the marker has no options, nor has one that inherits", () => {
    class Plain {}
    class Child extends Reader {}
    expect(agentOptions(Plain)).toBeUndefined();
    expect(agentOptions(Child)).toBeUndefined();
  });

  test("tool works in the legacy form", () => {
    const descriptor = Object.getOwnPropertyDescriptor(Reader.prototype, "read");
    tool({ description: "reads" })(
      Reader.prototype,
      "read",
      descriptor as TypedPropertyDescriptor<() => string>,
    );
    expect(toolOptions(Reader.prototype.read)).toEqual({ description: "reads" });
    expect(toolOptions(Reader.prototype.plain)).toBeUndefined();
  });

  test("tool works in the standard form", () => {
    function method(): void {}
    tool()(method, { kind: "method", name: "method" });
    expect(toolOptions(method)).toEqual({});
  });

  test("tool refuses what is no method", () => {
    expect(() => tool()({}, "x", {})).toThrow("@tool marks methods only");
  });
});
