import type { Sql } from "../vfs/sql/types.ts";

/** The number of a run, as rows carry it; 0 is the host: tools, doors, whoever uses `workspace.fs`. */
export type RunNumber = number;
export const HOST: RunNumber = 0;

/** What tells whether a node's present version must be kept. */
export interface Version {
  readonly id: number;
  readonly rev: number;
  readonly run: RunNumber;
  readonly since: number;
}

/** Columns of a node, in the order of both tables. */
const NODE = `mode, uid, gid, nlink, size, atime_s, atime_ns, mtime_s, mtime_ns, ctime_s, ctime_ns, btime_s, btime_ns,
  rev, run, since, parent, name`;

/** The parameters of a condition that says which rows must be kept when they go. */
type Needed = readonly [until: number, latestPin: number, horizon: number, run: RunNumber];
const NEEDED = "(rev < ? AND (rev <= ? OR (rev > ? AND run <> ?)))";
const NEEDED_OF_NODE = NEEDED.replaceAll(/rev|run/g, "n.$&");

/**
 * Keeps rows as they were. The tree calls it for every row that is about to change or to go; it copies the
 * row to its `*_past` table when the row
 *
 * - is part of a pinned revision: `rev <= latestPin`. So a row is kept once per pin, however often it changes; or
 * - was written by somebody else: `run` differs. So what a run wrote stays apart from what others wrote, and
 *   can be taken back. Only inside the window of kept runs (`rev > horizon`).
 *
 * Without pins and without runs neither holds, and history costs nothing.
 *
 * Invariants (for `workspace.check()`; all hold between any two transactions):
 *
 * 1. A past row has `rev < until`, and `until` is at most the latest revision.
 * 2. The past rows of one key (node id; parent and name; node; node and index), in the order of `until`, do not
 *    overlap: `rev` of each is at least `until` of the one before. The live row's `rev` is at least the last `until`.
 * 3. `vfs_chunk.refs` counts the rows of vfs_extent and of vfs_extent_past together.
 * 4. Read at a pinned revision (live where `rev <= P`, else past where `rev <= P < until`), all that the root
 *    leads to is a whole tree: every entry's node is there, content is there and has the node's size, extents lie
 *    within it. Counts of links hold as well, except below what was being taken apart.
 * 5. A row's `run` is 0, a number of vfs_run, or that of a run that has been forgotten (below all numbers in vfs_run
 *    or at least below the latest revision). The number of a run is the first revision it made.
 * 6. A live node's home (`parent`, `name`) is the entry that leads to it, when it has one name.
 */
export class Recorder {
  readonly #sql: Sql;
  /** Whether runs are kept, so that they can be taken back. */
  readonly #keepsRuns: boolean;
  readonly #runs = new Map<string, RunNumber>();
  /** Revisions that must stay readable while something in this process reads them, each with how often. */
  readonly #holds = new Map<number, number>();
  readonly #onCopy: (() => void)[] = [];
  #stored: { pin: number; horizon: number } | undefined;
  #held = NONE;
  /** Who makes the revision: by name until the first row is written, by number then. */
  #actor: { id: string; nowMs: number } | undefined;
  #run: RunNumber = HOST;
  #until = 0;
  #copiedBytes = 0;

  constructor(sql: Sql, keepsRuns: boolean) {
    this.#sql = sql;
    this.#keepsRuns = keepsRuns;
  }

  /** Who makes the revision that is being made. */
  get run(): RunNumber {
    if (this.#actor !== undefined) {
      const { id, nowMs } = this.#actor;
      this.#run = this.#number(id, this.#until, nowMs);
      this.#actor = undefined;
    }
    return this.#run;
  }

  /** Whether runs are kept. */
  get keepsRuns(): boolean {
    return this.#keepsRuns;
  }

  /** Bytes that were kept since this was last asked; about. */
  takeCopiedBytes(): number {
    const bytes = this.#copiedBytes;
    this.#copiedBytes = 0;
    return bytes;
  }

  get copiedBytes(): number {
    return this.#copiedBytes;
  }

  /** Tells of rows that were kept. */
  onCopy(listener: () => void): void {
    this.#onCopy.push(listener);
  }

  /** A revision begins, made by a run of that name or by the host. Part of its transaction. */
  begin(revision: number, actor: string | undefined, nowMs: number): void {
    this.#until = revision;
    this.#run = HOST;
    this.#actor = actor === undefined || !this.#keepsRuns ? undefined : { id: actor, nowMs };
  }

  /** Pins were added or removed, runs were forgotten, or a transaction was undone. */
  forget(): void {
    this.#stored = undefined;
    this.#runs.clear();
  }

