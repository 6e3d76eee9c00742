import { toBytes } from "./bytes.ts";
import { invalidType, outOfRange } from "./errors.ts";
import { openOptions } from "./options.ts";
import { parentPath } from "./paths.ts";
import type { Tree } from "./tree.ts";
import type { FileToWrite } from "./types.ts";

/** Files, and bytes of their content together, that one call reads or writes. */
const MANY_FILES = 4096;
const MANY_BYTES = 16 * 1024 * 1024;

/** Reads files, all as they are now. */
export function readMany(tree: Tree, paths: readonly string[]): Uint8Array[] {
  checkCount("paths", paths);
  let bytes = 0;
  return paths.map((path) => {
    bytes += tree.node(path, "follow", "open").size;
    checkBytes(bytes);
    return tree.read(path, "keep");
  });
}

/** Writes files in one transaction; what fails, fails for all. */
export function writeMany(tree: Tree, files: readonly FileToWrite[], parents: boolean): void {
  checkCount("files", files);
  let bytes = 0;
  const checked = files.map(({ path, data, mode, flag }) => {
    const content = toBytes(data);
    bytes += content.length;
    return { path, content, options: openOptions({ mode, flag }, "w") };
  });
  checkBytes(bytes);
  if (checked.length === 0) return;
  tree.store.mutate({ syscall: "open" }, () => {
    for (const { path, content, options } of checked) {
      if (parents && typeof path === "string") tree.mkdirs(parentPath(path), 0o755);
      tree.write(path, content, options);
    }
  });
}

function checkCount(name: string, list: unknown): void {
  if (!Array.isArray(list)) throw invalidType(name, "an array", list);
  if (list.length > MANY_FILES) throw outOfRange(`${name}.length`, `<= ${MANY_FILES}`, list.length);
}

function checkBytes(bytes: number): void {
  if (bytes > MANY_BYTES) throw outOfRange("bytes of all files", `<= ${MANY_BYTES}`, bytes);
}
