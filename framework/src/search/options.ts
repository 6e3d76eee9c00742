import { ComputerError } from "../errors.ts";
import { invalidType } from "../vfs/errors.ts";
import { GlobSet, parseGlobs } from "./glob-set.ts";
import type { Globs } from "./types.ts";

/** A whole number within bounds. */
export function whole(name: string, value: unknown, low: number, high: number, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high) return value;
  throw new ComputerError(
    "ERR_BAD_ARGUMENT",
    `${name}: must be a whole number from ${low} to ${high}, got ${String(value)}.`,
    { path: `/${name}` },
  );
}

/** Globs of `include` and `exclude`: one without a slash is about names at any depth. Undefined for none. */
export function globFilter(name: string, value: Globs | undefined): GlobSet | undefined {
  if (value === undefined) return undefined;
  const globs = typeof value === "string" ? [value] : value;
  if (!Array.isArray(globs) || globs.some((glob) => typeof glob !== "string")) {
    throw invalidType(name, "a glob or an array of globs", value);
  }
  const anchored = globs.map((glob: string) => (glob.slice(0, -1).includes("/") ? glob : `**/${glob}`));
  return new GlobSet(parseGlobs(anchored, { dot: true, extended: true, ignoreCase: false }), { dot: true });
}

/** The directory or file that is searched: without slashes at its end. */
export function searchRoot(path: string | undefined): string {
  if (path === undefined) return "/";
  if (typeof path !== "string") throw invalidType("path", "of type string", path);
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}
