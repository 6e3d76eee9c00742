import type { Extents } from "./content/extents.ts";

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

/** A name in a directory. */
export class Dirent {
  readonly name: string;
  readonly parent: Inode;
  /** Where a listing goes on after this entry. */
  readonly cookie: number;
  /** What the name leads to; undefined when the entry was removed. */
  node: Inode | undefined;

  constructor(name: string, parent: Inode, cookie: number, node: Inode) {
    this.name = name;
    this.parent = parent;
    this.cookie = cookie;
    this.node = node;
  }
}

/** Cookies of `.` and `..`; entries have greater ones. */
export const COOKIE_SELF = 1;
export const COOKIE_PARENT = 2;

/**
 * The entries of a directory. Each has a cookie that only it has and that never changes, so that a listing
 * goes on where it stopped while other entries come and go.
 */
export class Directory {
  readonly #entries = new Map<string, Dirent>();
  /** Entries in the order of their cookies, removed ones included; built by the first listing. */
  #order: Dirent[] | undefined;
  #removed = 0;
  #lastCookie = COOKIE_PARENT;
  /** How many of the entries are directories: `nlink` is two more. */
  directories = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(name: string): Dirent | undefined {
    return this.#entries.get(name);
  }

  values(): IterableIterator<Dirent> {
    return this.#entries.values();
  }

  /** Adds a name that is not there yet. */
  add(name: string, parent: Inode, node: Inode): Dirent {
    const entry = new Dirent(name, parent, ++this.#lastCookie, node);
    this.#entries.set(name, entry);
    this.#order?.push(entry);
    return entry;
  }

  /** Removes an entry. */
  remove(entry: Dirent): void {
    this.#entries.delete(entry.name);
    entry.node = undefined;
    if (this.#order === undefined) return;
    this.#removed++;
    if (this.#removed > 64 && this.#removed * 2 > this.#order.length) {
      this.#order = this.#order.filter(({ node }) => node !== undefined);
      this.#removed = 0;
    }
  }

  /** The first entry after a cookie, and where it stands; undefined at the end. Follow with {@link at}. */
  after(cookie: number): number {
    this.#order ??= [...this.#entries.values()];
    const order = this.#order;
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((order[middle] as Dirent).cookie > cookie) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The entry at a place, which {@link after} told; removed ones have no node. Undefined past the end. */
  at(index: number): Dirent | undefined {
    return this.#order?.[index];
  }
}
