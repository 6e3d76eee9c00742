import type { Inode } from "./inode.ts";

/** A name that changed. */
interface NameRecord {
  version: number;
  readonly directory: Inode;
  readonly name: string;
  /** The id that the name led to before; 0: none; -1: no longer known. */
  readonly before: number;
  /** What it led to afterwards, if the change came from outside; -1: it did not. */
  readonly outside: number;
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
  /** Directories in which names changed, if only for a while: their times did. */
  directories: Inode[];
}

const NOWHERE = 0;
const UNKNOWN = -1;
const INSIDE = -1;

/**
 * The tree's memory of what changed. A node remembers when it last changed, and the nodes form a list in
 * that order; of names there is a record per change. Net changes are read off both: the cost is that of the
 * changes since, and nothing when there are none.
 */
export class ChangeLog {
  /** Grows with every change of the tree. */
  version = 0;
  /** Whether what happens now comes from outside, where it is known already. */
  outside = false;
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

  /** A name changed in the present version: the ids that it led to before and leads to now, 0 for none. */
  renamed(directory: Inode, name: string, before: number, after: number): void {
    const outside = this.outside ? after : INSIDE;
    this.#names.push({ version: this.version, directory, name, before, outside });
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

  /**
   * The net changes since a version.
   *
   * @param all With what came from outside; otherwise only what happened inside.
   */
  since(from: number, all = false): Delta {
    const delta: Delta = {
      from,
      to: this.version,
      complete: from >= this.#floor && from <= this.version,
      nodes: [],
      names: [],
      removed: [],
      directories: [],
    };
    if (from >= this.version) return delta;
    for (let node = this.#newest; node !== undefined; node = node.older) {
      const outside = node.outsideVersion > from;
      const attributes = node.attrVersion > from || (all && outside);
      const content = node.dataVersion > from || (all && outside);
      if (!attributes && !content && !outside) break;
      if ((attributes || content) && (node.entry !== undefined || node.id === 1))
        delta.nodes.push({ node, created: node.born > from, attributes, content });
    }
    this.#namesSince(from, delta, all);
    return delta;
  }

  #namesSince(from: number, delta: Delta, all: boolean): void {
    const known = new Map<Inode, Map<string, number>>();
    for (let at = this.#firstAfter(from); at < this.#names.length; at++) {
      const { directory, name, before, outside } = this.#names[at] as NameRecord;
      let names = known.get(directory);
      if (names === undefined) {
        names = new Map();
        known.set(directory, names);
      }
      // What came from outside is what the other side knows: changes count from there.
      if (outside !== INSIDE && !all) names.set(name, outside);
      else if (!names.has(name)) names.set(name, before);
    }
    const removed = new Set<number>();
    const alive = new Set<number>();
    for (const [directory, names] of known) {
      if (directory.alive) delta.directories.push(directory);
      for (const [name, before] of names) {
        const node = directory.alive ? directory.directory?.get(name)?.node : undefined;
        const now = node?.id ?? NOWHERE;
        if (node !== undefined) alive.add(now);
        if (before === now) continue;
        if (before > 0) removed.add(before);
        if (directory.alive && (node !== undefined || directory.born <= from))
          delta.names.push({ directory, name, node, before });
      }
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
    const last = new Map<Inode, Map<string, number>>();
    let kept: NameRecord[] = [];
    for (let at = this.#names.length - 1; at >= 0; at--) {
      const record = this.#names[at] as NameRecord;
      let names = last.get(record.directory);
      if (names === undefined) {
        names = new Map();
        last.set(record.directory, names);
      }
      const newer = names.get(record.name);
      if (newer === undefined) {
        names.set(record.name, kept.length);
        kept.push(record);
      } else kept[newer] = { ...(kept[newer] as NameRecord), before: UNKNOWN };
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
