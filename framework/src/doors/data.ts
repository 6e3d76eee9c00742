import { ComputerError } from "../errors.ts";
import { bytesToBase64 } from "./base64.ts";

const MAX_DEPTH = 200;

/**
 * A tool's result as plain data, as it crosses RPC: dates and bytes stay, objects of classes become plain ones,
 * functions are left out as JSON leaves them out. So nothing but data ever leaves, whatever a tool answers: an
 * object with a method would otherwise become a reference that its receiver may call.
 */
export function toData(value: unknown): unknown {
  return copy(value, false, [], "");
}

/** A tool's result as JSON says it: dates as ISO 8601, bytes as base64, nothing as null. */
export function toJson(value: unknown): unknown {
  return copy(value, true, [], "") ?? null;
}

function copy(value: unknown, json: boolean, within: readonly unknown[], at: string): unknown {
  if (value === null) return null;
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return value;
    case "undefined":
    case "function":
      return undefined;
    case "bigint":
    case "symbol":
      throw unsendable(at, `a ${typeof value}`);
  }
  if (within.length > MAX_DEPTH) throw unsendable(at.slice(0, 60), "nested too deeply");
  if (within.includes(value)) throw unsendable(at, "something that holds itself");
  if (value instanceof Date) {
    if (!json) return new Date(value);
    if (Number.isNaN(value.getTime())) throw unsendable(at, "an invalid date");
    return value.toISOString();
  }
  if (value instanceof Uint8Array) return json ? bytesToBase64(value) : plainBytes(value);
  const inside = [...within, value];
  if (Array.isArray(value)) {
    return Array.from(
      value,
      (item, index) => copy(item, json, inside, `${at}/${index}`) ?? (json ? null : undefined),
    );
  }
  if (value instanceof Map || value instanceof Set || value instanceof Promise || ArrayBuffer.isView(value)) {
    throw unsendable(at, `a ${value.constructor.name}`);
  }
  const own: [string, unknown][] = [];
  for (const [name, property] of Object.entries(value)) {
    const copied = copy(property, json, inside, `${at}/${name}`);
    if (copied !== undefined) own.push([name, copied]);
  }
  return Object.fromEntries(own);
}

/** A `Buffer` would arrive as one, and has other methods. */
function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function unsendable(at: string, what: string): ComputerError {
  return new ComputerError("ERR_TOOL_FAILED", `The tool's result cannot be sent: ${at || "it"} is ${what}.`);
}
