import { ComputerError } from "../../errors.ts";
import type { SqlValue } from "./types.ts";

/** What a Durable Object's SQLite allows; see its documentation on limits. */
export const SQL_LIMITS = {
  /** Bound parameters of a statement. */
  parameters: 100,
  /** Bytes of a string, a blob or a row. */
  bytes: 2_000_000,
  /** Bytes of a statement's text. */
  statement: 100_000,
  /** Bytes of a pattern of LIKE or GLOB. */
  pattern: 50,
  columns: 100,
  functionArguments: 32,
  expressionDepth: 100,
  compoundSelect: 5,
} as const;

/**
 * Refuses what a Durable Object refuses. What is bound to a statement is taken together, since it may
 * well become one row. Patterns are judged by SQLite itself, on both sides.
 */
export function checkLimits(query: string, bindings: readonly SqlValue[]): void {
  if (query.length * 3 > SQL_LIMITS.statement && utf8Length(query) > SQL_LIMITS.statement) {
    throw limit(`a statement has at most ${SQL_LIMITS.statement} bytes`);
  }
  if (bindings.length > SQL_LIMITS.parameters) {
    throw limit(`a statement has at most ${SQL_LIMITS.parameters} parameters; pass lists through json_each`);
  }
  if (
    total(bindings, (text) => text.length * 3) > SQL_LIMITS.bytes &&
    total(bindings, utf8Length) > SQL_LIMITS.bytes
  ) {
    throw limit(`a row, string or blob has at most ${SQL_LIMITS.bytes} bytes`);
  }
}

/** A `ComputerError` that says which limit was met. */
export function limit(what: string, cause?: unknown): ComputerError {
  return new ComputerError("ERR_SQL_LIMIT", `Beyond what a Durable Object's SQLite allows: ${what}.`, {
    cause,
  });
}

/** Turns what SQLite threw into an error with a code of ours, where there is one. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ComputerError) return error;
  const { message } = error;
  const number = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  if (number === TOOBIG || /too many SQL variables|pattern too complex|SQLITE_TOOBIG|too big/.test(message)) {
    return limit(message, error);
  }
  if (number === CORRUPT || number === NOTADB || /SQLITE_(CORRUPT|NOTADB)/.test(message)) {
    return new ComputerError("ERR_WORKSPACE_DAMAGED", `The workspace's database is damaged: ${message}.`, {
      cause: error,
    });
  }
  if (number === BUSY || number === LOCKED) {
    return new ComputerError(
      "ERR_WORKSPACE_LOCKED",
      "The workspace is open elsewhere: close it there first.",
      {
        cause: error,
      },
    );
  }
  if (number === FULL || /SQLITE_FULL/.test(message)) return Object.assign(error, { code: "SQLITE_FULL" });
  return error;
}

const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const FULL = 13;
const TOOBIG = 18;
const NOTADB = 26;

function total(bindings: readonly SqlValue[], measure: (text: string) => number): number {
  let bytes = 0;
  for (const value of bindings) {
    if (typeof value === "string") bytes += measure(value);
    else if (value instanceof Uint8Array) bytes += value.length;
  }
  return bytes;
}

const encoder = new TextEncoder();
const utf8Length = (text: string): number => encoder.encode(text).length;
