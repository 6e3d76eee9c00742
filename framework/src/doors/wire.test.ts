import { describe, expect, test } from "vitest";
import { base64ToBytes, bytesToBase64, bytesToBase64Url } from "./base64.ts";
import type { JsonSchema } from "./types.ts";
import { compileDecoder } from "./wire.ts";

const date = { "x-computer": "date" };
const bytes = { "x-computer": "bytes" };
const object = (properties: Record<string, JsonSchema>, more: object = {}) => ({
  type: "object",
  properties,
  ...more,
});
const decode = (schema: JsonSchema, value: unknown) => compileDecoder(schema)?.(value);
const iso = "2026-05-01T10:00:00Z";

test("a schema without dates and bytes has nothing to decode", () => {
  expect(
    compileDecoder(object({ a: { type: "string" }, b: { type: "array", items: { type: "number" } } })),
  ).toBeUndefined();
  expect(compileDecoder({ const: { "x-computer": "date" } })).toBeUndefined();
  expect(compileDecoder({ type: "string", enum: ["x-computer"] })).toBeUndefined();
});

describe("where they are", () => {
  test("in properties, items, tuples and records", () => {
    expect(decode(object({ at: date, name: { type: "string" } }), { at: iso, name: iso, more: iso })).toEqual(
      {
        at: new Date(iso),
        name: iso,
        more: iso,
      },
    );
    expect(decode({ type: "array", items: bytes }, ["AQI=", "/w"])).toEqual([
      Uint8Array.of(1, 2),
      Uint8Array.of(255),
    ]);
    expect(
      decode({ type: "array", prefixItems: [{ type: "string" }, date], items: bytes }, [iso, iso, "AQ=="]),
    ).toEqual([iso, new Date(iso), Uint8Array.of(1)]);
    expect(
      decode(object({ a: { type: "string" } }, { additionalProperties: date }), { a: iso, b: iso }),
    ).toEqual({
      a: iso,
      b: new Date(iso),
    });
  });

  test("in types that refer to themselves", () => {
    const schema = {
      ...object({ root: { $ref: "#/$defs/Node" } }),
      $defs: { Node: object({ at: date, children: { type: "array", items: { $ref: "#/$defs/Node" } } }) },
    };
    expect(decode(schema, { root: { at: iso, children: [{ at: iso, children: [] }] } })).toEqual({
      root: { at: new Date(iso), children: [{ at: new Date(iso), children: [] }] },
    });
  });

  test("in references to references that lead nowhere", () => {
    const schema = {
      ...object({ a: { $ref: "#/$defs/A" } }),
      $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } },
    };
    expect(compileDecoder(schema)).toBeUndefined();
  });
});

describe("in unions", () => {
  test("a string stays one where one is allowed", () => {
    expect(decode({ anyOf: [{ type: "string" }, date] }, iso)).toBe(iso);
    expect(decode({ anyOf: [date, { type: "null" }] }, iso)).toEqual(new Date(iso));
    expect(decode({ anyOf: [date, { type: "null" }] }, null)).toBeNull();
    expect(decode({ anyOf: [{ enum: ["never"] }, date] }, "never")).toBe("never");
    expect(decode({ anyOf: [{ enum: ["never"] }, date] }, iso)).toEqual(new Date(iso));
    expect(decode({ anyOf: [bytes, date] }, iso)).toEqual(new Date(iso));
    expect(decode({ anyOf: [date, bytes] }, "AQI=")).toEqual(Uint8Array.of(1, 2));
  });

  test("an object is of the branch that it fits", () => {
    const shape = (kind: string, rest: Record<string, JsonSchema>) =>
      object(
        { kind: { type: "string", const: kind }, ...rest },
        { required: ["kind", ...Object.keys(rest)] },
      );
    const schema = { oneOf: [shape("note", { at: { type: "string" } }), shape("meeting", { at: date })] };
    expect(decode(schema, { kind: "note", at: iso })).toEqual({ kind: "note", at: iso });
    expect(decode(schema, { kind: "meeting", at: iso })).toEqual({ kind: "meeting", at: new Date(iso) });
    expect(decode(schema, { kind: "other", at: iso })).toEqual({ kind: "other", at: iso });
  });
});

describe("a date", () => {
  test.each([
    "2026-05-01",
    "2026-05-01T10:00Z",
    "2026-05-01T10:00:00.123456Z",
    "2026-05-01T10:00:00+02:00",
    "2024-02-29",
  ])("%s is one", (text) => {
    expect(decode(date, text)).toEqual(new Date(text));
  });

  test.each([
    ["2026-05-01T10:00:00", "without a zone"],
    ["2026-02-29", "a day that is not there"],
    ["2026-13-01", "a month that is not there"],
    ["2026-05-01T25:00:00Z", "an hour that is not there"],
    ["1 May 2026", "another form"],
    ["1777629600000", "a number in text"],
    [1777629600000, "a number"],
    [null, "null"],
    ["", "nothing"],
  ] as [unknown, string][])("%s is not: %s", (value, _why) => {
    expect(decode(date, value)).toBe(value);
  });
});

test("base64 in both alphabets, with padding or without, and nothing else", () => {
  for (let length = 0; length < 20; length += 1) {
    const data = Uint8Array.from({ length }, (_, index) => (index * 251 + 255) & 255);
    expect(base64ToBytes(bytesToBase64(data))).toEqual(data);
    expect(base64ToBytes(bytesToBase64Url(data))).toEqual(data);
    expect(bytesToBase64(data)).toBe(Buffer.from(data).toString("base64"));
  }
  expect(bytesToBase64(new Uint8Array(100_000)).length).toBe(133_336);
  for (const text of ["A", "AAAAA", "A=", "AA=", "AAA==", "====", "A A=", "AA\n=", "é"]) {
    expect([text, base64ToBytes(text)]).toEqual([text, undefined]);
  }
});
