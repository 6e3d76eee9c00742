import { E } from "./errors.ts";
import type { Inode } from "./inode.ts";
import type { Tree } from "./tree.ts";

const NAME_MAX = 255;
const VALUE_MAX = 65_536;
/** All names and values of one node, as on ext4's larger relatives; keeps a node from growing without bound. */
const TOTAL_MAX = 256 * 1024;
const CREATE = 1;
const REPLACE = 2;
/** What is kept: an ordinary user's attributes, and the two that only root may set. */
const KEPT = /^(user|trusted|security)\../;

/** The value of an extended attribute; undefined when it is not there. */
export function getXattr(node: Inode, name: string): Buffer | undefined {
  if (node.xattrs === undefined && KEPT.test(name)) return undefined;
  if (!KEPT.test(name)) throw E.EOPNOTSUPP;
  return node.xattrs?.get(name);
}

/** Sets an extended attribute; `flags` as in setxattr(2). */
export function setXattr(tree: Tree, node: Inode, name: string, value: Buffer, flags: number): void {
  if (!KEPT.test(name)) throw E.EOPNOTSUPP;
  if (name.length > NAME_MAX) throw E.ERANGE;
  if (value.length > VALUE_MAX) throw E.E2BIG;
  const present = node.xattrs?.has(name) === true;
  if ((flags & CREATE) !== 0 && present) throw E.EEXIST;
  if ((flags & REPLACE) !== 0 && !present) throw E.ENODATA;
  let total = name.length + value.length;
  for (const [key, held] of node.xattrs ?? []) if (key !== name) total += key.length + held.length;
  if (total > TOTAL_MAX) throw E.ENOSPC;
  node.xattrs ??= new Map();
  node.xattrs.set(name, Buffer.from(value));
  changed(tree, node);
}

/** Removes an extended attribute. */
export function removeXattr(tree: Tree, node: Inode, name: string): void {
  if (!KEPT.test(name)) throw E.EOPNOTSUPP;
  if (node.xattrs?.delete(name) !== true) throw E.ENODATA;
  if (node.xattrs.size === 0) node.xattrs = undefined;
  changed(tree, node);
}

/** The names of a node's extended attributes, each with a NUL after it. */
export function listXattrs(node: Inode): Buffer {
  if (node.xattrs === undefined) return Buffer.alloc(0);
  return Buffer.from(`${[...node.xattrs.keys()].join("\0")}\0`, "latin1");
}

function changed(tree: Tree, node: Inode): void {
  tree.begin();
  const { sec, nsec } = tree.clock.tick();
  node.ctimeSec = sec;
  node.ctimeNsec = nsec;
  tree.touchAttributes(node);
}
