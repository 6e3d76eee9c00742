import { describe, expect, test } from "vitest";
import { analyzeFiles, analyzeMembers, summary } from "../../test/fixture.ts";
import { emitClient } from "../emit/client.ts";
import { typeText } from "../emit/types.ts";

/** The type of the one parameter of the one tool, as TypeScript again. */
function parameter(type: string, types = "") {
  const analysis = analyzeMembers(`@tool() run(value: ${type}): void {}`, types);
  const [tool] = analysis.model.agents[0]?.tools ?? [];
  const [first] = tool?.parameters ?? [];
  return {
    text: first && `${first.optional ? "?" : ""}${typeText(first.type)}`,
    problems: summary(analysis),
    types: analysis.model.types,
    client: emitClient(analysis.model),
  };
}

describe("types that cross the boundary", () => {
  test.each([
    ["string", "string"],
    ["number", "number"],
    ["boolean", "boolean"],
    ["null", "null"],
    ["unknown", "unknown"],
    ["any", "unknown"],
    ["Date", "Date"],
    ["Uint8Array", "Uint8Array"],
    ["Uint8Array<ArrayBuffer>", "Uint8Array"],
    ["'a' | 'b' | 'c'", '"a" | "b" | "c"'],
    ["'medium' | 'high' | 'low'", '"medium" | "high" | "low"'],
    ["3 | -1 | true", "3 | -1 | true"],
    ["true | false | null", "boolean | null"],
    ["string | number | null", "string | number | null"],
    ["string | undefined", "?string"],
    ["string[]", "string[]"],
    ["readonly string[]", "readonly string[]"],
    ["ReadonlyArray<number>", "readonly number[]"],
    ["Array<'x' | null>", '("x" | null)[]'],
    ["string[][]", "string[][]"],
    ["[string, number]", "[string, number]"],
    ["[from: string, to?: number]", "[string, number?]"],
    ["[string, ...Date[]]", "[string, ...Date[]]"],
    ["Record<string, Date>", "Record<string, Date>"],
    ["Record<string, 'x' | 'a'>", 'Record<string, "x" | "a">'],
    ["Partial<Record<string, number>>", "Record<string, number>"],
    ["{ [key: string]: number[] }", "Record<string, number[]>"],
    ["{}", "Record<string, never>"],
    ["Record<'a' | 'b', number>", "{\n  a: number;\n  b: number;\n}"],
    ["Pick<{ a: string; b: number }, 'a'>", "{\n  a: string;\n}"],
    ["{ a: string } & { b?: number }", "{\n  a: string;\n  b?: number;\n}"],
    ["{ readonly a: string | undefined }", "{\n  readonly a?: string;\n}"],
    ["{ 'a b': 1 }", '{\n  "a b": 1;\n}'],
    ["string & { readonly brand: 'Id' }", "string"],
  ])("%s", (type, expected) => {
    const { text, problems } = parameter(type);
    expect(problems).toEqual([]);
    expect(text).toBe(expected);
  });

  test("interfaces and aliases keep their names, their comments and their order", () => {
    const { client, problems } = parameter(
      "Options",
      `/** How it is done. */
       interface Options {
         /** How hard. */
         level: Level;
         limit?: number;
         nested: { when: Date | null };
       }
       /** From easy to hard. */
       type Level = "low" | "high" | "extreme";`,
    );
    expect(problems).toEqual([]);
    expect(client).toContain(`/** From easy to hard. */
export type Level = "low" | "high" | "extreme";

/** How it is done. */
export interface Options {
  /** How hard. */
  level: Level;
  limit?: number;
  nested: {
    when: Date | null;
  };
}
`);
    expect(client).toContain("run(value: Options): Promise<void>;");
  });

  test("an alias keeps its name where it may be left out", () => {
    const { client } = parameter("{ level?: Level; other: Level | null }", "type Level = 'low' | 'high';");
    expect(client).toContain("level?: Level;");
    expect(client).toContain("other: Level | null;");
  });

  test("enums, with string and number values, whole and by member", () => {
    const { client, problems } = parameter(
      "{ a?: Color; b: Size; c: Color.Red; d: Record<string, Color | null> }",
      "enum Color { Red = 'red', Blue = 'blue' }\nenum Size { S, M = 5, L }",
    );
    expect(problems).toEqual([]);
    expect(client).toContain('export type Color = "red" | "blue";');
    expect(client).toContain("export type Size = 0 | 5 | 6;");
    expect(client).toContain("a?: Color;");
    expect(client).toContain('c: "red";');
    expect(client).toContain("d: Record<string, Color | null>;");
  });

  test("recursive types refer to themselves", () => {
    const { types, problems } = parameter(
      "Tree | Json",
      "interface Tree { value: string; children: Tree[] }\ntype Json = null | string | Json[] | { [key: string]: Json };",
    );
    expect(problems).toEqual([]);
    expect(types.Tree?.type).toMatchObject({
      properties: [{}, { type: { items: { kind: "ref", name: "Tree" } } }],
    });
    expect(Object.keys(types)).toEqual(["Json", "Tree"]);
  });

  test("generic types are named by what they are filled with", () => {
    const { client, problems } = parameter(
      "{ a: Page<Item>; b: Page<string>; c: Page<Item[]>; d: Pair<Item, Date> }",
      `interface Page<T> { items: T[]; next: string | null }
       interface Item { id: number }
       type Pair<A, B> = { first: A; second: B };`,
    );
    expect(problems).toEqual([]);
    for (const name of ["Item", "PageOfItem", "PageOfString", "PageOfItemList", "PairOfItemAndDate"]) {
      expect(client).toContain(`export interface ${name} {`);
    }
    expect(client).toContain("items: Item[][];");
  });

  test("a union of tagged objects knows its tag", () => {
    const { types } = parameter(
      "Shape",
      "type Shape = { kind: 'circle'; r: number } | { kind: 'square' | 'box'; a: number };",
    );
    expect(types.Shape?.type).toMatchObject({ kind: "union", discriminator: "kind" });
  });

  test("a property that must be absent is one that the client cannot set", () => {
    const { text, problems } = parameter("{ a: string; b?: never } | { b: number; a?: never }");
    expect(problems).toEqual([]);
    expect(text).toContain("b?: never;");
  });
});

