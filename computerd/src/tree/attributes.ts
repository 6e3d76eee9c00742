import { E } from "./errors.ts";
import { type Inode, S_IFMT, S_ISGID, S_ISUID, S_IXGRP } from "./inode.ts";
import type { Tree } from "./tree.ts";

/** Attributes to set; what is undefined stays. */
export interface NewAttributes {
  mode?: number;
  uid?: number;
  gid?: number;
  size?: number;
  atimeSec?: number;
  atimeNsec?: number;
  mtimeSec?: number;
  mtimeNsec?: number;
  ctimeSec?: number;
  ctimeNsec?: number;
  /** Take setuid and setgid away, as a write by somebody without privilege does. */
  kill?: boolean;
  /** Whoever asks is neither privileged nor in the node's group. */
  stranger?: boolean;
}

/** The id that means "leave it". */
const NO_ID = 0xffffffff;

/** Sets attributes of a node, all in one version. */
export function setAttributes(tree: Tree, node: Inode, wanted: NewAttributes): void {
  const { size } = wanted;
  tree.begin();
  if (size !== undefined) {
    if (node.isDirectory) throw E.EISDIR;
    if (!node.isFile) throw E.EINVAL;
    resize(tree, node, size);
  }
  if (wanted.mode !== undefined) node.mode = (node.mode & S_IFMT) | (wanted.mode & 0o7777);
  if (wanted.uid !== undefined || wanted.gid !== undefined) {
    if (wanted.uid !== undefined && wanted.uid !== NO_ID) node.uid = wanted.uid;
    if (wanted.gid !== undefined && wanted.gid !== NO_ID) node.gid = wanted.gid;
    if (!node.isDirectory && wanted.mode === undefined) killPrivileges(node, wanted.stranger);
  }
  if (wanted.kill === true) killPrivileges(node, wanted.stranger);
  if (wanted.atimeSec !== undefined) {
    node.atimeSec = wanted.atimeSec;
    node.atimeNsec = wanted.atimeNsec ?? 0;
  }
  if (wanted.mtimeSec !== undefined) {
    node.mtimeSec = wanted.mtimeSec;
    node.mtimeNsec = wanted.mtimeNsec ?? 0;
  }
  if (wanted.ctimeSec !== undefined) {
    node.ctimeSec = wanted.ctimeSec;
    node.ctimeNsec = wanted.ctimeNsec ?? 0;
  } else {
    const { sec, nsec } = tree.clock.tick();
    node.ctimeSec = sec;
    node.ctimeNsec = nsec;
  }
  tree.touchAttributes(node);
}

/**
 * Takes setuid away, and setgid where the group may execute. Where it may not, setgid gives no rights, and
 * only a stranger to the group loses it.
 */
export function killPrivileges(node: Inode, stranger = false): void {
  node.mode &= ~S_ISUID;
  if ((node.mode & S_IXGRP) !== 0 || stranger) node.mode &= ~S_ISGID;
}

/** Writes bytes into a file. */
export function writeFile(
  tree: Tree,
  node: Inode,
  offset: number,
  from: Uint8Array,
  at: number,
  length: number,
): void {
  if (!node.isFile) throw E.EINVAL;
  checkSpace(tree, length);
  tree.begin();
  tree.content.write(node, offset, from, at, length);
  const { sec, nsec } = tree.clock.tick();
  node.mtimeSec = node.ctimeSec = sec;
  node.mtimeNsec = node.ctimeNsec = nsec;
  tree.touchData(node);
}

/** fallocate(2): reserve, punch a hole, or zero a range. */
export const FALLOC_KEEP_SIZE = 1;
export const FALLOC_PUNCH_HOLE = 2;
export const FALLOC_ZERO_RANGE = 16;

/** Does what fallocate(2) asks for; other modes than these three are not supported. */
export function allocate(tree: Tree, node: Inode, offset: number, length: number, mode: number): void {
  if (!node.isFile) throw E.EINVAL;
  if ((mode & ~(FALLOC_KEEP_SIZE | FALLOC_PUNCH_HOLE | FALLOC_ZERO_RANGE)) !== 0) throw E.EOPNOTSUPP;
  const end = offset + length;
  tree.begin();
  if ((mode & FALLOC_PUNCH_HOLE) !== 0) {
    if ((mode & FALLOC_KEEP_SIZE) === 0) throw E.EOPNOTSUPP;
    tree.content.punch(node, offset, Math.min(length, Math.max(0, node.size - offset)));
  } else {
    if ((mode & FALLOC_ZERO_RANGE) !== 0)
      tree.content.punch(node, offset, Math.min(length, Math.max(0, node.size - offset)));
    checkSpace(tree, length);
    tree.content.reserve(node, offset, length);
    if ((mode & FALLOC_KEEP_SIZE) === 0 && end > node.size) tree.content.resize(node, end);
  }
  const { sec, nsec } = tree.clock.tick();
  node.mtimeSec = node.ctimeSec = sec;
  node.mtimeNsec = node.ctimeNsec = nsec;
  tree.touchData(node);
}

function resize(tree: Tree, node: Inode, size: number): void {
  if (size === node.size) return;
  tree.content.resize(node, size);
  const { sec, nsec } = tree.clock.tick();
  node.mtimeSec = sec;
  node.mtimeNsec = nsec;
  tree.touchData(node);
}

function checkSpace(tree: Tree, more: number): void {
  if (tree.limits.bytes === Number.POSITIVE_INFINITY) return;
  if (tree.segments.used * 4096 + more > tree.limits.bytes) throw E.EDQUOT;
}
