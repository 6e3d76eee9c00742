import { Cache } from "./cache.ts";
import { createClock, type Moment } from "./clock.ts";
import { Counters } from "./counters.ts";
import { ABSENT, EntryCache } from "./entry-cache.ts";
import { type Call, fsError } from "./errors.ts";
import { ROOT } from "./layout.ts";
import { decodeName } from "./names.ts";
import { isDirectory, type Node } from "./node.ts";
import { nameBytes } from "./paths.ts";
import { damaged } from "./schema.ts";
import type { Sql } from "./sql/types.ts";

/**
 * A name as a column of `vfs_dirent d`: as text if it is printable ASCII, as most are, else as bytes. A buffer for
 * each of a hundred thousand names is tens of megabytes.
 */
export const NAME_COLUMN =
  "CASE WHEN CAST(d.name AS TEXT) GLOB '*[^ -~]*' THEN d.name ELSE CAST(d.name AS TEXT) END";

/** A directory's entry as it is listed. */
export interface Entry {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly node: number;
  readonly mode: number;
  readonly nlink: number;
  readonly size: number;
}

/** Is told of rows as they change, see `watch/recorder.ts`. */
export interface StoreObserver {
  /** A name was looked up. */
  found(parent: number, name: string, node: number): void;
  entered(parent: number, name: string, node: number): void;
  left(parent: number, name: string, node: number): void;
  saved(node: Node): void;
  /** All since the last call is kept, as this revision. */
  committed(revision: number, run?: string): void;
  /** Nothing since the last call is kept. */
  undone(): void;
}

/**
 * The rows of nodes and directory entries: every change of one goes through here, so that this is the
 * place to keep what was before. It is the only writer of its database and may remember what it read.
 */
export class Store {
  readonly sql: Sql;
  readonly #counters: Counters;
  readonly #clock = createClock();
  readonly #nodes = new Cache<number, Node>(8192);
  readonly #entries = new EntryCache(16384);
  readonly #onForget: (() => void)[] = [];
  /** Is told what changes, while somebody watches. */
  observer: StoreObserver | undefined;
  #mutating = false;
  #closed = false;
  #now: Moment = { s: 0, ns: 0 };
  #revision = 0;

  constructor(sql: Sql) {
    this.sql = sql;
    this.#counters = new Counters(sql);
    if (this.find(ROOT) === undefined) throw damaged("the root directory is missing");
  }

  /** The moment of the change being made. */
  get now(): Moment {
    return this.#now;
  }

  /** The latest revision that was made. */
  get latestRevision(): number {
    return this.#counters.latestRevision;
  }

