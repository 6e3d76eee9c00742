import { isDirectory, type Node } from "../vfs/node.ts";
import type { Entry } from "../vfs/store.ts";
import type { PastStore } from "./past-store.ts";
import { Paths } from "./paths.ts";

/** Rows that are looked at in one go, before others get a turn. */
export const STEP_ROWS = 64;

/** Time for others to have their turn. */
export const STEP = Symbol("step");
export type Step = typeof STEP;

/** A name that leads elsewhere in the later of two states. */
export interface NameChange {
  readonly directory: number;
  readonly name: Uint8Array;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** Two states to be compared, the earlier first. */
export class Span {
  readonly lo: PastStore;
  readonly hi: PastStore;
  readonly loPaths: Paths;
  readonly hiPaths: Paths;

  constructor(lo: PastStore, hi: PastStore) {
    this.lo = lo;
    this.hi = hi;
    this.loPaths = new Paths(lo, true);
    this.hiPaths = new Paths(hi, true);
  }

  /**
   * All names that changed, those below removed and below new directories included. Work is that of what
   * changed, not of what there is: a node that changed after a pin has a past row, and a new one is below a
   * directory that changed.
   */
  *names(): Generator<NameChange | Step> {
    for (const found of this.oldNodes()) {
      if (found === STEP) {
        yield STEP;
        continue;
      }
      const { id, mode } = found;
      if (!isDirectory(mode) || !this.loPaths.reaches(id) || !this.hiPaths.reaches(id)) continue;
      for (const change of this.#namesIn(id)) {
        yield change;
        if (change === STEP) continue;
        // What went along with a directory, and what came with one.
        if (change.before !== undefined && this.isGone(change.before))
          yield* this.#below(change.before, "before");
        if (change.after !== undefined && this.isNew(change.after)) yield* this.#below(change.after, "after");
      }
    }
  }

  /** Nodes of the earlier state that have changed, as they were. */
  *oldNodes(): Generator<Node | Step> {
    const { sql } = this.lo;
    for (let until = this.lo.at, id = Number.MAX_SAFE_INTEGER; ; ) {
      const rows = sql.exec<Node & { until: number }>(
        `SELECT * FROM vfs_node_past WHERE (until, id) > (?, ?) AND until <= ? AND rev <= ?
         ORDER BY until, id LIMIT ?`,
        until,
        id,
        this.hi.at,
        this.lo.at,
        STEP_ROWS,
      );
      for (const row of rows) yield row;
      const last = rows.at(-1);
      if (last === undefined || rows.length < STEP_ROWS) return;
      until = last.until;
      id = last.id;
      yield STEP;
    }
  }

  /** Whether a node of the earlier state is not in the later one. */
  isGone(id: number): boolean {
    return !this.hiPaths.reaches(id);
  }

  /** Whether a node of the later state was not in the earlier one. */
  isNew(id: number): boolean {
    return !this.loPaths.reaches(id);
  }

  *#namesIn(directory: number): Generator<NameChange | Step> {
    for (let after: Uint8Array = NOTHING; ; ) {
      const rows = this.lo.sql.exec<{ name: Uint8Array }>(
        `SELECT name FROM vfs_dirent WHERE parent = ? AND name > ? AND rev > ?
         UNION SELECT name FROM vfs_dirent_past WHERE parent = ? AND name > ? AND until > ?
         ORDER BY name LIMIT ?`,
        directory,
        after,
        this.lo.at,
        directory,
        after,
        this.lo.at,
        STEP_ROWS,
      );
      for (const { name } of rows) {
        const before = this.lo.childOf(directory, name);
        const now = this.hi.childOf(directory, name);
        if (before !== now) yield { directory, name, before, after: now };
      }
      yield STEP;
      const last = rows.at(-1);
      if (last === undefined || rows.length < STEP_ROWS) return;
      after = last.name;
    }
  }

  /** All that lies below a directory that only one of the states has, except what the other has elsewhere. */
  *#below(top: number, side: "before" | "after"): Generator<NameChange | Step> {
    const store = side === "before" ? this.lo : this.hi;
    const node = store.find(top);
    if (node === undefined || !isDirectory(node.mode)) return;
    // Depth first, so that memory is that of the depth.
    const levels: Level[] = [{ directory: top, page: [], after: undefined, more: true }];
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      if (level.page.length === 0) {
        const limit = levels.length < 256 ? STEP_ROWS : 4;
        level.page = level.more ? store.entries(level.directory, level.after, limit).reverse() : [];
        level.more = level.page.length === limit;
        yield STEP;
      }
      const entry = level.page.pop();
      if (entry === undefined) {
        levels.pop();
        continue;
      }
      level.after = entry.bytes;
      yield {
        directory: level.directory,
        name: entry.bytes,
        before: undefined,
        after: undefined,
        [side]: entry.node,
      };
      const alone = side === "before" ? this.isGone(entry.node) : this.isNew(entry.node);
      if (isDirectory(entry.mode) && alone) {
        levels.push({ directory: entry.node, page: [], after: undefined, more: true });
      }
    }
  }
}

/** A directory that is being walked; what is left of a page comes last first. */
interface Level {
  readonly directory: number;
  page: Entry[];
  after: Uint8Array | undefined;
  more: boolean;
}

const NOTHING = new Uint8Array();
