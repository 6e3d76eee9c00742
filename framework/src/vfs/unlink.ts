import { fsError } from "./errors.ts";
import { ROOT } from "./layout.ts";
import { isDirectory } from "./node.ts";
import type { Tree } from "./tree.ts";

/** Takes a name away that is not a directory's. */
export function unlink(tree: Tree, path: string): void {
  const call = { syscall: "unlink", path };
  const target = tree.resolver.locate(path, "never", call);
  const { node } = target;
  if (node === undefined) throw fsError("ENOENT", call);
  if (isDirectory(node.mode)) throw fsError("EISDIR", call);
  if (target.slash) throw fsError("ENOTDIR", call);
  tree.store.mutate(call, () => tree.removal.unlink({ ...target, node }, call));
}

/** Removes an empty directory. */
export function rmdir(tree: Tree, path: string): void {
  const call = { syscall: "rmdir", path };
  const target = tree.resolver.locate(path, "never", call);
  const { node, unnamed } = target;
  if (node === undefined) throw fsError("ENOENT", call);
  if (!isDirectory(node.mode)) throw fsError("ENOTDIR", call);
  if (unnamed?.id === ROOT && !/\.\/*$/.test(path)) throw fsError("EBUSY", call);
  if (unnamed !== undefined) throw fsError(/(^|\/)\.\/*$/.test(path) ? "EINVAL" : "ENOTEMPTY", call);
  if (!tree.store.isEmpty(node.id)) throw fsError("ENOTEMPTY", call);
  tree.store.mutate(call, () => tree.removal.unlink({ ...target, node }, call));
}
