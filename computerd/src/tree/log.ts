import type { Inode } from "./inode.ts";

/** A name that changed. */
interface NameRecord {
  version: number;
  readonly directory: Inode;
  readonly name: string;
  /** The id that the name led to before; 0: none; -1: no longer known. */
  readonly before: number;
}

/** A node that is other than it was. */
export interface NodeDelta {
  node: Inode;
  created: boolean;
  attributes: boolean;
  content: boolean;
}

/** A name that leads elsewhere than it did. */
export interface NameDelta {
  directory: Inode;
  name: string;
  /** What it leads to now; undefined: it is gone. */
  node: Inode | undefined;
  /** The id that it led to; 0: it is new, -1: not known. */
  before: number;
}

/** What changed between two versions, each thing once. */
export interface Delta {
  from: number;
  to: number;
  /** False: changes since `from` are no longer all known. Compare everything. */
  complete: boolean;
  nodes: NodeDelta[];
  names: NameDelta[];
  /** Ids of nodes that were there at `from` and that no name leads to any more. */
  removed: number[];
}

const NOWHERE = 0;
const UNKNOWN = -1;

/**
 * The tree's memory of what changed. A node remembers when it last changed, and the nodes form a list in
 * that order; of names there is a record per change. Net changes are read off both: the cost is that of the
 * changes since, and nothing when there are none.
 */
export class ChangeLog {
  /** Grows with every change of the tree. */
  version = 0;
  #newest: Inode | undefined;
  #names: NameRecord[] = [];
  /** Changes up to this version may be missing. */
  #floor = 0;
  readonly #most: number;

  /** @param most How many records of names are kept at most; beyond, old ones are merged, then dropped. */
  constructor(most = 400_000) {
    this.#most = most;
  }

  /** A node changed in the present version. */
  touch(node: Inode): void {
    if (this.#newest === node) return;
    this.#unlink(node);
    node.older = this.#newest;
    if (this.#newest !== undefined) this.#newest.newer = node;
    this.#newest = node;
  }

  /** A name changed in the present version; `before` is the id that it led to, or 0. */
  renamed(directory: Inode, name: string, before: number): void {
    this.#names.push({ version: this.version, directory, name, before });
    if (this.#names.length > this.#most) this.#compact();
  }

  /** A node is no more. */
  gone(node: Inode): void {
    this.#unlink(node);
    if (this.#newest === node) this.#newest = node.older;
    node.older = undefined;
    node.newer = undefined;
  }

  /** Starts from a version that was on record: what led to it is not known. */
  startAt(version: number): void {
    this.version = version;
    this.#floor = version;
    this.#names = [];
  }

  /** Changes up to a version need not be remembered any more. */
  forget(version: number): void {
    if (version <= this.#floor) return;
    this.#floor = Math.min(version, this.version);
    this.#names.splice(0, this.#firstAfter(this.#floor));
  }

  /** The net changes since a version. */
  since(from: number): Delta {
    const delta: Delta = {
      from,
      to: this.version,
      complete: from >= this.#floor && from <= this.version,
      nodes: [],
      names: [],
      removed: [],
    };
    if (from >= this.version) return delta;
    for (let node = this.#newest; node !== undefined; node = node.older) {
      const attributes = node.attrVersion > from;
      const content = node.dataVersion > from;
      if (!attributes && !content) break;
      if (node.nlink > 0 || node.entry !== undefined || node.id === 1)
        delta.nodes.push({ node, created: node.born > from, attributes, content });
    }
    this.#namesSince(from, delta);
    return delta;
  }

  #namesSince(from: number, delta: Delta): void {
    const seen = new Map<Inode, Set<string>>();
    const removed = new Set<number>();
    const alive = new Set<number>();
    for (let at = this.#firstAfter(from); at < this.#names.length; at++) {
      const { directory, name, before } = this.#names[at] as NameRecord;
      let names = seen.get(directory);
      if (names === undefined) seen.set(directory, (names = new Set()));
      if (names.has(name)) continue;
      names.add(name);
      const node = directory.alive ? directory.directory?.get(name)?.node : undefined;
      const now = node?.id ?? NOWHERE;
      if (node !== undefined) alive.add(now);
      if (before !== UNKNOWN && before === now) continue;
      if (before > 0) removed.add(before);
      if (directory.alive && (node !== undefined || directory.born <= from))
        delta.names.push({ directory, name, node, before });
    }
    delta.removed = [...removed].filter((id) => !alive.has(id));
  }

  #firstAfter(version: number): number {
    let low = 0;
    let high = this.#names.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#names[middle] as NameRecord).version > version) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Merges the records of one name into its last, then drops the oldest quarter if that does not help. */
  #compact(): void {
    const last = new Map<Inode, Map<string, NameRecord>>();
    let kept: NameRecord[] = [];
    for (let at = this.#names.length - 1; at >= 0; at--) {
      const record = this.#names[at] as NameRecord;
      let names = last.get(record.directory);
      if (names === undefined) last.set(record.directory, (names = new Map()));
      const newer = names.get(record.name);
      if (newer === undefined) {
        names.set(record.name, record);
        kept.push(record);
      } else if (newer.before !== UNKNOWN) {
        const merged = { ...newer, before: UNKNOWN };
        names.set(record.name, merged);
        kept[kept.indexOf(newer)] = merged;
      }
    }
    kept = kept.reverse();
    if (kept.length > this.#most * 0.75) {
      const dropped = kept.splice(0, Math.ceil(this.#most / 4));
      this.#floor = Math.max(this.#floor, dropped.at(-1)?.version ?? 0);
    }
    this.#names = kept;
  }

  #unlink(node: Inode): void {
    if (node.older !== undefined) node.older.newer = node.newer;
    if (node.newer !== undefined) node.newer.older = node.older;
    else if (this.#newest === node) this.#newest = node.older;
    node.older = undefined;
    node.newer = undefined;
  }
}