describe("types that do not", () => {
  const types = `
    class Thing { name = "" }
    interface Deep { when: { callback: () => void }[] }
    interface Keyed { [key: symbol]: string }
  `;
  test.each([
    ["() => void", "`A.run(value)`: a function cannot cross the boundary."],
    ["{ list: Deep[] }", "`A.run(value.list[].when[].callback)`: a function cannot cross the boundary."],
    ["{ greet(): string }", "`A.run(value.greet)`: a function cannot cross the boundary."],
    ["Thing", "`A.run(value)`: `Thing` is an instance of a class, and only its data would arrive."],
    [
      "Record<string, Thing>",
      "`A.run(value[key])`: `Thing` is an instance of a class, and only its data would arrive.",
    ],
    ["[string, Map<string, number>]", "`A.run(value[1])`: `Map<string, number>` cannot cross the boundary."],
    ["Set<string>", "`A.run(value)`: `Set<string>` cannot cross the boundary."],
    ["RegExp", "`A.run(value)`: `RegExp` cannot cross the boundary."],
    ["Promise<string>", "`A.run(value)`: `Promise<string>` cannot cross the boundary."],
    ["bigint", "`A.run(value)`: JSON has no `bigint`."],
    ["symbol", "`A.run(value)`: a `symbol` has no meaning outside its program."],
    ["object", "`A.run(value)`: `object` says nothing of what is in it."],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: TypeScript, in a string
    ["`a-${string}`", "`A.run(value)`: the pattern type ``a-${string}`` has no schema yet."],
    ["(string | undefined)[]", "`A.run(value[])`: `undefined` has no place here, JSON has no such value."],
    [
      "[string, number | undefined]",
      "`A.run(value)`: `undefined` has no place in a tuple, JSON has no such value.",
    ],
    ["[...string[], number]", "`A.run(value)`: a tuple with `...` before its end has no schema."],
    ["Keyed", "`A.run(value[key])`: keys of type `symbol` have no schema."],
    ["Record<number, string>", "`A.run(value[key])`: keys of type `number` have no schema."],
    [
      "{ __proto__: string }",
      "`A.run(value.__proto__)` is called `__proto__`, which no object can safely have.",
    ],
    [
      "{ [Symbol.iterator]: string }",
      "`A.run(value[symbol])`: a property named by a symbol cannot cross the boundary.",
    ],
    ["string | Date", "`A.run(value)` may be a string and a `Date`, which look the same in JSON."],
    [
      "{ at: Date | Uint8Array }",
      "`A.run(value.at)` may be a `Date` and a `Uint8Array`, which look the same in JSON.",
    ],
    [
      "{ a: Date } | { a: string; b?: 1 }",
      "`A.run(value)` may be a `Date` and a string in `a`, which look the same in JSON.",
    ],
    ["never", "`A.run(value)`: no value is of its type."],
  ])("%s", (type, message) => {
    const { problems } = parameter(type, types);
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toMatch(/^CMP10(42|50|51) src\/a\.ts:\d+:\d+ /);
  });

  test("a type that grows without end is refused, and soon", () => {
    const { problems } = parameter(
      "Nest<string>",
      "interface Nest<T> { left?: Nest<T[]>; right?: Nest<[T]> }",
    );
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]).toContain("nests too deep or never ends");
  });

  test("an enum member without a constant value", () => {
    const { problems } = parameter("Color", "enum Color { Red = 'x'.length, Blue = 2 }");
    expect(problems).toEqual([
      expect.stringContaining("the enum `Color` has members without a constant value"),
    ]);
  });
});

