import { base64ToBytes } from "./base64.ts";
import { WIRE_KEYWORD } from "./protocol.ts";
import type { JsonSchema } from "./types.ts";

/** Turns the JSON form of a value into the value. What does not fit stays as it is, for the validator to refuse. */
export type Decode = (value: unknown) => unknown;

/**
 * Compiles the decoder of a schema: strings become dates and bytes wherever the schema says that one is meant.
 * Undefined when it says so nowhere, and the JSON is the value.
 *
 * In a union, a string stays a string if a string is allowed there; else it becomes a date if it reads as one.
 */
export function compileDecoder(schema: JsonSchema): Decode | undefined {
  return new Compiler(schema).compile(schema);
}

class Compiler {
  readonly #root: JsonSchema;
  readonly #refs = new Map<string, Decode | undefined>();
  readonly #wired = new Map<object, boolean>();

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  compile(schema: JsonSchema | undefined): Decode | undefined {
    if (typeof schema !== "object" || !this.#isWired(schema)) return undefined;
    const { $ref } = schema;
    if (typeof $ref === "string") return this.#reference($ref);
    const kind = schema[WIRE_KEYWORD];
    if (kind === "date") return decodeDate;
    if (kind === "bytes") return decodeBytes;
    const branches = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(branches)) return this.#union(branches);
    if (Array.isArray(schema.allOf)) {
      const steps = schema.allOf.map((part) => this.compile(part)).filter((step) => step !== undefined);
      return (value) => steps.reduce((current, step) => step(current), value);
    }
    return this.#structure(schema);
  }

  /** A recursive type refers to itself, so a reference is resolved when it is first used. */
  #reference(pointer: string): Decode {
    return (value) => {
      if (!this.#refs.has(pointer)) this.#refs.set(pointer, this.compile(this.#resolve(pointer)));
      const decode = this.#refs.get(pointer);
      return decode === undefined ? value : decode(value);
    };
  }

  #union(branches: JsonSchema[]): Decode {
    const choices = branches.map((schema) => ({ schema, decode: this.compile(schema) }));
    return (value) => {
      for (const { schema, decode } of choices) {
        if (decode === undefined && this.#fits(schema, value)) return value;
      }
      for (const { schema, decode } of choices) {
        if (decode === undefined || !this.#fits(schema, value)) continue;
        const decoded = decode(value);
        if (decoded !== value) return decoded;
      }
      return value;
    };
  }

  #structure(schema: { readonly [keyword: string]: unknown }): Decode {
    const properties = new Map<string, Decode>();
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const decode = this.compile(property);
      if (decode !== undefined) properties.set(name, decode);
    }
    const named = new Set(Object.keys(schema.properties ?? {}));
    const others = this.compile(schema.additionalProperties as JsonSchema | undefined);
    const prefix = Array.isArray(schema.prefixItems)
      ? schema.prefixItems.map((item) => this.compile(item))
      : [];
    const items = this.compile(schema.items as JsonSchema | undefined);
    return (value) => {
      if (Array.isArray(value)) {
        return value.map((item, index) => {
          const decode = index < prefix.length ? prefix[index] : items;
          return decode === undefined ? item : decode(item);
        });
      }
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, property]) => {
          const decode = named.has(name) ? properties.get(name) : others;
          return [name, decode === undefined ? property : decode(property)];
        }),
      );
    };
  }

  /** Whether a value could be meant by a branch of a union, as far as its shape tells. */
  #fits(schema: JsonSchema, value: unknown, depth = 0): boolean {
    if (typeof schema !== "object") return schema;
    if (typeof schema.$ref === "string" && depth < 16)
      return this.#fits(this.#resolve(schema.$ref), value, depth + 1);
    if (WIRE_KEYWORD in schema) return typeof value === "string";
    if ("const" in schema) return schema.const === value;
    if (Array.isArray(schema.enum)) return schema.enum.includes(value);
    const branches = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(branches)) return branches.some((branch) => this.#fits(branch, value, depth + 1));
    if (schema.type !== undefined && ![schema.type].flat().some((type) => hasType(value, type))) return false;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return true;
    const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
    if (!required.every((name) => Object.hasOwn(value, name))) return false;
    return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).every(
      ([name, property]) => {
        if (!Object.hasOwn(value, name) || typeof property !== "object" || depth > 16) return true;
        return this.#fits(property, (value as Record<string, unknown>)[name], depth + 1);
      },
    );
  }

  /** Whether a date or bytes occur anywhere within a schema. */
  #isWired(schema: object): boolean {
    const known = this.#wired.get(schema);
    if (known !== undefined) return known;
    // A schema met again within itself adds nothing that the first visit does not find.
    this.#wired.set(schema, false);
    const found = Object.entries(schema).some(([keyword, value]) => {
      if (keyword === WIRE_KEYWORD) return true;
      if (keyword === "$defs" || keyword === "definitions" || keyword === "const" || keyword === "enum")
        return false;
      if (keyword === "$ref") {
        const target = this.#resolve(String(value));
        return typeof target === "object" && this.#isWired(target);
      }
      return typeof value === "object" && value !== null && this.#isWired(value);
    });
    this.#wired.set(schema, found);
    return found;
  }

  #resolve(pointer: string): JsonSchema {
    let found: unknown = this.#root;
    for (const part of pointer.replace(/^#\/?/, "").split("/").filter(Boolean)) {
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      found =
        typeof found === "object" && found !== null ? (found as Record<string, unknown>)[key] : undefined;
    }
    return (found ?? true) as JsonSchema;
  }
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2}))?$/;

function decodeDate(value: unknown): unknown {
  const parts = typeof value === "string" ? ISO_8601.exec(value) : null;
  if (parts === null) return value;
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  // `Date` takes the 31st of February for the 3rd of March.
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate())
    return value;
  const date = new Date(value as string);
  return Number.isNaN(date.getTime()) ? value : date;
}

function decodeBytes(value: unknown): unknown {
  return typeof value === "string" ? (base64ToBytes(value) ?? value) : value;
}