  /**
   * Does work whose rows ceased to be part of the tree at an earlier revision, made by `run`: they are kept
   * for the pins before that one only. Nothing may have changed them since.
   */
  asOf<T>(revision: number, run: RunNumber, work: () => T): T {
    const { stored, held } = { stored: this.#load(), held: this.#held };
    const [until, actor, by] = [this.#until, this.#actor, this.#run];
    this.#actor = undefined;
    const [row] = this.#sql.exec<{ pin: number | null }>(
      "SELECT max(rev) AS pin FROM vfs_pin WHERE rev < ?",
      revision,
    );
    this.#stored = { pin: row?.pin ?? NONE, horizon: stored.horizon };
    this.#held = Math.max(NONE, ...[...this.#holds.keys()].filter((rev) => rev < revision));
    this.#until = revision;
    this.#run = run;
    try {
      return work();
    } finally {
      this.#stored = stored;
      this.#held = held;
      this.#until = until;
      this.#actor = actor;
      this.#run = by;
    }
  }

  /** Does work that is to be known as a run's, whoever gives it its turn. Part of a revision. */
  onBehalfOf<T>(run: RunNumber, work: () => T): T {
    const [actor, by] = [this.#actor, this.#run];
    this.#actor = undefined;
    this.#run = run;
    try {
      return work();
    } finally {
      this.#actor = actor;
      this.#run = by;
    }
  }

  /** Keeps a revision readable until the answer is called. In memory only: a crash lets go. */
  hold(revision: number): () => void {
    this.#holds.set(revision, (this.#holds.get(revision) ?? 0) + 1);
    this.#held = Math.max(this.#held, revision);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#holds.get(revision) ?? 1) - 1;
      if (left > 0) this.#holds.set(revision, left);
      else this.#holds.delete(revision);
      this.#held = Math.max(NONE, ...this.#holds.keys());
    };
  }

  /** The revisions held in memory. */
  get holds(): number[] {
    return [...this.#holds.keys()];
  }

  /** Whether a row of this revision, written by this run, must be kept when it changes. */
  needs(rev: number, run: RunNumber): boolean {
    // Who it is comes first: a run that begins is a pin.
    const me = this.run;
    const { pin, horizon } = this.#load();
    // What this very revision wrote, nobody has seen.
    return rev < this.#until && (rev <= Math.max(pin, this.#held) || (rev > horizon && run !== me));
  }

  /** Keeps a node as the database has it. To be called before the change is saved. */
  node(id: number): void {
    this.#sql.exec(
      `INSERT INTO vfs_node_past SELECT id, ?, ${NODE} FROM vfs_node WHERE id = ?`,
      this.#until,
      id,
    );
    this.#copied(128);
  }

  /** Keeps those of many nodes, a JSON list, that must be kept. */
  nodes(list: string, count: number): void {
    if (!this.#active()) return;
    this.#sql.exec(
      `INSERT INTO vfs_node_past SELECT id, ?, ${NODE} FROM vfs_node
       WHERE id IN (SELECT value FROM json_each(?)) AND ${NEEDED}`,
      this.#until,
      list,
      ...this.#needed(),
    );
    this.#copied(128 * count);
  }

  /** Keeps the entries of a directory from one name to another, those that must be kept. */
  entries(parent: number, first: Uint8Array, last: Uint8Array): void {
    if (!this.#active()) return;
    const range = [parent, first, last] as const;
    this.#sql.exec(
      `INSERT INTO vfs_dirent_past SELECT parent, name, ?, node, rev, run, ? FROM vfs_dirent
       WHERE parent = ? AND name >= ? AND name <= ? AND ${NEEDED}`,
      this.#until,
      this.run,
      ...range,
      ...this.#needed(),
    );
    this.#copied(64);
  }

  /** Keeps small content of nodes, where it must be kept. */
  contents(nodes: readonly Version[]): void {
    const bounds = nodes
      .map((node) => [node.id, this.#bound(node)] as const)
      .filter(([, bound]) => bound > 0);
    if (bounds.length === 0) return;
    const kept = this.#sql.exec<{ bytes: number }>(
      `INSERT INTO vfs_content_past SELECT c.node, ?, c.rev, c.data FROM json_each(?) j
       JOIN vfs_content c ON c.node = json_extract(j.value, '$[0]') WHERE c.rev < json_extract(j.value, '$[1]')
       RETURNING length(data) AS bytes`,
      this.#until,
      JSON.stringify(bounds),
    );
    for (const { bytes } of kept) this.#copied(bytes + 64);
  }

  /** The same for many nodes, a JSON list, that are as the database has them; `since` is the latest of all theirs. */
  contentsOf(list: string, since: number): void {
    if (since === 0 && !this.#active()) return;
    const kept = this.#sql.exec<{ bytes: number }>(
      `INSERT INTO vfs_content_past SELECT c.node, ?, c.rev, c.data FROM vfs_node n JOIN vfs_content c ON c.node = n.id
       WHERE n.id IN (SELECT value FROM json_each(?)) AND c.rev < CASE WHEN ${NEEDED_OF_NODE} THEN ? ELSE n.since END
       RETURNING length(data) AS bytes`,
      this.#until,
      list,
      ...this.#needed(),
      this.#until,
    );
    for (const { bytes } of kept) this.#copied(bytes + 64);
  }

  /** Keeps one extent of a node if it must be kept; its use of the chunk then goes on. */
  extent(node: Version, index: number): boolean {
    const bound = this.#bound(node);
    if (bound === 0) return false;
    const kept = this.#sql.exec(
      `INSERT INTO vfs_extent_past SELECT node, idx, ?, hash, rev FROM vfs_extent
       WHERE node = ? AND idx = ? AND rev < ? RETURNING idx`,
      this.#until,
      node.id,
      index,
      bound,
    );
    if (kept.length > 0) this.#copied(CHUNK);
    return kept.length > 0;
  }

  /** Keeps those extents of a node, from a place on, that must be kept, and removes them from the live ones. */
  takeExtents(node: Version, from: number): void {
    const bound = this.#bound(node);
    if (bound === 0) return;
    const kept = this.#sql.exec<{ idx: number }>(
      `INSERT INTO vfs_extent_past SELECT node, idx, ?, hash, rev FROM vfs_extent
       WHERE node = ? AND idx >= ? AND rev < ? RETURNING idx`,
      this.#until,
      node.id,
      from,
      bound,
    );
    if (kept.length === 0) return;
    this.#sql.exec("DELETE FROM vfs_extent WHERE node = ? AND idx >= ? AND rev < ?", node.id, from, bound);
    this.#copied(CHUNK * kept.length);
  }

