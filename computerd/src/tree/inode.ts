import type { Extents } from "./content/extents.ts";
import type { Directory, Dirent } from "./directory.ts";

/** The bits of a mode that tell the kind. */
export const S_IFMT = 0o170000;
export const S_IFREG = 0o100000;
export const S_IFDIR = 0o040000;
export const S_IFLNK = 0o120000;
export const S_ISUID = 0o4000;
export const S_ISGID = 0o2000;
export const S_IXGRP = 0o0010;

/**
 * A node of the tree. Nearly all fields are small integers, which V8 stores in place: a node is some 250
 * bytes, and with its entry and name below 500. The order of the fields is fixed by the class, so that every node has
 * the same shape.
 */
export class Inode {
  /** Where the table keeps it, and how often that place was used before: together the kernel's node id. */
  slot: number;
  generation: number;
  /** The tree's own number, `st_ino`. */
  readonly id: number;
  mode: number;
  nlink: number;
  uid = 0;
  gid = 0;
  rdev = 0;
  size = 0;
  atimeSec = 0;
  atimeNsec = 0;
  mtimeSec = 0;
  mtimeNsec = 0;
  ctimeSec = 0;
  ctimeNsec = 0;
  /** How often the kernel was told of it and has not forgotten. */
  lookups = 0;
  /** One of its names; undefined for the root and for what was unlinked. The others: `Tree.links`. */
  entry: Dirent | undefined = undefined;
  /** What a directory, a file or a symbolic link holds. */
  directory: Directory | undefined = undefined;
  extents: Extents | undefined = undefined;
  target: Buffer | undefined = undefined;
  xattrs: Map<string, Buffer> | undefined = undefined;
  /** The versions of the tree in which it was made, and in which attributes and content last changed. */
  born = 0;
  attrVersion = 0;
  dataVersion = 0;
  /** The version in which it last changed from outside. */
  outsideVersion = 0;
  /** Neighbours in the list of nodes by last change. */
  older: Inode | undefined = undefined;
  newer: Inode | undefined = undefined;
  /** Whether the table still has it. */
  alive = true;

  constructor(slot: number, generation: number, id: number, mode: number) {
    this.slot = slot;
    this.generation = generation;
    this.id = id;
    this.mode = mode;
    this.nlink = 0;
  }

  get isDirectory(): boolean {
    return (this.mode & S_IFMT) === S_IFDIR;
  }

  get isFile(): boolean {
    return (this.mode & S_IFMT) === S_IFREG;
  }

  get isSymlink(): boolean {
    return (this.mode & S_IFMT) === S_IFLNK;
  }
}
