import { Recorder } from "../history/recorder.ts";
import { Cache } from "./cache.ts";
import { createClock, type Moment } from "./clock.ts";
import { Counters } from "./counters.ts";
import { ABSENT, EntryCache } from "./entry-cache.ts";
import { type Call, fsError } from "./errors.ts";
import { REMOVED, ROOT } from "./layout.ts";
import { decodeName } from "./names.ts";
import { isDirectory, type Node } from "./node.ts";
import type { OpenFiles } from "./open-files.ts";
import { nameBytes } from "./paths.ts";
import { damaged } from "./schema.ts";
import type { Sql } from "./sql/types.ts";
import { type Limits, Usage } from "./usage.ts";

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
  /** Of the node, as in {@link Node}. */
  readonly rev: number;
  readonly run: number;
  readonly since: number;
}

/** A node without a name, which is to be taken apart. */
export interface AsideEntry {
  readonly bytes: Uint8Array;
  readonly node: Node;
  /** The revision that took its name away, and who made that. */
  readonly asOf: number;
  readonly by: number;
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
  /** How much there is, and how much there may be. */
  readonly usage: Usage;
  /** Keeps what was before. */
  readonly recorder: Recorder;
  readonly #counters: Counters;
  readonly #clock = createClock();
  readonly #nodes = new Cache<number, Node>(8192);
  readonly #entries = new EntryCache(16384);
  /** The sizes that the rows of nodes have. */
  readonly #sizes = new WeakMap<Node, number>();
  readonly #onForget: (() => void)[] = [];
  /** Is told what changes, while somebody watches. */
  observer: StoreObserver | undefined;
  #mutating = false;
  #closed = false;
  #now: Moment = { s: 0, ns: 0 };
  #revision = 0;
  #actor: string | undefined;

  /** @param keepsRuns whether what runs change is kept as it was, see {@link Recorder}. */
  constructor(sql: Sql, keepsRuns = false, limits?: Limits) {
    this.sql = sql;
    this.recorder = new Recorder(sql, keepsRuns);
    this.usage = new Usage(sql, limits);
    this.#counters = new Counters(sql);
    this.onForget(() => this.recorder.forget());
  }

  /** Says, by throwing, whether there is a tree at all. */
  check(): void {
    if (this.find(ROOT) === undefined) throw damaged("the root directory is missing");
  }

  /**
   * Says who is at work from now on: a run by its id, or the host. Whoever changes something says so
   * before, in the same go: after an `await` somebody else may have spoken.
   */
  actAs(actor: string | undefined): void {
    this.#actor = actor;
  }

  /** Takes over a node's number from another store. */
  avoid(id: number): void {
    this.#counters.avoid(id);
  }

  /** The latest revision that was made. */
  get latestRevision(): number {
    return this.#counters.latestRevision;
  }

