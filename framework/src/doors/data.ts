import { ComputerError } from "../errors.ts";
import { bytesToBase64 } from "./base64.ts";
import { MAX_DEPTH } from "./protocol.ts";

/**
 * A value as plain data, as it crosses RPC: dates and bytes stay, objects of classes become plain ones, functions
 * are left out as JSON leaves them out. So nothing but data crosses, whatever a tool answers or a peer sends: an
 * object with a method, or a reference, would otherwise give its receiver something to call.
 */
export function toData(value: unknown): unknown {
  return new Copier("arguments").copy(value, "", []);
}

/**
 * A tool's result as RPC carries it: data, and only such as JSON could say too, so that a tool answers alike through
 * every door.
 */
export function toResult(value: unknown): unknown {
  return new Copier("result").copy(value, "", []);
}

/** A value as JSON says it: dates as ISO 8601, bytes as base64, nothing as null. */
export function toJson(value: unknown): unknown {
  return new Copier("json").copy(value, "", []) ?? null;
}

/** What is no data was found in a value. */
export class NotData extends Error {
  /** Where, as a JSON Pointer. */
  readonly at: string;

  constructor(at: string, what: string) {
    super(what);
    this.at = at;
  }
}

/** Runs a conversion of a tool's result. */
export function resultAs<T>(convert: (value: unknown) => T, value: unknown): T {
  try {
    return convert(value);
  } catch (error) {
    if (!(error instanceof NotData)) throw error;
    const where = error.at === "" ? "it" : error.at;
    throw new ComputerError(
      "ERR_TOOL_FAILED",
      `The tool's result cannot be sent: ${where} is ${error.message}.`,
    );
  }
}

class Copier {
  readonly #json: boolean;
  /** Arguments have their validator, which says in words what was expected instead. */
  readonly #unchecked: boolean;

  constructor(form: "arguments" | "result" | "json") {
    this.#json = form === "json";
    this.#unchecked = form === "arguments";
  }

  copy(value: unknown, at: string, within: readonly unknown[]): unknown {
    if (value === null) return null;
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        // JSON would say null.
        if (!Number.isFinite(value) && !this.#unchecked) throw new NotData(at, String(value));
        return value;
      case "undefined":
      case "function":
        return undefined;
      case "bigint":
      case "symbol":
        throw new NotData(at, `a ${typeof value}`);
    }
    if (value instanceof Date) return this.#date(value, at);
    // A `Buffer` would arrive as one, and has other methods.
    if (value instanceof Uint8Array) return this.#json ? bytesToBase64(value) : plainBytes(value);
    if (within.length >= MAX_DEPTH) throw new NotData(at.slice(0, 60), "nested too deeply");
    if (within.includes(value)) throw new NotData(at, "an object that holds itself");
    const inside = [...within, value];
    if (Array.isArray(value)) {
      return Array.from(value, (item, index) => {
        const copied = this.copy(item, `${at}/${index}`, inside);
        return copied === undefined && this.#json ? null : copied;
      });
    }
    if (isOpaque(value)) throw new NotData(at, `a ${value.constructor.name}`);
    const entries: [string, unknown][] = [];
    for (const [name, property] of Object.entries(value)) {
      const copied = this.copy(property, `${at}/${name}`, inside);
      if (copied !== undefined) entries.push([name, copied]);
    }
    return Object.fromEntries(entries);
  }

  #date(date: Date, at: string): Date | string {
    if (Number.isNaN(date.getTime()) && !this.#unchecked) throw new NotData(at, "an invalid date");
    return this.#json ? date.toISOString() : new Date(date);
  }
}

/** Objects whose content is not in their properties, so that copying these would lose it without a word. */
function isOpaque(value: object): boolean {
  return (
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Promise ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value) ||
    value instanceof ReadableStream ||
    value instanceof WritableStream ||
    value instanceof Response ||
    value instanceof Request
  );
}

/** The bytes themselves, not a copy. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
