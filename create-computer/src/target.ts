import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import validatePackageName from "validate-npm-package-name";
import { Failure } from "./failure.ts";

/** Where a project goes. */
export interface Target {
  /** Absolute. */
  folder: string;
  /** The name of its package: the folder's. */
  name: string;
  /** Whether the folder exists; then it is empty. */
  exists: boolean;
}

/**
 * Checks that a project can be created in a folder.
 *
 * @param folder As typed, relative to `cwd`; `.` is the current folder.
 * @throws {Failure} When the folder's name is no package name, the folder is not empty or no folder, or
 *   its parent is missing or may not be written to.
 *
 * @example
 * checkTarget("my-agent").name; // "my-agent"
 */
export function checkTarget(folder: string, cwd: string = process.cwd()): Target {
  if (folder.includes("\0") || folder.trim() === "")
    throw new Failure("The folder has no name.", "Try my-agent.");
  if (folder.split(/[\\/]/).at(-1) === "..") {
    throw new Failure(`${folder} is a folder above, not a place for a new project.`, "Try my-agent.");
  }
  const path = resolve(cwd, folder);
  const name = basename(path);
  checkName(name);

  const exists = existsSync(path);
  if (exists && !statSync(path).isDirectory()) {
    throw new Failure(`${folder} exists and is no folder.`, "Choose another name.");
  }
  if (exists && readdirSync(path).length > 0) {
    throw new Failure(`${folder} exists and is not empty.`, "Choose another name, or empty it first.");
  }
  const parent = exists ? path : nearestFolder(dirname(path));
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Failure(`You may not write to ${parent}.`, "Choose a folder of your own.", 1, { cause });
  }
  return { folder: path, name, exists };
}

function checkName(name: string): void {
  const { validForNewPackages, errors = [], warnings = [] } = validatePackageName(name);
  if (validForNewPackages) return;
  const why = [...errors, ...warnings][0] ?? "it is not allowed";
  const mended = name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 100);
  const useful = validatePackageName(mended).validForNewPackages ? mended : "my-agent";
  throw new Failure(`"${name.slice(0, 100)}" cannot be a package's name: ${why}.`, `Try ${useful}.`);
}

/** The deepest folder on the way to a path that exists. */
function nearestFolder(path: string): string {
  if (!existsSync(path)) return nearestFolder(dirname(path));
  if (!statSync(path).isDirectory()) throw new Failure(`${path} is no folder.`, "Choose another place.");
  return path;
}
