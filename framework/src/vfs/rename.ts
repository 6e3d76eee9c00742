import { type Call, fsError } from "./errors.ts";
import { isDirectory, type Node } from "./node.ts";
import type { Place, Target } from "./resolver.ts";
import type { Store } from "./store.ts";

/**
 * The node that a rename moves, when POSIX lets it move there.
 *
 * @throws the error that POSIX demands otherwise.
 */
export function movable(store: Store, from: Target, to: Target, call: Call): Node {
  if (from.unnamed !== undefined || to.unnamed !== undefined) throw fsError("EBUSY", call);
  const { node } = from;
  if (node === undefined) throw fsError("ENOENT", call);
  const moving = isDirectory(node.mode);
  if (!moving && (from.slash || to.slash)) throw fsError("ENOTDIR", call);
  if (moving && isWithin(to.parent, node.id)) throw fsError("EINVAL", call);
  if (to.node === undefined || to.node.id === node.id) return node;
  if (isWithin(from.parent, to.node.id)) throw fsError("ENOTEMPTY", call);
  if (moving && !isDirectory(to.node.mode)) throw fsError("ENOTDIR", call);
  if (!moving && isDirectory(to.node.mode)) throw fsError("EISDIR", call);
  if (moving && !store.isEmpty(to.node.id)) throw fsError("ENOTEMPTY", call);
  return node;
}

/** Whether a place is a directory or lies below it. */
function isWithin(place: Place, directory: number): boolean {
  for (let at: Place | undefined = place; at !== undefined; at = at.parent)
    if (at.id === directory) return true;
  return false;
}
