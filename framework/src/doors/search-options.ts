import type { FindOptions, GlobOptions, GrepOptions, SearchOptions } from "../search/types.ts";
import type { WatchOptions } from "../watch/types.ts";
import { bad, defined, optionalCount, optionalFlag, optionalText, options, text } from "./check.ts";

/** Options of searches as a session gives them: what a function or a signal would be stays with the client. */

const SEARCH = ["path", "include", "exclude", "gitignore", "followSymlinks", "limit", "cursor"] as const;
const GREP = ["fixed", "ignoreCase", "context", "before", "after", "limitPerFile", "maxLineLength"] as const;
const FIND = ["type", "minSize", "maxSize", "modifiedSince", "maxDepth"] as const;

export function grepOptions(value: unknown): GrepOptions {
  const given = options(value, "/options", [...SEARCH, ...GREP]);
  return {
    ...searchOptions(given),
    ...defined({
      fixed: optionalFlag(given.fixed, "/options/fixed"),
      ignoreCase: optionalFlag(given.ignoreCase, "/options/ignoreCase"),
      context: optionalCount(given.context, "/options/context"),
      before: optionalCount(given.before, "/options/before"),
      after: optionalCount(given.after, "/options/after"),
      limitPerFile: optionalCount(given.limitPerFile, "/options/limitPerFile"),
      maxLineLength: optionalCount(given.maxLineLength, "/options/maxLineLength"),
    }),
  };
}

export function findOptions(value: unknown): FindOptions {
  const given = options(value, "/options", [...SEARCH, ...FIND]);
  const { type, modifiedSince } = given;
  if (type !== undefined && type !== "file" && type !== "directory" && type !== "symlink") {
    throw bad("/options/type", '"file", "directory" or "symlink"', type);
  }
  return {
    ...searchOptions(given),
    ...defined({
      type,
      minSize: optionalCount(given.minSize, "/options/minSize"),
      maxSize: optionalCount(given.maxSize, "/options/maxSize"),
      modifiedSince: moment(modifiedSince, "/options/modifiedSince"),
      maxDepth: optionalCount(given.maxDepth, "/options/maxDepth"),
    }),
  };
}

export function globOptions(value: unknown): Omit<GlobOptions, "signal"> & { exclude?: readonly string[] } {
  const given = options(value, "/options", ["cwd", "exclude", "followSymlinks", "withFileTypes"]);
  return defined({
    cwd: optionalText(given.cwd, "/options/cwd"),
    exclude: given.exclude === undefined ? undefined : globs(given.exclude, "/options/exclude"),
    followSymlinks: optionalFlag(given.followSymlinks, "/options/followSymlinks"),
    withFileTypes: optionalFlag(given.withFileTypes, "/options/withFileTypes"),
  });
}

export function watchOptions(value: unknown): WatchOptions {
  const given = options(value, "/options", ["since", "recursive"]);
  return defined({
    since: optionalCount(given.since, "/options/since"),
    recursive: optionalFlag(given.recursive, "/options/recursive"),
  });
}

/** A glob, or an array of them. */
export function globs(value: unknown, path: string): string[] {
  return Array.isArray(value) ? value.map((glob, i) => text(glob, `${path}/${i}`)) : [text(value, path)];
}

function searchOptions(given: Record<string, unknown>): SearchOptions {
  const list = (name: "include" | "exclude") =>
    given[name] === undefined ? undefined : globs(given[name], `/options/${name}`);
  return defined({
    path: optionalText(given.path, "/options/path"),
    include: list("include"),
    exclude: list("exclude"),
    gitignore: optionalFlag(given.gitignore, "/options/gitignore"),
    followSymlinks: optionalFlag(given.followSymlinks, "/options/followSymlinks"),
    limit: optionalCount(given.limit, "/options/limit"),
    cursor: optionalText(given.cursor, "/options/cursor"),
  });
}

/** A moment in milliseconds since 1970, or a date. */
function moment(value: unknown, path: string): number | Date | undefined {
  if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value;
  throw bad(path, "milliseconds or a date", value);
}
