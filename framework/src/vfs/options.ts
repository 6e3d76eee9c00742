import { invalidType, outOfRange } from "./errors.ts";
import { PERMISSIONS } from "./node.ts";

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
export function permissions(mode: unknown, fallback: number): number {
  if (mode === undefined) return fallback;
  if (typeof mode !== "number") throw invalidType("mode", "of type number", mode);
  if (!Number.isInteger(mode) || mode < 0 || mode > 0xffff_ffff)
    throw outOfRange("mode", "an integer >= 0 && <= 4294967295", mode);
  return mode & PERMISSIONS;
}