  /** The revision being made. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Makes one revision: all of `work` is kept, or, when it throws, none. Work inside other work joins it.
   */
  mutate<T>(call: Call, work: () => T): T {
    if (this.#mutating) return work();
    this.#mutating = true;
    try {
      const result = this.sql.transaction(() => {
        this.#now = this.#clock();
        this.#revision = this.#counters.nextRevision();
        return work();
      });
      this.#counters.keep();
      this.observer?.committed(this.#revision);
      return result;
    } catch (error) {
      // What was remembered may be of the work that was undone.
      this.forget();
      this.observer?.undone();
      if ((error as { code?: unknown }).code === "SQLITE_FULL") throw fsError("ENOSPC", call);
      throw error;
    } finally {
      this.#mutating = false;
    }
  }

  /** Registers what else must be forgotten together with the store's memory. */
  onForget(forget: () => void): void {
    this.#onForget.push(forget);
  }

  /** Whether the database is there no more. */
  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.forget();
  }

  /** Drops everything remembered. */
  forget(): void {
    this.#nodes.clear();
    this.#entries.clear();
    this.#counters.forget();
    for (const forget of this.#onForget) forget();
  }

  find(id: number): Node | undefined {
    const cached = this.#nodes.get(id);
    if (cached !== undefined) return cached;
    const [node] = this.sql.exec<Node>("SELECT * FROM vfs_node WHERE id = ?", id);
    if (node !== undefined) this.#nodes.set(id, node);
    return node;
  }

  /** A node that some row says is there. */
  node(id: number): Node {
    const node = this.find(id);
    if (node === undefined) throw damaged(`node ${id} is named somewhere, but missing`);
    return node;
  }

  /** A new node, not yet saved: the caller completes it first. */
  create(mode: number): Node {
    const { s, ns } = this.#now;
    return {
      id: this.#counters.nextId(),
      mode,
      uid: 0,
      gid: 0,
      nlink: 1,
      size: 0,
      atime_s: s,
      atime_ns: ns,
      mtime_s: s,
      mtime_ns: ns,
      ctime_s: s,
      ctime_ns: ns,
      btime_s: s,
      btime_ns: ns,
      rev: this.#revision,
    };
  }

  insert(node: Node): void {
    this.sql.exec(
      "INSERT INTO vfs_node VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      node.id,
      node.mode,
      node.uid,
      node.gid,
      node.nlink,
      node.size,
      node.atime_s,
      node.atime_ns,
      node.mtime_s,
      node.mtime_ns,
      node.ctime_s,
      node.ctime_ns,
      node.btime_s,
      node.btime_ns,
      node.rev,
    );
    this.#nodes.set(node.id, node);
    if (isDirectory(node.mode)) this.#entries.created(node.id);
  }

  save(node: Node): void {
    node.rev = this.#revision;
    this.sql.exec(
      `UPDATE vfs_node SET mode = ?, uid = ?, gid = ?, nlink = ?, size = ?, atime_s = ?, atime_ns = ?, mtime_s = ?,
       mtime_ns = ?, ctime_s = ?, ctime_ns = ?, rev = ? WHERE id = ?`,
      node.mode,
      node.uid,
      node.gid,
      node.nlink,
      node.size,
      node.atime_s,
      node.atime_ns,
      node.mtime_s,
      node.mtime_ns,
      node.ctime_s,
      node.ctime_ns,
      node.rev,
      node.id,
    );
    this.observer?.saved(node);
    this.#nodes.set(node.id, node);
  }

  /** Deletes nodes, many at once. */
  delete(ids: readonly number[]): void {
    if (ids.length === 1) this.sql.exec("DELETE FROM vfs_node WHERE id = ?", ids[0] as number);
    else
      this.sql.exec("DELETE FROM vfs_node WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
    for (const id of ids) {
      this.#nodes.delete(id);
      this.#entries.drop(id);
    }
  }

  /** The node that a directory holds under a name. */
  child(parent: number, name: string, call: Call): number | undefined {
    const known = this.#entries.find(parent, name);
    if (known !== undefined && known !== ABSENT) {
      this.observer?.found(parent, name, known);
      return known;
    }
    const bytes = nameBytes(name, call);
    if (known === ABSENT) return undefined;
    const [row] = this.sql.exec<{ node: number }>(
      "SELECT node FROM vfs_dirent WHERE parent = ? AND name = ?",
      parent,
      bytes,
    );
    if (row !== undefined) {
      this.#entries.set(parent, name, row.node);
      this.observer?.found(parent, name, row.node);
    }
    return row?.node;
  }

  /** Enters a node in a directory, under a name that is free. */
  enter(parent: number, name: string, node: number, call: Call): void {
    this.sql.exec(
      "INSERT INTO vfs_dirent VALUES (?, ?, ?, ?)",
      parent,
      nameBytes(name, call),
      node,
      this.#revision,
    );
    this.#entries.set(parent, name, node);
    this.observer?.entered(parent, name, node);
  }

  /** Takes a name out of a directory. */
  leave(parent: number, name: string, call: Call): void {
    this.observer?.left(parent, name, this.child(parent, name, call) ?? 0);
    this.sql.exec("DELETE FROM vfs_dirent WHERE parent = ? AND name = ?", parent, nameBytes(name, call));
    this.#entries.delete(parent, name);
  }

  /** Takes names, given as listed, out of a directory. */
  leaveMany(parent: number, entries: readonly Entry[]): void {
    const [first] = entries;
    const last = entries.at(-1);
    if (first === undefined || last === undefined) return;
    this.sql.exec(
      "DELETE FROM vfs_dirent WHERE parent = ? AND name >= ? AND name <= ?",
      parent,
      first.bytes,
      last.bytes,
    );
    for (const { name } of entries) this.#entries.delete(parent, name);
  }

  /** Entries of a directory in the order of their bytes, those after a name. */
  entries(parent: number, after: Uint8Array | undefined, limit: number): Entry[] {
    const rows = this.sql.exec<EntryRow>(
      `SELECT ${NAME_COLUMN} AS listed, d.node AS node, n.mode AS mode, n.nlink AS nlink, n.size AS size
       FROM vfs_dirent d LEFT JOIN vfs_node n ON n.id = d.node
       WHERE d.parent = ? AND d.name > ? ORDER BY d.name LIMIT ?`,
      parent,
      after ?? NOTHING,
      limit,
    );
    return rows.map((row) => new ListedEntry(row));
  }

  /** Whether a directory has no entries. */
  isEmpty(parent: number): boolean {
    return this.sql.exec("SELECT 1 FROM vfs_dirent WHERE parent = ? LIMIT 1", parent).length === 0;
  }
}

type EntryRow = {
  listed: string | Uint8Array;
  node: number;
  mode: number;
  nlink: number;
  size: number;
};

class ListedEntry implements Entry {
  readonly name: string;
  readonly node: number;
  readonly mode: number;
  readonly nlink: number;
  readonly size: number;

  constructor({ listed, node, mode, nlink, size }: EntryRow) {
    this.name = typeof listed === "string" ? listed : decodeName(listed);
    if (mode === null) throw damaged(`node ${node} is named '${this.name}', but missing`);
    this.node = node;
    this.mode = mode;
    this.nlink = nlink;
    this.size = size;
  }

  /** Of few entries somebody wants these. */
  get bytes(): Uint8Array {
    return nameBytes(this.name, { syscall: "scandir" });
  }
}

const NOTHING = new Uint8Array();
