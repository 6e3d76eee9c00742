import type { Inode } from "./inode.ts";

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
