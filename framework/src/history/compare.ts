import { CHUNK_BYTES, INLINE_BYTES } from "../vfs/layout.ts";
import { isDirectory, isSymlink, type Node, PERMISSIONS } from "../vfs/node.ts";
import type { Store } from "../vfs/store.ts";
import type { NodeKind } from "../vfs/types.ts";

/** A node as some state has it. */
export interface At {
  readonly store: Store;
  readonly node: Node;
}

/** Extents that are compared in one go. */
const PAGE = 512;

/** Whether two nodes hold the same bytes. Directories do. */
export function sameContent(a: At, b: At): boolean {
  if (isDirectory(a.node.mode) || isDirectory(b.node.mode)) return true;
  const { size } = a.node;
  if (size !== b.node.size) return false;
  if (size === 0) return true;
  if (size <= INLINE_BYTES) return equalBytes(a.store.inline(a.node.id), b.store.inline(b.node.id));
  for (let from = 0; from * CHUNK_BYTES < size; ) {
    const [left, right] = [a.store.extents(a.node.id, from, PAGE), b.store.extents(b.node.id, from, PAGE)];
    if (left.length !== right.length) return false;
    for (const [i, { idx, hash }] of left.entries()) {
      const other = right[i];
      if (other?.idx !== idx || !equalBytes(other.hash, hash)) return false;
    }
    const last = left.at(-1);
    if (last === undefined || left.length < PAGE) return true;
    from = last.idx + 1;
  }
  return true;
}

export function sameKind(a: Node, b: Node): boolean {
  return (a.mode & ~PERMISSIONS) === (b.mode & ~PERMISSIONS);
}

export function samePermissions(a: Node, b: Node): boolean {
  return (a.mode & PERMISSIONS) === (b.mode & PERMISSIONS) && a.uid === b.uid && a.gid === b.gid;
}

export function kindOf({ mode }: Node): NodeKind {
  if (isDirectory(mode)) return "directory";
  return isSymlink(mode) ? "symlink" : "file";
}

export function equalBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
