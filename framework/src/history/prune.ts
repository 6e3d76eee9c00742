import { pause } from "../vfs/pause.ts";
import type { Tree } from "../vfs/tree.ts";
import type { Pins } from "./pins.ts";
import type { HistoryOptions, PruneResult } from "./types.ts";

/** Rows of the past that are looked at in one go, and that are removed in one go. */
const STEP_ROWS = 256;
const STEP_REMOVALS = 64;

/** What is kept besides snapshots, with the defaults filled in. */
export type Retention = Required<HistoryOptions>;

/** The retention unless a workspace says otherwise. */
export const DEFAULT_RETENTION: Retention = {
  maxAgeMs: 7 * 24 * 60 * 60 * 1000,
  maxBytes: 256 * 1024 * 1024,
  maxRuns: 1000,
};

interface RunRow {
  [column: string]: number | string | null;
  id: number;
  run: string;
  end: number | null;
  end_ms: number | null;
}

interface PastRow {
  [column: string]: number | Uint8Array;
  until: number;
  rev: number;
  bytes: number;
}

/** Forgets runs beyond the retention, and removes the rows of the past that nothing needs any more. */
export class Pruning {
  readonly #tree: () => Tree;
  readonly #pins: () => Pins;
  readonly #retention: Retention;
  #removedRows = 0;
  #forgottenRuns = 0;

  constructor(tree: () => Tree, pins: () => Pins, retention: Retention) {
    this.#tree = tree;
    this.#pins = pins;
    this.#retention = retention;
  }

  async run(nowMs: number): Promise<PruneResult> {
    const { maxAgeMs, maxBytes, maxRuns } = this.#retention;
    this.#tree().store.recorder.takeCopiedBytes();
    await this.#forget(({ end_ms }, rank) => rank >= maxRuns || (end_ms ?? nowMs) <= nowMs - maxAgeMs);
    let usage = await this.#sweep();
    for (let round = 0; usage.total > maxBytes && round < 8; round++) {
      const horizon = usage.horizonFor(maxBytes);
      if ((await this.#forget(({ id }) => id - 1 < horizon)) === 0) break;
      usage = await this.#sweep();
    }
    return { forgottenRuns: this.#forgottenRuns, removedRows: this.#removedRows, keptBytes: usage.total };
  }

  /** Forgets ended runs, the rank of the latest being 0. Answers how many. */
  async #forget(which: (run: RunRow, rank: number) => boolean): Promise<number> {
    let forgotten = 0;
    let rank = 0;
    for (let below = Number.MAX_SAFE_INTEGER; ; ) {
      const { sql } = this.#tree().store;
      const rows = sql.exec<RunRow>(
        "SELECT id, run, end, end_ms FROM vfs_run WHERE id < ? ORDER BY id DESC LIMIT ?",
        below,
        STEP_REMOVALS,
      );
      const last = rows.at(-1);
      if (last === undefined) return forgotten;
      below = last.id;
      const gone = rows.filter((row) => which(row, rank++) && row.end !== null);
      if (gone.length > 0) {
        sql.transaction(() => {
          for (const { id, run, end } of gone) {
            sql.exec("DELETE FROM vfs_run WHERE id = ?", id);
            sql.exec("DELETE FROM vfs_pin WHERE rev = ? AND kind = 'run' AND name = ?", id - 1, run);
            sql.exec("DELETE FROM vfs_pin WHERE rev = ? AND kind = 'end' AND name = ?", end ?? 0, run);
          }
        });
        this.#pins().changed();
        forgotten += gone.length;
        this.#forgottenRuns += gone.length;
      }
      await pause();
    }
  }

  async #sweep(): Promise<Usage> {
    const { store } = this.#tree();
    const { sql, recorder } = store;
    const befores = sql.exec<{ id: number }>("SELECT id FROM vfs_run ORDER BY id").map(({ id }) => id - 1);
    const pins = sql
      .exec<{ rev: number }>("SELECT DISTINCT rev FROM vfs_pin ORDER BY rev")
      .map(({ rev }) => rev);
    const forEver = sql
      .exec<{ rev: number }>("SELECT DISTINCT rev FROM vfs_pin WHERE kind NOT IN ('run', 'end') ORDER BY rev")
      .map(({ rev }) => rev);
    const held = [...pins, ...recorder.holds].sort((a, b) => a - b);
    const horizon = befores[0] ?? Number.MAX_SAFE_INTEGER;
    const usage = new Usage(befores);
    // Inside the window of kept runs everything stays, since what lies between two pins is needed to take back.
    const needed = ({ rev, until }: PastRow) => until > horizon || hasBetween(held, rev, until);
    const count = (row: PastRow) => {
      if (!hasBetween(forEver, row.rev, row.until)) usage.add(row.until, row.bytes);
    };
    for (const table of TABLES) await this.#sweepTable(table, needed, count);
    return usage;
  }

  async #sweepTable(
    table: Table,
    needed: (row: PastRow) => boolean,
    count: (row: PastRow) => void,
  ): Promise<void> {
    for (let after: PastRow | undefined; ; ) {
      const { sql } = this.#tree().store;
      const key = after === undefined ? table.first : table.key(after);
      const rows = sql.exec<PastRow>(table.page, ...key, STEP_ROWS);
      const gone: PastRow[] = [];
      for (const row of rows) {
        if (needed(row)) count(row);
        else gone.push(row);
      }
      for (let i = 0; i < gone.length; i += STEP_REMOVALS) {
        const part = gone.slice(i, i + STEP_REMOVALS);
        const { chunks } = this.#tree();
        sql.transaction(() => {
          for (const row of part) {
            sql.exec(table.remove, ...table.key(row));
            if (table.counted) chunks.removeUse(row.hash as Uint8Array);
          }
        });
        this.#removedRows += part.length;
        if (i > 0) await pause();
      }
      after = rows.at(-1);
      if (after === undefined || rows.length < STEP_ROWS) return;
      await pause();
    }
  }
}

