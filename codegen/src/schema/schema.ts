import type { Json, NamedType, ParameterModel, TypeModel } from "../model.ts";

/** A JSON Schema (draft 2020-12) as an object. */
export type Schema = { [keyword: string]: Json };

/**
 * The keyword that marks what JSON has no type for: `{ "x-computer": "date" }` and `{ "x-computer": "bytes" }`.
 * Validators check the decoded value; the doors that speak JSON decode by it.
 */
export const WIRE_KEYWORD = "x-computer";

type Types = Readonly<Record<string, NamedType>>;

/**
 * The schema of a tool's arguments: an object by the parameters' names. Objects are closed all the way
 * down, so that a misspelt optional property is an error and not silently ignored.
 *
 * @example
 * ```ts
 * parametersSchema([{ name: "title", type: { kind: "string" }, optional: false }], {});
 * // { type: "object", properties: { title: { type: "string" } }, required: ["title"], additionalProperties: false }
 * ```
 */
export function parametersSchema(parameters: readonly ParameterModel[], types: Types): Schema {
  const writer = new SchemaWriter(types, true);
  const properties: Schema = {};
  for (const { name, type, description, default: value } of parameters) {
    properties[name] = {
      ...writer.write(type),
      ...(description === undefined ? {} : { description }),
      ...(value === undefined ? {} : { default: value }),
    };
  }
  const required = parameters.filter(({ optional }) => !optional).map(({ name }) => name);
  return writer.withDefinitions({
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  });
}

/** The schema of a tool's result, undefined for one that answers nothing. Objects are open: a class may return more. */
export function resultSchema(type: TypeModel, types: Types): Schema | undefined {
  if (type.kind === "void") return undefined;
  const writer = new SchemaWriter(types, false);
  return writer.withDefinitions(writer.write(type));
}

/** Whether a schema speaks of a date or bytes anywhere, so that JSON must be decoded. */
export function needsWire(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(needsWire);
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(([keyword, value]) =>
    keyword === "default" || keyword === "const" || keyword === "enum" || keyword === "description"
      ? false
      : keyword === WIRE_KEYWORD || needsWire(value),
  );
}

class SchemaWriter {
  readonly #types: Types;
  readonly #closed: boolean;
  readonly #definitions = new Map<string, Schema>();

  constructor(types: Types, closed: boolean) {
    this.#types = types;
    this.#closed = closed;
  }

  /** Adds the definitions of every named type that was written, in order of name. */
  withDefinitions(schema: Schema): Schema {
    if (this.#definitions.size === 0) return schema;
    const entries = [...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1));
    return { ...schema, $defs: Object.fromEntries(entries) };
  }

  write(type: TypeModel): Schema {
    switch (type.kind) {
      case "json":
        return {};
      case "never":
        return { not: {} };
      case "void":
        return { type: "null" };
      case "date":
      case "bytes":
        return { [WIRE_KEYWORD]: type.kind };
      case "literal":
        return { type: typeof type.value, const: type.value };
      case "array":
        return { type: "array", items: this.write(type.items) };
      case "tuple":
        return this.#tuple(type);
      case "object":
        return this.#object(type);
      case "union":
        return this.#union(type);
      case "ref":
        this.#define(type.name);
        return { $ref: `#/$defs/${type.name}` };
      default:
        return { type: type.kind };
    }
  }

  #define(name: string): void {
    const named = this.#types[name];
    if (!named || this.#definitions.has(name)) return;
    this.#definitions.set(name, {});
    const { description } = named;
    this.#definitions.set(name, {
      ...(description === undefined ? {} : { description }),
      ...this.write(named.type),
    });
  }

  #tuple({ elements }: TypeModel & { kind: "tuple" }): Schema {
    const fixed = elements.filter(({ rest }) => !rest);
    const rest = elements.find((element) => element.rest);
    const schema: Schema = { type: "array", minItems: fixed.filter(({ optional }) => !optional).length };
    if (fixed.length > 0) schema.prefixItems = fixed.map(({ type }) => this.write(type));
    if (rest) schema.items = this.write(rest.type);
    else {
      schema.items = false;
      schema.maxItems = fixed.length;
    }
    return schema;
  }

  #object({ properties, values }: TypeModel & { kind: "object" }): Schema {
    const schema: Schema = { type: "object" };
    // A property of type never is one that must be absent: a closed object refuses it by not knowing it.
    const present = properties.filter(({ type }) => type.kind !== "never" || !this.#closed || values);
    if (present.length > 0) {
      schema.properties = Object.fromEntries(
        present.map(({ name, type, description }) => [
          name,
          { ...this.write(type), ...(description === undefined ? {} : { description }) },
        ]),
      );
    }
    const required = properties.filter(({ optional }) => !optional).map(({ name }) => name);
    if (required.length > 0) schema.required = required;
    if (values) schema.additionalProperties = this.write(values);
    else if (this.#closed) schema.additionalProperties = false;
    return schema;
  }

  #union({ members, discriminator }: TypeModel & { kind: "union" }): Schema {
    const literals = members.filter((member) => member.kind === "literal");
    if (literals.length === members.length) return enumOf(literals);
    if (discriminator !== undefined) {
      return {
        type: "object",
        discriminator: { propertyName: discriminator },
        required: [discriminator],
        oneOf: members.map((member) => this.write(member)),
      };
    }
    const others = members.filter((member) => member.kind !== "literal").map((member) => this.write(member));
    return { anyOf: literals.length > 0 ? [enumOf(literals), ...others] : others };
  }
}

function enumOf(literals: readonly (TypeModel & { kind: "literal" })[]): Schema {
  const types = [...new Set(literals.map(({ value }) => typeof value))];
  const [type] = types;
  return {
    ...(types.length === 1 && type !== undefined ? { type } : {}),
    enum: literals.map(({ value }) => value),
  };
}