  /**
   * Content older than this revision belongs to a version of the node that is kept: to an earlier one, which
   * ended at `since`, or to the present one, which is kept when the node is saved.
   */
  #bound({ rev, run, since }: Version): number {
    return this.needs(rev, run) ? this.#until : since;
  }

  #active(): boolean {
    if (this.run !== HOST) return true;
    const { pin, horizon } = this.#load();
    return pin > NONE || this.#held > NONE || horizon < NEVER;
  }

  #needed(): Needed {
    const me = this.run;
    const { pin, horizon } = this.#load();
    return [this.#until, Math.max(pin, this.#held), horizon, me];
  }

  #load(): { pin: number; horizon: number } {
    if (this.#stored !== undefined) return this.#stored;
    const [pins] = this.#sql.exec<{ pin: number | null }>("SELECT max(rev) AS pin FROM vfs_pin");
    const [runs] = this.#sql.exec<{ first: number | null }>("SELECT min(id) AS first FROM vfs_run");
    const first = this.#keepsRuns ? (runs?.first ?? undefined) : undefined;
    this.#stored = { pin: pins?.pin ?? NONE, horizon: first === undefined ? NEVER : first - 1 };
    return this.#stored;
  }

  #number(actor: string, revision: number, nowMs: number): RunNumber {
    const known = this.#runs.get(actor);
    if (known !== undefined) return known;
    const [row] = this.#sql.exec<{ id: number }>("SELECT id FROM vfs_run WHERE run = ?", actor);
    const number = row?.id ?? revision;
    if (row === undefined) {
      // What was there just before its first change stays readable.
      this.#sql.exec("INSERT INTO vfs_run (id, run, begin_ms) VALUES (?, ?, ?)", number, actor, nowMs);
      this.#sql.exec("INSERT INTO vfs_pin VALUES (?, 'run', ?, NULL, ?)", number - 1, actor, nowMs);
      this.#stored = undefined;
    }
    if (this.#runs.size >= 64) this.#runs.clear();
    this.#runs.set(actor, number);
    return number;
  }

  #copied(bytes: number): void {
    this.#copiedBytes += bytes;
    for (const listener of this.#onCopy) listener();
  }
}

/** Before all revisions: there is no pin. */
const NONE = -1;

/** A revision that never comes. */
const NEVER = Number.MAX_SAFE_INTEGER;

const CHUNK = 256 * 1024;
