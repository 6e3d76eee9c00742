import { ComputerError } from "../errors.ts";
import { describe } from "./describe.ts";

/** Checks of arguments that no schema stands for: those of the workspace's own verbs. */

export function text(value: unknown, path: string): string {
  if (typeof value === "string") return value;
  throw bad(path, "a string", value);
}

export function optionalText(value: unknown, path: string): string | undefined {
  return value === undefined ? undefined : text(value, path);
}

export function optionalFlag(value: unknown, path: string): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw bad(path, "a boolean", value);
}

export function count(value: unknown, path: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw bad(path, "a whole number from 0 on", value);
}

export function owner(value: unknown, path: string): number {
  if (value === -1) return value;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw bad(path, "the number of an owner, or -1", value);
}

export function list(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw bad(path, "a list", value);
}

export function optionalCount(value: unknown, path: string): number | undefined {
  return value === undefined ? undefined : count(value, path);
}

export function content(value: unknown, path: string): string | Uint8Array {
  if (typeof value === "string" || value instanceof Uint8Array) return value;
  throw bad(path, "a string or bytes", value);
}

export function time(value: unknown, path: string): number | string | Date {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "string" && Number.isFinite(Number(value))) return value;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value;
  throw bad(path, "a time in seconds or a date", value);
}

/** An object of options with no keys but those named; `undefined` and `null` are none. */
export function options(value: unknown, path: string, keys: readonly string[]): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw bad(path, "an object", value);
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) {
      throw new ComputerError("ERR_BAD_ARGUMENT", `${key}: no such option; there are ${keys.join(", ")}`, {
        path: `${path}/${key}`,
      });
    }
  }
  return { ...value };
}

/** Drops the keys that hold `undefined`, which `exactOptionalPropertyTypes` tells from absent ones. */
export function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as never;
}

export function bad(path: string, expected: string, got: unknown): ComputerError {
  const name = path === "" ? "the argument" : path.slice(1).replaceAll("/", ".");
  return new ComputerError("ERR_BAD_ARGUMENT", `${name}: must be ${expected}, got ${describe(got)}`, {
    path,
  });
}
