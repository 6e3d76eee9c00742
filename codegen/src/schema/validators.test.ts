import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { analyzeMembers } from "../../test/fixture.ts";
import { emitValidators } from "../emit/validators.ts";
import type { ProjectModel } from "../model.ts";
import { needsWire, parametersSchema } from "./schema.ts";

interface Validator {
  (value: unknown): boolean;
  errors?:
    | { instancePath: string; keyword: string; params: Record<string, unknown>; message: string }[]
    | null;
}

const TYPES = `
/** Where. */
interface Point {
  /** Left to right. */
  x: number;
  y: number;
}
type Shape = { kind: "circle"; at: Point; r: number } | { kind: "line"; from: Point; to: Point; when?: Date };
interface Tree { value: string; children: Tree[] }
enum Level { Low = "low", High = "high" }
`;
const MEMBERS = `
  @tool() text(title: string, limit = 10, deep?: boolean): void {}
  @tool() date(at: Date | null, data: Uint8Array): void {}
  @tool() draw(shape: Shape): void {}
  @tool() grow(tree: Tree): void {}
  @tool() pick(level: Level, mode: "a" | 3 | null): void {}
  @tool() tuple(pair: [string, number?], many: [Date, ...string[]]): void {}
  @tool() table(by: Record<string, Point>, loose: { a: 1; [key: string]: number }): void {}
  @tool() any(value: unknown): void {}
  @tool() none(): void {}
`;

let model: ProjectModel;
let code: string;
let validators: Record<string, Validator>;

beforeAll(async () => {
  const analysis = analyzeMembers(MEMBERS, TYPES);
  expect(analysis.diagnostics).toEqual([]);
  model = analysis.model;
  code = await emitValidators(model);
  validators = await import(`data:text/javascript,${encodeURIComponent(code)}`);
});

/** Undefined for a value that is fine; else where and by which keyword it was refused. */
function refusal(tool: string, value: unknown): string | undefined {
  const validate = validators[`a_${tool}`];
  if (!validate) throw new Error(`no validator for ${tool}`);
  if (validate(value)) return undefined;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath} ${error?.keyword}`;
}

const point = { x: 1, y: 2 };

describe("emitted validators", () => {
  test.each<[string, unknown]>([
    ["text", { title: "" }],
    ["text", { title: "a", limit: 0, deep: false }],
    ["date", { at: new Date(0), data: new Uint8Array() }],
    ["date", { at: null, data: Buffer.from("x") }],
    ["draw", { shape: { kind: "circle", at: point, r: 1 } }],
    ["draw", { shape: { kind: "line", from: point, to: point, when: new Date() } }],
    ["grow", { tree: { value: "", children: [{ value: "", children: [] }] } }],
    ["pick", { level: "low", mode: null }],
    ["pick", { level: "high", mode: 3 }],
    ["tuple", { pair: ["a"], many: [new Date()] }],
    ["tuple", { pair: ["a", 1], many: [new Date(), "a", "b"] }],
    ["table", { by: { a: point, constructor: point }, loose: { a: 1, b: 7 } }],
    ["any", { value: { deep: [1, "x", null] } }],
    ["none", {}],
  ])("%s takes %o", (tool, value) => expect(refusal(tool, value)).toBeUndefined());

  test.each<[string, unknown, string]>([
    ["text", {}, " required"],
    ["text", { title: 1 }, "/title type"],
    ["text", { title: "a", limit: "10" }, "/limit type"],
    ["text", { title: "a", limit: Number.NaN }, "/limit type"],
    ["text", { title: "a", limit: Number.POSITIVE_INFINITY }, "/limit type"],
    ["text", { title: "a", extra: 1 }, " additionalProperties"],
    ["text", { title: new String("a") }, "/title type"],
    ["text", Object.create({ title: "a" }), " required"],
    ["text", JSON.parse('{ "title": "a", "__proto__": {} }'), " additionalProperties"],
    ["text", [], " type"],
    ["text", null, " type"],
    ["text", undefined, " type"],
    ["date", { at: "2026-01-01", data: new Uint8Array() }, "/at x-computer"],
    ["date", { at: new Date(Number.NaN), data: new Uint8Array() }, "/at x-computer"],
    ["date", { at: null, data: [1, 2] }, "/data x-computer"],
    ["date", { at: null, data: new ArrayBuffer(1) }, "/data x-computer"],
    ["draw", { shape: { kind: "square" } }, "/shape discriminator"],
    ["draw", { shape: {} }, "/shape required"],
    ["draw", { shape: { kind: "circle", at: { x: 1, y: "2" }, r: 1 } }, "/shape/at/y type"],
    ["draw", { shape: { kind: "circle", at: point, r: 1, to: point } }, "/shape additionalProperties"],
    [
      "grow",
      { tree: { value: "", children: [{ value: "", children: [{}] }] } },
      "/tree/children/0/children/0 required",
    ],
    ["pick", { level: "medium", mode: null }, "/level enum"],
    ["pick", { level: "low", mode: "b" }, "/mode enum"],
    ["tuple", { pair: [], many: [new Date()] }, "/pair minItems"],
    ["tuple", { pair: ["a", 1, 2], many: [new Date()] }, "/pair maxItems"],
    ["tuple", { pair: ["a"], many: [new Date(), 1] }, "/many/1 type"],
    ["table", { by: { a: {} }, loose: { a: 1 } }, "/by/a required"],
    ["table", { by: {}, loose: { a: 2 } }, "/loose/a const"],
    ["table", { by: {}, loose: { a: 1, b: "x" } }, "/loose/b type"],
    ["any", {}, " required"],
    ["none", { a: 1 }, " additionalProperties"],
  ])("%s refuses %o", (tool, value, where) => expect(refusal(tool, value)).toBe(where));

  test("say which kind of value was wanted", () => {
    refusal("date", { at: null, data: 1 });
    expect(validators.a_date?.errors).toMatchObject([
      { params: { kind: "bytes" }, message: "must be bytes" },
    ]);
  });

  test("a Worker can load them: no import, no require, no eval", () => {
    expect(code).not.toMatch(/\brequire\s*\(|\beval\s*\(|new Function|^import /m);
  });
});

describe("schemas", () => {
  const schemaOf = (name: string) =>
    parametersSchema(
      model.agents[0]?.tools.find((tool) => tool.name === name)?.parameters ?? [],
      model.types,
    );

  test("carry comments and defaults, and only the definitions that they use", () => {
    expect(schemaOf("text")).toEqual({
      type: "object",
      properties: {
        title: { type: "string" },
        limit: { type: "number", default: 10 },
        deep: { type: "boolean" },
      },
      required: ["title"],
      additionalProperties: false,
    });
    expect(schemaOf("table")).toMatchObject({
      $defs: {
        Point: {
          description: "Where.",
          properties: { x: { type: "number", description: "Left to right." } },
        },
      },
    });
    expect(Object.keys(schemaOf("draw").$defs ?? {})).toEqual(["Point", "Shape"]);
  });

  test("are valid JSON Schemas of draft 2020-12", () => {
    const ajv = new Ajv2020({ strict: false });
    for (const { name } of model.agents[0]?.tools ?? []) {
      expect(ajv.validateSchema(schemaOf(name)), ajv.errorsText()).toBe(true);
    }
  });

  test("tell where JSON must be decoded", () => {
    const wired = (model.agents[0]?.tools ?? [])
      .map(({ name }) => name)
      .filter((name) => needsWire(schemaOf(name)));
    expect(wired).toEqual(["date", "draw", "tuple"]);
  });
});
