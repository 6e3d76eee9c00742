import { describe, expect, test } from "vitest";
import { analyzeFiles, analyzeSource, summary } from "../../test/fixture.ts";

/** Analyses files of which the first is `src/a.ts`. */
const analyzeText = (text: string, others: Record<string, string> = {}) =>
  analyzeFiles({ "src/a.ts": text, ...others });

describe("a marker that was not imported", () => {
  const forgotten = "@Agent() export class B { @tool() x(): void {} }";
  const missing = expect.stringContaining("Cannot find name 'Agent'");

  test("is said to be so where there is no agent", () => {
    expect(summary(analyzeText(forgotten))).toContainEqual(missing);
  });

  test("is said to be so beside another agent, instead of leaving one out", () => {
    const good = 'import { Agent } from "@computer/framework";\n@Agent() export class A {}';
    expect(summary(analyzeText(good))).toEqual([]);
    expect(summary(analyzeText(good, { "src/b.ts": forgotten }))).toContainEqual(missing);
  });
});

describe("finding agents", () => {
  test.each([
    [
      "plain",
      'import { Agent, tool } from "@computer/framework";\n@Agent() export class A { @tool() x() {} }',
    ],
    [
      "aliased",
      'import { Agent as B, tool as t } from "@computer/framework";\n@B() export class A { @t() x() {} }',
    ],
    [
      "namespace",
      'import * as c from "@computer/framework";\n@c.Agent() export class A { @c.tool() x() {} }',
    ],
    [
      "decorator after export",
      'import { Agent, tool } from "@computer/framework";\nexport @Agent() class A { @tool() x() {} }',
    ],
    ["re-exported", 'import { Mark, tool } from "./kit.ts";\n@Mark() export class A { @tool() x() {} }'],
    [
      "star re-exported",
      'import { Agent, tool } from "./all.ts";\n@Agent() export class A { @tool() x() {} }',
    ],
  ])("%s", (_, text) => {
    const analysis = analyzeText(text, {
      "src/kit.ts": 'export { Agent as Mark, tool } from "@computer/framework";',
      "src/all.ts": 'export * from "@computer/framework";',
    });
    expect(summary(analysis)).toEqual([]);
    expect(analysis.model.agents).toMatchObject([
      { className: "A", exportName: "A", tools: [{ name: "x" }] },
    ]);
  });

  test("decorators of the same name from elsewhere mean nothing", () => {
    const analysis = analyzeText('import { Agent } from "./mine.ts";\n@Agent() export class A {}\n', {
      "src/mine.ts": "export const Agent = () => (target: object) => void target;",
    });
    expect(summary(analysis)).toEqual([expect.stringMatching(/^CMP1004 There is no class marked/)]);
  });

  test("names, bindings, descriptions and places", () => {
    const { model, diagnostics } = analyzeSource(`
/** Reads. */
@Agent()
export class TextReader {}
@Agent({ name: "ops", description: "Runs things" })
export class OpsBot2 {}
`);
    expect(diagnostics).toEqual([]);
    expect(model.agents).toEqual([
      {
        className: "OpsBot2",
        exportName: "OpsBot2",
        objectName: "OpsBot2Object",
        binding: "OPS_BOT2",
        name: "ops",
        clientName: "ops",
        description: "Runs things",
        at: { file: "src/a.ts", line: 7, column: 14 },
        constructorParameters: [],
        authorize: false,
        tools: [],
      },
      expect.objectContaining({
        name: "text-reader",
        clientName: "textReader",
        binding: "TEXT_READER",
        description: "Reads.",
      }),
    ]);
  });

  test("every way to export", () => {
    const { model, diagnostics } = analyzeFiles({
      "src/a.ts": 'import { Agent } from "@computer/framework";\n@Agent() export default class A {}',
      "src/b.ts": 'import { Agent } from "@computer/framework";\n@Agent() class B {}\nexport { B as Bee };',
      "src/c.ts": 'import { Agent } from "@computer/framework";\n@Agent() class C {}\nexport { C };',
    });
    expect(diagnostics).toEqual([]);
    expect(model.agents.map(({ exportName }) => exportName)).toEqual(["default", "Bee", "C"]);
  });
});