describe("results", () => {
  function result(type: string, types = "") {
    const analysis = analyzeMembers(`@tool() async run(): ${type} { throw new Error(); }`, types);
    return {
      text: typeText(analysis.model.agents[0]?.tools[0]?.result ?? { kind: "never" }),
      problems: summary(analysis),
    };
  }

  test.each([
    ["Promise<void>", "void"],
    ["Promise<undefined>", "void"],
    ["Promise<never>", "void"],
    ["Promise<string | undefined>", "string | undefined"],
    ["Promise<string | null>", "string | null"],
    ["Promise<Uint8Array>", "Uint8Array"],
    ["Promise<{ at: Date }[]>", "{\n  at: Date;\n}[]"],
  ])("%s", (type, expected) => expect(result(type)).toEqual({ text: expected, problems: [] }));

  test("what cannot cross is named by its path", () => {
    expect(result("Promise<{ rows: Map<string, string>[] }>").problems).toEqual([
      expect.stringContaining("`A.run() result.rows[]`: `Map<string, string>` cannot cross the boundary."),
    ]);
  });

  test("without an annotation the result is inferred, its order of union canonical", () => {
    const { model, diagnostics } = analyzeMembers(
      "@tool() run(which: number) { return which > 1 ? 'b' : which > 0 ? null : 'a'; }\n@tool() plain() { return [1]; }",
    );
    expect(diagnostics).toEqual([]);
    expect(model.agents[0]?.tools.map(({ result: each }) => typeText(each))).toEqual([
      '"a" | "b" | null',
      "number[]",
    ]);
  });
});

describe("names that clash", () => {
  test("each is told apart by its file, whichever is read first", () => {
    const agent = (name: string) => `import { Agent, tool } from "@computer/framework";
      export interface Match { in${name}: string }
      @Agent() export class ${name} { @tool() find(): Match[] { return []; } }`;
    const { model } = analyzeFiles({ "src/shelf.ts": agent("Shelf"), "src/my-notes.ts": agent("Notes") });
    expect(Object.keys(model.types)).toEqual(["MyNotesMatch", "ShelfMatch"]);
    expect(emitClient(model)).toContain("find(): Promise<ShelfMatch[]>;");
  });

  test("a type called like something of the client gets another name", () => {
    const { client } = parameter(
      "{ a: Client; b: AClient }",
      "interface Client { x: 1 }\ninterface AClient { y: 1 }",
    );
    expect(client).toContain("export interface AAClient {");
    expect(client).toContain("b: AAClient;");
    expect(client.match(/export interface Client /g)).toHaveLength(1);
  });
});
