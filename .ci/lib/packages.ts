import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The repository's root folder. */
export const ROOT: string = dirname(dirname(import.meta.dirname));

/** What the tooling reads of a package.json. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  exports?: Record<string, string | Record<string, string>>;
  imports?: Record<string, string | Record<string, string>>;
  bin?: Record<string, string>;
  files?: string[];
  workspaces?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** A workspace of the repository. */
export interface Package {
  /** Its folder, relative to the root: `framework`, `examples/quickstart`. */
  dir: string;
  /** Its folder, absolute. */
  path: string;
  manifest: Manifest;
}

/**
 * All workspaces, packages before the ones that depend on them.
 *
 * @example
 * for (const { dir } of workspaces()) console.log(dir);
 */
export function workspaces(): Package[] {
  const { workspaces: patterns = [] } = readManifest(ROOT);
  const all = patterns
    .flatMap((pattern) => (pattern.includes("*") ? globSync(pattern, { cwd: ROOT }).sort() : [pattern]))
    .filter((dir) => existsSync(join(ROOT, dir, "package.json")))
    .map((dir) => ({ dir, path: join(ROOT, dir), manifest: readManifest(join(ROOT, dir)) }));

  const sorted: Package[] = [];
  const visit = (item: Package): void => {
    if (sorted.includes(item)) return;
    const names = Object.keys({ ...item.manifest.dependencies, ...item.manifest.devDependencies });
    for (const other of all) if (other !== item && names.includes(other.manifest.name)) visit(other);
    if (!sorted.includes(item)) sorted.push(item);
  };
  for (const item of all) visit(item);
  return sorted;
}

/** The workspaces that go to the registry. */
export function publishedPackages(): Package[] {
  return workspaces().filter(({ manifest }) => manifest.private !== true);
}

/** The package.json of a folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