describe("agents that cannot be", () => {
  test.each([
    [
      "not exported",
      "@Agent() class A {}",
      "CMP1010 src/a.ts:2:16 The agent `A` is not exported by its file.",
    ],
    ["in a function", "export function f() { @Agent() class A {} return A; }", "CMP1010 src/a.ts:2:38"],
    ["abstract", "@Agent() export abstract class A {}", "CMP1011 src/a.ts:2:32 The agent `A` is abstract."],
    [
      "generic",
      "@Agent() export class A<T> { x?: T }",
      "CMP1012 src/a.ts:2:23 The agent `A` has type parameters.",
    ],
    ["unnamed", "@Agent() export default class {}", "CMP1013 src/a.ts:2:1 This agent class has no name."],
    ["options not literal", "const o = {};\n@Agent(o) export class A {}", "CMP1014 src/a.ts:3:8"],
    [
      "option computed",
      "const n = 'x' + 1;\n@Agent({ name: n }) export class A {}",
      "CMP1014 src/a.ts:3:16 The option `name` is not a string literal.",
    ],
    ["option spread", "@Agent({ ...{} }) export class A {}", "CMP1014 src/a.ts:2:10"],
    [
      "bad name",
      '@Agent({ name: "My Agent" }) export class A {}',
      "CMP1015 src/a.ts:2:16 The agent `A` cannot be called `My Agent`.",
    ],
    ["a name that every object has", "@Agent() export class ToString {}", "CMP1015 src/a.ts:2:23"],
    ["a name that makes a promise", '@Agent({ name: "then" }) export class A {}', "CMP1015"],
    [
      "class expression",
      "export const A = @Agent() class {};",
      "CMP1010 src/a.ts:2:18 This agent is a class expression",
    ],
    ["path as name", '@Agent({ name: "../../x" }) export class A {}', "CMP1015"],
  ])("%s", (_, source, message) => {
    expect(summary(analyzeSource(source))).toContainEqual(expect.stringContaining(message));
  });

  test("not called", () => {
    const found = summary(analyzeSource("@Agent export class A {}"));
    expect(found).toContainEqual(
      expect.stringContaining("CMP1014 src/a.ts:2:1 The marker `@Agent` is not called."),
    );
  });

  test("two of one name, and two of one class", () => {
    const agent = (options: string) =>
      `import { Agent } from "@computer/framework";\n@Agent(${options}) export class Same {}`;
    const byClass = analyzeFiles({ "src/a.ts": agent(""), "src/b.ts": agent('{ name: "other" }') });
    expect(summary(byClass)).toEqual([
      "CMP1017 src/b.ts:2:40 `Same` and `Same` in src/a.ts:2 would share one storage class.",
    ]);
    const byName = analyzeSource('@Agent() export class One {}\n@Agent({ name: "one" }) export class Two {}');
    expect(summary(byName)).toEqual([
      "CMP1016 src/a.ts:3:38 This agent and the one in src/a.ts:2 are both called `one`.",
    ]);
  });
});

describe("the project", () => {
  test("TypeScript's errors are reported in an agent's file and in what it imports, and nowhere else", () => {
    const analysis = analyzeText(
      `import { Agent } from "@computer/framework";
import { help } from "./help.ts";
@Agent() export class A { x: number = help; }
`,
      { "src/help.ts": "export const help: number = 'no';\n", "src/apart.ts": "const x: number = 'no';\n" },
    );
    expect(summary(analysis)).toEqual([
      "CMP1005 src/help.ts:1:14 TS2322: Type 'string' is not assignable to type 'number'.",
    ]);
  });

  test("a syntax error", () => {
    expect(summary(analyzeSource("@Agent() export class A { x( }"))).toContainEqual(
      expect.stringMatching(/^CMP1005 src\/a\.ts:2:\d+ TS1\d+/),
    );
  });

  test("a framework that is not installed", () => {
    const analysis = analyzeFiles({
      "src/a.ts": 'import { Agent } from "@computer/framework";\n@Agent() export class A {}',
      "node_modules/@computer/framework/package.json": "{}",
      "node_modules/@computer/framework/index.d.ts": "not a module",
    });
    expect(summary(analysis)[0]).toMatch(/^CMP100[35] /);
    expect(summary(analysis)).toContainEqual(expect.stringContaining("CMP1003 src/a.ts:1:23"));
  });

  test("null checks must be on", () => {
    const analysis = analyzeFiles({
      "src/a.ts": 'import { Agent } from "@computer/framework";\n@Agent() export class A {}',
      "tsconfig.json": {
        compilerOptions: { module: "nodenext", strict: false, types: [], experimentalDecorators: true },
      },
    });
    expect(summary(analysis)).toEqual(["CMP1006 tsconfig.json leaves `strict` off."]);
  });

  test("standard decorators read the same", () => {
    const analysis = analyzeFiles({
      "src/a.ts":
        'import { Agent, tool } from "@computer/framework";\n@Agent() export class A { @tool() x(): void {} }',
      "tsconfig.json": { compilerOptions: { module: "nodenext", target: "es2022", strict: true, types: [] } },
    });
    expect(summary(analysis)).toEqual([]);
    expect(analysis.model.agents).toMatchObject([{ tools: [{ name: "x" }] }]);
  });
});