/** Bytes of content that are kept for runs, by where they lie between the beginnings of runs. */
class Usage {
  readonly #befores: readonly number[];
  readonly #bytes: number[];
  total = 0;

  constructor(befores: readonly number[]) {
    this.#befores = befores;
    this.#bytes = new Array(befores.length + 1).fill(0);
  }

  add(until: number, bytes: number): void {
    this.total += bytes;
    const i = countBelow(this.#befores, until);
    this.#bytes[i] = (this.#bytes[i] ?? 0) + bytes;
  }

  /** The revision at which the first run must begin so that no more than so many bytes are kept. */
  horizonFor(maxBytes: number): number {
    let left = this.total;
    for (const [i, before] of this.#befores.entries()) {
      if (left <= maxBytes) return before;
      // Forgetting the run before this one frees what ended by the beginning of this one.
      left -= this.#bytes[i + 1] ?? 0;
    }
    return Number.MAX_SAFE_INTEGER;
  }
}

/** How many of some ascending numbers are below one. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether one of some ascending numbers lies between two, the first included. */
function hasBetween(numbers: readonly number[], from: number, until: number): boolean {
  return countBelow(numbers, until) > countBelow(numbers, from);
}

interface Table {
  readonly page: string;
  readonly remove: string;
  /** Where the first page begins. */
  readonly first: readonly (number | Uint8Array)[];
  key(row: PastRow): (number | Uint8Array)[];
  /** Its rows are uses of chunks. */
  readonly counted?: boolean;
}

const TABLES: readonly Table[] = [
  {
    page: `SELECT id, until, rev, 0 AS bytes FROM vfs_node_past WHERE (id, until) > (?, ?) ORDER BY id, until LIMIT ?`,
    remove: "DELETE FROM vfs_node_past WHERE id = ? AND until = ?",
    first: [0, 0],
    key: (row) => [row.id as number, row.until],
  },
  {
    page: `SELECT parent, name, until, rev, 0 AS bytes FROM vfs_dirent_past
           WHERE (parent, name, until) > (?, ?, ?) ORDER BY parent, name, until LIMIT ?`,
    remove: "DELETE FROM vfs_dirent_past WHERE parent = ? AND name = ? AND until = ?",
    first: [-1, new Uint8Array(), 0],
    key: (row) => [row.parent as number, row.name as Uint8Array, row.until],
  },
  {
    page: `SELECT node, until, rev, length(data) AS bytes FROM vfs_content_past
           WHERE (node, until) > (?, ?) ORDER BY node, until LIMIT ?`,
    remove: "DELETE FROM vfs_content_past WHERE node = ? AND until = ?",
    first: [0, 0],
    key: (row) => [row.node as number, row.until],
  },
  {
    page: `SELECT e.node, e.idx, e.until, e.rev, e.hash, c.size AS bytes FROM vfs_extent_past e
           LEFT JOIN vfs_chunk c ON c.hash = e.hash
           WHERE (e.node, e.idx, e.until) > (?, ?, ?) ORDER BY e.node, e.idx, e.until LIMIT ?`,
    remove: "DELETE FROM vfs_extent_past WHERE node = ? AND idx = ? AND until = ?",
    first: [0, 0, 0],
    key: (row) => [row.node as number, row.idx as number, row.until],
    counted: true,
  },
];
