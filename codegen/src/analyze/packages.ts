import { readFileSync } from "node:fs";
import path from "node:path";

const names = new Map<string, string | undefined>();

/** The name of the package that a file belongs to: that of the nearest package.json above it which has one. */
export function packageOf(file: string): string | undefined {
  return nameAbove(path.dirname(file));
}

function nameAbove(directory: string): string | undefined {
  if (names.has(directory)) return names.get(directory);
  const parent = path.dirname(directory);
  const name =
    readName(path.join(directory, "package.json")) ?? (parent === directory ? undefined : nameAbove(parent));
  names.set(directory, name);
  return name;
}

function readName(file: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(file, "utf8")) as { name?: unknown };
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}
