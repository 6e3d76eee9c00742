import type { Moment } from "./clock.ts";
import type { SqlRow } from "./sql/types.ts";
import type { NodeKind } from "./types.ts";

/** A row of the node table. Objects of this type are shared through the store's cache: change and save them there only. */
export interface Node extends SqlRow {
  readonly id: number;
  mode: number;
  uid: number;
  gid: number;
  nlink: number;
  size: number;
  atime_s: number;
  atime_ns: number;
  mtime_s: number;
  mtime_ns: number;
  ctime_s: number;
  ctime_ns: number;
  btime_s: number;
  btime_ns: number;
  rev: number;
  /** The run that made the version, by its number; 0 for the host. Derived changes of a directory leave it. */
  run: number;
  /** The revision at which this version began, where the last one that was kept ends; 0 when none was. */
  since: number;
  /** The directory of the entry that was made last for this node, and its name. */
  parent: number;
  name: Uint8Array;
}

const S_IFMT = 0o170000;
const S_IFDIR = 0o040000;
const S_IFREG = 0o100000;
const S_IFLNK = 0o120000;

/** The permission bits of a mode, those for set-id and sticky included. */
export const PERMISSIONS = 0o7777;

/** The bits of a mode that tell the kind of a node. */
export const KIND_MASK = S_IFMT;

/** The bits of a mode that say what kind of node it is. */
export const KIND_BITS: Readonly<Record<NodeKind, number>> = {
  file: S_IFREG,
  directory: S_IFDIR,
  symlink: S_IFLNK,
};

export const isDirectory = (mode: number): boolean => (mode & S_IFMT) === S_IFDIR;
export const isFile = (mode: number): boolean => (mode & S_IFMT) === S_IFREG;
export const isSymlink = (mode: number): boolean => (mode & S_IFMT) === S_IFLNK;

/** Content changed: so did the time of the last change, and of the last change of anything. */
export function touchContent(node: Node, now: Moment): void {
  node.mtime_s = now.s;
  node.mtime_ns = now.ns;
  touchMetadata(node, now);
}

/** Something about the node changed that is not its content. */
export function touchMetadata(node: Node, now: Moment): void {
  node.ctime_s = now.s;
  node.ctime_ns = now.ns;
}