  /** The moment of the change being made. */
  get now(): Moment {
    return this.#now;
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
      this.usage.begin();
      const result = this.sql.transaction(() => {
        this.#now = this.#clock();
        this.#revision = this.#counters.nextRevision();
        this.recorder.begin(this.#revision, this.#actor, this.#now.s * 1000);
        const done = work();
        this.usage.check(call);
        return done;
      });
      this.#counters.keep();
      this.usage.keep();
      this.observer?.committed(this.#revision, this.#actor);
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

  /** Part of a revision: does work as of an earlier one, see {@link Recorder.asOf}. */
  asOf(revision: number, run: number, work: () => void): void {
    const current = this.#revision;
    this.#revision = revision;
    try {
      this.recorder.asOf(revision, run, work);
    } finally {
      this.#revision = current;
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
    this.usage.forget();
    for (const forget of this.#onForget) forget();
  }

  find(id: number): Node | undefined {
    const cached = this.#nodes.get(id);
    if (cached !== undefined) return cached;
    const [node] = this.sql.exec<Node>("SELECT * FROM vfs_node WHERE id = ?", id);
    if (node === undefined) return undefined;
    this.#sizes.set(node, node.size);
    this.#nodes.set(id, node);
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
      run: this.recorder.run,
      since: 0,
      parent: REMOVED,
      name: NOTHING,
    };
  }

  /** Saves a new node. It must have been entered in its directory. */
  insert(node: Node): void {
    node.rev = this.#revision;
    node.run = this.recorder.run;
    node.since = 0;
    this.sql.exec(
      "INSERT INTO vfs_node VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
      node.run,
      node.since,
      node.parent,
      node.name,
    );
    this.usage.added(node.id, node.size);
    this.#sizes.set(node, node.size);
    this.#nodes.set(node.id, node);
    if (isDirectory(node.mode)) this.#entries.created(node.id);
  }

  /** Saves a node that changed. */
  save(node: Node): void {
    this.#keep(node, node.run);
    node.run = this.recorder.run;
    this.#update(node);
  }

  /**
   * Saves a directory of which only that changed which follows from its entries: times, links. Whoever
   * changes entries has not changed the directory itself, so its `run` stays.
   */
  saveDerived(node: Node): void {
    this.#keep(node, this.recorder.run);
    node.rev = this.#revision;
    this.sql.exec(
      `UPDATE vfs_node SET nlink = ?, mtime_s = ?, mtime_ns = ?, ctime_s = ?, ctime_ns = ?, rev = ?, since = ? WHERE id = ?`,
      node.nlink,
      node.mtime_s,
      node.mtime_ns,
      node.ctime_s,
      node.ctime_ns,
      node.rev,
      node.since,
      node.id,
    );
    this.observer?.saved(node);
    this.#nodes.set(node.id, node);
  }

  #keep(node: Node, run: number): void {
    if (!this.recorder.needs(node.rev, run)) return;
    this.recorder.node(node.id);
    node.since = this.#revision;
  }

  #update(node: Node): void {
    node.rev = this.#revision;
    this.usage.resized(node.id, this.#sizes.get(node), node.size);
    this.#sizes.set(node, node.size);
    this.sql.exec(
      `UPDATE vfs_node SET mode = ?, uid = ?, gid = ?, nlink = ?, size = ?, atime_s = ?, atime_ns = ?, mtime_s = ?,
       mtime_ns = ?, ctime_s = ?, ctime_ns = ?, rev = ?, run = ?, since = ?, parent = ?, name = ? WHERE id = ?`,
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
      node.run,
      node.since,
      node.parent,
      node.name,
      node.id,
    );
    this.observer?.saved(node);
    this.#nodes.set(node.id, node);
  }

  /** Deletes nodes, many at once. */
  delete(ids: readonly number[]): void {
    const list = JSON.stringify(ids);
    this.recorder.nodes(list, ids.length);
    const which = ids.length === 1 ? "id = ?" : "id IN (SELECT value FROM json_each(?))";
    const given = ids.length === 1 ? (ids[0] as number) : list;
    if (!this.usage.counting) this.sql.exec(`DELETE FROM vfs_node WHERE ${which}`, given);
    else {
      const query = `DELETE FROM vfs_node WHERE ${which} RETURNING id, size`;
      for (const { id, size } of this.sql.exec<Gone>(query, given)) this.usage.removed(id, size);
    }
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

  /** Enters a node, which is to be saved after it, in a directory. The name must be free. */
  enter(parent: number, name: string, node: Node, call: Call): void {
    const bytes = nameBytes(name, call);
    this.#insertEntry(parent, bytes, node.id);
    node.parent = parent;
    node.name = bytes;
    this.#entries.set(parent, name, node.id);
    this.observer?.entered(parent, name, node.id);
  }

  /** Puts a node, whose name was taken away, where it is to be taken apart. */
  setAside(id: number): void {
    this.#insertEntry(REMOVED, encoder.encode(String(id)), id);
  }

  /** Takes a node off the place where it was to be taken apart. */
  clearAside(entry: AsideEntry): void {
    this.sql.exec("DELETE FROM vfs_dirent WHERE parent = ? AND name = ?", REMOVED, entry.bytes);
  }

  /** The next node to be taken apart, which is not open. */
  nextAside(open: OpenFiles): AsideEntry | undefined {
    const rows = this.sql.exec<{ name: Uint8Array; node: number; rev: number; run: number }>(
      "SELECT name, node, rev, run FROM vfs_dirent WHERE parent = ? ORDER BY name LIMIT ?",
      REMOVED,
      open.count + 1,
    );
    const row = rows.find(({ node }) => !open.has(node));
    if (row === undefined) return undefined;
    return { bytes: row.name, node: this.node(row.node), asOf: row.rev, by: row.run };
  }

  #insertEntry(parent: number, name: Uint8Array, node: number): void {
    this.sql.exec(
      "INSERT INTO vfs_dirent VALUES (?, ?, ?, ?, ?)",
      parent,
      name,
      node,
      this.#revision,
      this.recorder.run,
    );
  }

  /** Takes a name out of a directory. */
  leave(parent: number, name: string, call: Call): void {
    const bytes = nameBytes(name, call);
    this.observer?.left(parent, name, this.child(parent, name, call) ?? 0);
    this.recorder.entries(parent, bytes, bytes);
    this.sql.exec("DELETE FROM vfs_dirent WHERE parent = ? AND name = ?", parent, bytes);
    this.#entries.delete(parent, name);
  }

  /** Deletes files of which only numbers and sizes are known, very many at once. `list` has the numbers as JSON. */
  deleteFiles(ids: readonly number[], sizes: readonly number[], list: string): void {
    this.recorder.nodes(list, ids.length);
    this.sql.exec("DELETE FROM vfs_node WHERE id IN (SELECT value FROM json_each(?))", list);
    ids.forEach((id, i) => {
      this.usage.removed(id, sizes[i] ?? 0);
      this.#nodes.delete(id);
    });
  }

  /** Takes all names up to one out of a directory that no path leads to. */
  leaveUntil(parent: number, last: Uint8Array): void {
    this.recorder.entries(parent, NOTHING, last);
    this.sql.exec("DELETE FROM vfs_dirent WHERE parent = ? AND name <= ?", parent, last);
    this.#entries.drop(parent);
  }

  /** Entries of a directory in the order of their bytes, those after a name. */
  entries(parent: number, after: Uint8Array | undefined, limit: number): Entry[] {
    const rows = this.sql.exec<EntryRow>(
      `SELECT ${NAME_COLUMN} AS listed, d.node AS node, n.mode AS mode, n.nlink AS nlink, n.size AS size, n.rev AS rev,
       n.run AS run, n.since AS since FROM vfs_dirent d LEFT JOIN vfs_node n ON n.id = d.node
       WHERE d.parent = ? AND d.name > ? ORDER BY d.name LIMIT ?`,
      parent,
      after ?? NOTHING,
      limit,
    );
    return rows.map((row) => new ListedEntry(row));
  }

  /** Small content of a node. */
  inline(node: number): Uint8Array | undefined {
    return this.sql.exec<{ data: Uint8Array }>("SELECT data FROM vfs_content WHERE node = ?", node)[0]?.data;
  }

  /** The extents of a node from an index on, `count` at most. */
  extents(node: number, from: number, count: number): { idx: number; hash: Uint8Array }[] {
    return this.sql.exec<{ idx: number; hash: Uint8Array }>(
      "SELECT idx, hash FROM vfs_extent WHERE node = ? AND idx >= ? ORDER BY idx LIMIT ?",
      node,
      from,
      count,
    );
  }

  /**
   * The bytes of a node's chunks from one index to another, one by one, in no order; undefined for a chunk that is
   * missing. `use` must not touch the store.
   */
  eachChunk(
    node: number,
    from: number,
    to: number,
    use: (index: number, bytes: Uint8Array | undefined) => void,
  ): void {
    this.sql.each<ChunkRow>(
      `SELECT e.idx AS idx, b.data AS data FROM vfs_extent e ${BYTES_OF_EXTENTS} WHERE e.node = ? AND e.idx BETWEEN ? AND ?`,
      [node, from, to],
      ({ idx, data }) => use(idx, data ?? undefined),
    );
  }

  /** Whether a directory has no entries. */
  isEmpty(parent: number): boolean {
    return this.sql.exec("SELECT 1 FROM vfs_dirent WHERE parent = ? LIMIT 1", parent).length === 0;
  }
}

type Gone = { id: number; size: number };

/** A place of a file, and its bytes. */
export type ChunkRow = { idx: number; data: Uint8Array | null };

/** Leads from extents `e` to their bytes `b`. */
export const BYTES_OF_EXTENTS =
  "LEFT JOIN vfs_chunk c ON c.hash = e.hash LEFT JOIN vfs_bytes b ON b.id = c.bytes";

type EntryRow = {
  listed: string | Uint8Array;
  node: number;
  mode: number;
  nlink: number;
  size: number;
  rev: number;
  run: number;
  since: number;
};

class ListedEntry implements Entry {
  readonly name: string;
  readonly node: number;
  readonly mode: number;
  readonly nlink: number;
  readonly size: number;
  readonly rev: number;
  readonly run: number;
  readonly since: number;

  constructor({ listed, node, mode, nlink, size, rev, run, since }: EntryRow) {
    this.name = typeof listed === "string" ? listed : decodeName(listed);
    if (mode === null) throw damaged(`node ${node} is named '${this.name}', but missing`);
    this.node = node;
    this.mode = mode;
    this.nlink = nlink;
    this.size = size;
    this.rev = rev;
    this.run = run;
    this.since = since;
  }

  /** Of few entries somebody wants these. */
  get bytes(): Uint8Array {
    return nameBytes(this.name, { syscall: "scandir" });
  }
}

const NOTHING = new Uint8Array();
const encoder = new TextEncoder();
