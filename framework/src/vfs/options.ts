import { checkEncoding } from "./bytes.ts";
import { invalidType, invalidValue, outOfRange } from "./errors.ts";
import { PERMISSIONS } from "./node.ts";
import type { Encoding, WriteOptions } from "./types.ts";

/** How a file is opened to be written: as the flags of `node:fs`. */
export interface OpenOptions {
  readonly flag: "w" | "wx" | "a" | "ax";
  readonly mode: number;
}

/** The options of `rm`. */
export interface RemoveOptions {
  readonly recursive?: boolean;
  readonly force?: boolean;
}

/** A mode as callers give it: permission bits; others are dropped, as Node does. */
export function permissions(mode: unknown, fallback?: number): number {
  if (mode === undefined && fallback !== undefined) return fallback;
  if (typeof mode !== "number") throw invalidType("mode", "of type number", mode);
  if (!Number.isInteger(mode) || mode < 0 || mode > 0xffff_ffff)
    throw outOfRange("mode", "an integer >= 0 && <= 4294967295", mode);
  return mode & PERMISSIONS;
}

/** An owner as callers give it; -1 leaves it as it is. */
export function owner(name: string, id: unknown): number {
  if (typeof id !== "number") throw invalidType(name, "of type number", id);
  if (!Number.isInteger(id) || id < -1 || id > 0xffff_ffff)
    throw outOfRange(name, "an integer >= -1 && <= 4294967295", id);
  return id;
}

/** The options of verbs that write whole files. */
export function openOptions(
  options: { [K in keyof WriteOptions]: WriteOptions[K] | undefined } | Encoding | undefined,
  flag: "w" | "a",
): OpenOptions {
  const given = typeof options === "string" ? { encoding: options } : (options ?? {});
  checkEncoding(given.encoding);
  const chosen = given.flag ?? flag;
  if (!FLAGS.includes(chosen)) throw invalidValue("flags", `must be one of ${FLAGS.join(", ")}`, chosen);
  return { flag: chosen, mode: permissions(given.mode, 0o644) };
}

const FLAGS = ["w", "wx", "a", "ax"];
