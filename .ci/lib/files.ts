import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./packages.ts";

/** The project's own files, relative to the root: those in git, and new ones that it does not ignore. */
export function projectFiles(): string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return [...new Set(listed.split("\0"))]
    .filter((name) => name !== "" && existsSync(join(ROOT, name)))
    .sort();
}
