import { describe, expect, test } from "vitest";
import { analyzeMembers, analyzeSource, summary } from "../../test/fixture.ts";

describe("reading tools", () => {
  test("parameters, defaults, comments and places", () => {
    const { model, diagnostics } = analyzeMembers(`
  /**
   * Finds things.
   *
   * @param phrase What to look for.
   * @param limit - At most so many.
   */
  @tool()
  async find(phrase: string, limit = 10, deep?: boolean, options: { a: number[] } = { a: [1, -2] }): Promise<string[]> {
    return [phrase];
  }
  @tool({ name: "top_words", description: "Given here" })
  topWords(now = Date.now()): void {}
  notATool(x: () => void): void {}
`);
    expect(diagnostics).toEqual([]);
    expect(model.agents[0]?.tools).toEqual([
      {
        name: "find",
        method: "find",
        description: "Finds things.",
        at: { file: "src/a.ts", line: 13, column: 9 },
        parameters: [
          { name: "phrase", description: "What to look for.", type: { kind: "string" }, optional: false },
          {
            name: "limit",
            description: "At most so many.",
            type: { kind: "number" },
            optional: true,
            default: 10,
          },
          { name: "deep", type: { kind: "boolean" }, optional: true },
          {
            name: "options",
            type: expect.objectContaining({ kind: "object" }),
            optional: true,
            default: { a: [1, -2] },
          },
        ],
        result: { kind: "array", items: { kind: "string" }, readonly: false },
      },
      expect.objectContaining({ name: "top_words", method: "topWords", description: "Given here" }),
    ]);
    const [now] = model.agents[0]?.tools[1]?.parameters ?? [];
    expect(now).toEqual({ name: "now", type: { kind: "number" }, optional: true });
  });

  test("tools of a parent class, with its type parameters filled in, unless overridden", () => {
    const { model, diagnostics } = analyzeSource(`
abstract class Base<T> {
  @tool() get(value: T): T { return value; }
  @tool() gone(): void {}
}
@Agent() export class A extends Base<Date> {
  @tool() own(): void {}
  override gone(): void {}
}
`);
    expect(diagnostics).toEqual([]);
    expect(model.agents[0]?.tools).toMatchObject([
      { name: "own" },
      { name: "get", parameters: [{ type: { kind: "date" } }], result: { kind: "date" } },
    ]);
  });
});

describe("tools that cannot be", () => {
  test.each([
    ["@tool() private x(): void {}", "CMP1030 src/a.ts:5:17 The tool `A.x` is private."],
    ["@tool() protected x(): void {}", "CMP1030 src/a.ts:5:19 The tool `A.x` is protected."],
    ["@tool() #x(): void {}", "CMP1030 src/a.ts:5:9 The tool `A.#x` is private."],
    ["@tool() static x(): void {}", "CMP1031 src/a.ts:5:16 The tool `A.x` is static."],
    ["@tool() x = () => 1;", "CMP1032 src/a.ts:5:9 The tool `A.x` is not a method."],
    ["@tool() get x(): number { return 1; }", "CMP1032 src/a.ts:5:13 The tool `A.x` is not a method."],
    ["@tool() ['a' + 1](): void {}", "CMP1032 src/a.ts:5:9"],
    ["@tool() x<T>(value: T): void {}", "CMP1033 src/a.ts:5:9 The tool `A.x` has type parameters."],
    [
      "x(a: string): void;\nx(a: number): void;\n@tool() x(a: any): void {}",
      "CMP1034 src/a.ts:7:9 The tool `A.x` has 2 overloads.",
    ],
    ["@tool({ name: 'a b' }) x(): void {}", "CMP1035 src/a.ts:5:15 The tool `A.x` cannot be called `a b`."],
    ["@tool() $x(): void {}", "CMP1035 src/a.ts:5:9"],
    [
      "@tool() workspace(): void {}",
      "CMP1036 src/a.ts:5:9 The tool `A.workspace` cannot be called `workspace`",
    ],
    ["@tool() then(): void {}", "CMP1036"],
    ["@tool() toString(): string { return ''; }", "CMP1036"],
    ["@tool({ name: 'constructor' }) x(): void {}", "CMP1036 src/a.ts:5:15"],
    ["@tool({ name: '__proto__' }) x(): void {}", "CMP1036"],
    [
      "@tool() x(): void {}\n@tool({ name: 'x' }) y(): void {}",
      "CMP1037 src/a.ts:6:22 The tools `A.x` (line 5) and `A.y` are both called `x`.",
    ],
    ["@tool() x({ a }: { a: string }): void {}", "CMP1040 src/a.ts:5:11"],
    [
      "@tool() x(...lines: string[]): void {}",
      "CMP1041 src/a.ts:5:14 The parameter `lines` of the tool `A.x`",
    ],
    ["@tool() x(constructor: string): void {}", "CMP1042 src/a.ts:5:11"],
    [
      "@tool({ nmae: 'x' }) x(): void {}",
      "CMP1014 src/a.ts:5:9 There is no option `nmae` here; known are `name`, `description`.",
    ],
  ])("%s", (members, message) => {
    expect(summary(analyzeMembers(members))).toContainEqual(expect.stringContaining(message));
  });

  test("in a class that is no agent", () => {
    const found = summary(
      analyzeSource("@Agent() export class A {}\nexport class B { @tool() x(): void {} }"),
    );
    expect(found).toEqual(["CMP1038 src/a.ts:3:14 `B` has tools but is no agent."]);
  });
});
