import { ComputerError } from "../errors.ts";
import { NotData, toData } from "./data.ts";
import { describe, quote } from "./describe.ts";
import type { ToolArguments, ToolDoor, ValidationError } from "./types.ts";

/** Names positional arguments. One too many is an error; a trailing `undefined` is one not given. */
export function nameArguments(tool: string, parameters: readonly string[], args: unknown): ToolArguments {
  if (!Array.isArray(args)) {
    throw new ComputerError(
      "ERR_BAD_ARGUMENT",
      `${tool}: expected a list of arguments, got ${describe(args)}`,
    );
  }
  if (args.length > parameters.length) {
    const takes = `${parameters.length === 0 ? "no" : parameters.length} argument${parameters.length === 1 ? "" : "s"}`;
    const names = parameters.length === 0 ? "" : ` (${parameters.join(", ")})`;
    throw new ComputerError("ERR_BAD_ARGUMENT", `${tool} takes ${takes}${names}, got ${args.length}`, {
      path: `/${parameters.length}`,
    });
  }
  const given = parameters.map((name, index): [string, unknown] => [name, args[index]]);
  try {
    // Leaves out what is undefined, and whatever is not data.
    return toData(Object.fromEntries(given)) as ToolArguments;
  } catch (error) {
    if (!(error instanceof NotData)) throw error;
    throw new ComputerError("ERR_BAD_ARGUMENT", `${label(error.at)}: must be data, got ${error.message}`, {
      path: error.at,
    });
  }
}

/** Validates named, decoded arguments, whichever door they came through. */
export function checkArguments(tool: string, door: ToolDoor<never>, args: unknown): ToolArguments {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw new ComputerError(
      "ERR_BAD_ARGUMENT",
      `${tool}: the arguments must be an object by name, got ${describe(args)}`,
      { path: "" },
    );
  }
  let valid: boolean;
  try {
    valid = door.validate(args);
  } catch (error) {
    // The validator recurses as deep as a recursive type lets the value go.
    if (error instanceof RangeError) {
      throw new ComputerError("ERR_BAD_ARGUMENT", `${tool}: the arguments are nested too deeply`, {
        path: "",
      });
    }
    throw error;
  }
  if (valid) return args as ToolArguments;
  const { path, message } = explain(door.validate.errors ?? [], args, door.parameters);
  throw new ComputerError("ERR_BAD_ARGUMENT", message, { path });
}

/** Says in words what a validator found: the pointer of the argument at fault, and what is wrong with it. */
export function explain(
  errors: readonly ValidationError[],
  value: unknown,
  parameters: readonly string[] = [],
): { path: string; message: string } {
  const error = mostTelling(errors);
  if (error === undefined) return { path: "", message: "the arguments are not valid" };
  const at = error.instancePath;
  const { params } = error;
  switch (error.keyword) {
    case "required": {
      const path = `${at}/${escapePointer(String(params.missingProperty))}`;
      return { path, message: `${label(path)}: is missing` };
    }
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = String(params.additionalProperty ?? params.unevaluatedProperty);
      const path = `${at}/${escapePointer(name)}`;
      const known = at === "" && parameters.length > 0 ? `; there are ${parameters.join(", ")}` : "";
      return {
        path,
        message: `${label(path)}: ${at === "" ? "no such argument" : "no such property"}${known}`,
      };
    }
  }
  if (error.keyword === "discriminator") {
    const path = `${at}/${escapePointer(String(params.tag))}`;
    const got = params.tagValue === undefined ? "it is missing" : `got ${quote(params.tagValue)}`;
    return { path, message: `${label(path)}: must say which of the possible kinds this is; ${got}` };
  }
  const found = lookUp(value, at);
  const expected = expectations(errors, at);
  if (expected !== undefined) {
    const got = expected.literal ? quote(found) : describe(found);
    return { path: at, message: `${label(at)}: must be ${expected.words}, got ${got}` };
  }
  return { path: at, message: `${label(at)}: ${error.message ?? "is not valid"}` };
}

/**
 * Of a union, Ajv reports what every branch disliked and then the union itself. The branch that came furthest is
 * the one that was meant, unless what stopped it is the constant that tells the branches apart.
 */
function mostTelling(errors: readonly ValidationError[]): ValidationError | undefined {
  const leaves = errors.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "oneOf");
  const depth = (error: ValidationError) => error.instancePath.split("/").length;
  const rank = (error: ValidationError) =>
    depth(error) * 2 +
    (error.keyword === "const" || error.keyword === "enum" ? -1 : error.keyword === "required" ? 2 : 0);
  let best = leaves[0] ?? errors[0];
  for (const error of leaves) if (best === undefined || rank(error) > rank(best)) best = error;
  return best;
}

/** What the errors at one place say is allowed there, as one phrase. */
function expectations(
  errors: readonly ValidationError[],
  at: string,
): { words: string; literal: boolean } | undefined {
  const words: string[] = [];
  let literal = true;
  for (const { instancePath, keyword, params } of errors) {
    if (instancePath !== at) continue;
    if (keyword === "type") {
      const { type } = params;
      const types = Array.isArray(type) ? type : String(type).split(",");
      words.push(...types.map((name) => TYPE_WORDS[name] ?? String(name)));
      literal = false;
    } else if (keyword === "x-computer") {
      words.push(WIRE_WORDS[String(params.kind ?? params.type ?? params.keyword)] ?? "a date or bytes");
      literal = false;
    } else if (keyword === "enum" && Array.isArray(params.allowedValues)) {
      words.push(...params.allowedValues.map(quote));
    } else if (keyword === "const") {
      words.push(quote(params.allowedValue));
    }
  }
  const unique = [...new Set(words)];
  if (unique.length === 0) return undefined;
  if (unique.length === 1) return { words: unique[0] as string, literal };
  return { words: `${unique.slice(0, -1).join(", ")} or ${unique.at(-1)}`, literal };
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "a boolean",
  integer: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
};

const WIRE_WORDS: Readonly<Record<string, string>> = {
  date: "a date (in JSON: ISO 8601 with its zone, like 2026-01-31T12:00:00Z)",
  bytes: "bytes (in JSON: base64)",
};

/** `/items/0/title` as one writes it in code: `items[0].title`. */
function label(pointer: string): string {
  if (pointer === "") return "the arguments";
  const text = pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part, index) => (/^\d+$/.test(part) && index > 0 ? `[${part}]` : index > 0 ? `.${part}` : part))
    .join("");
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function lookUp(value: unknown, pointer: string): unknown {
  let found = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}
