import { ComputerError } from "../errors.ts";
import type { Store } from "../vfs/store.ts";
import { HOST } from "./recorder.ts";
import type { Revision, RunChanges, Snapshot } from "./types.ts";

const MAX_NAME = 255;
const MAX_NOTE = 4096;
/** Snapshots that are kept at a time. */
const MAX_SNAPSHOTS = 10_000;

interface SnapshotRow {
  [column: string]: number | string | null;
  rev: number;
  name: string;
  note: string | null;
  time_ms: number;
}

interface RunRow {
  [column: string]: number | string | null;
  id: number;
  run: string;
  begin_ms: number;
  end: number | null;
  end_ms: number | null;
}

/** A run as it is kept. */
export interface KeptRun {
  /** Its number, which rows carry. */
  readonly number: number;
  readonly runId: string;
  /** The revision before its first change. */
  readonly before: number;
  readonly open: boolean;
}

/**
 * The revisions that can be read back. Adding one is a row or two, whatever the size of the tree: it is the next
 * change of a row that keeps the old one.
 */
export class Pins {
  readonly #store: Store;
  #lost = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Grows whenever a revision may have ceased to be readable. */
  get lost(): number {
    return this.#lost;
  }

  snapshot(name: unknown, note: unknown): Snapshot {
    checkText("name", name, MAX_NAME);
    if (note !== undefined) checkText("note", note, MAX_NOTE);
    const { sql, recorder } = this.#store;
    return sql.transaction(() => {
      if (sql.exec("SELECT 1 FROM vfs_pin WHERE kind = 'snapshot' AND name = ?", name).length > 0) {
        throw new ComputerError(
          "ERR_SNAPSHOT_EXISTS",
          `There is a snapshot ${JSON.stringify(name)} already: remove it, or choose another name.`,
        );
      }
      const [count] = sql.exec<{ n: number }>("SELECT count(*) AS n FROM vfs_pin WHERE kind = 'snapshot'");
      if ((count?.n ?? 0) >= MAX_SNAPSHOTS) {
        throw new ComputerError(
          "ERR_BAD_ARGUMENT",
          `There are ${MAX_SNAPSHOTS} snapshots: remove some first.`,
        );
      }
      const row = { rev: this.#store.latestRevision, name, note: note ?? null, time_ms: Date.now() };
      sql.exec("INSERT INTO vfs_pin VALUES (?, 'snapshot', ?, ?, ?)", row.rev, name, row.note, row.time_ms);
      recorder.forget();
      return toSnapshot(row);
    });
  }

  list(): Snapshot[] {
    return this.#store.sql
      .exec<SnapshotRow>(
        "SELECT rev, name, note, time_ms FROM vfs_pin WHERE kind = 'snapshot' ORDER BY rev, name",
      )
      .map(toSnapshot);
  }

  remove(name: unknown): void {
    checkText("name", name, MAX_NAME);
    const gone = this.#store.sql.exec(
      "DELETE FROM vfs_pin WHERE kind = 'snapshot' AND name = ? RETURNING rev",
      name,
    );
    if (gone.length === 0) throw this.#unknown(name);
    this.changed();
  }

  /** The number of a revision that can be read back. */
  resolve(revision: Revision): number {
    const rows =
      typeof revision === "string"
        ? this.#store.sql.exec<{ rev: number }>(
            "SELECT rev FROM vfs_pin WHERE kind = 'snapshot' AND name = ?",
            revision,
          )
        : this.#store.sql.exec<{ rev: number }>(
            "SELECT rev FROM vfs_pin WHERE rev = ? LIMIT 1",
            number(revision),
          );
    const [row] = rows;
    if (row === undefined) throw this.#unknown(revision);
    return row.rev;
  }

  runs(limit: number): RunChanges[] {
    return this.#store.sql
      .exec<RunRow>("SELECT * FROM vfs_run ORDER BY id DESC LIMIT ?", limit)
      .map(({ id, run, begin_ms, end, end_ms }) => ({
        runId: run,
        before: id - 1,
        after: end ?? undefined,
        began: new Date(begin_ms),
        ended: end_ms === null ? undefined : new Date(end_ms),
      }));
  }

  run(runId: unknown): KeptRun {
    const [row] =
      typeof runId === "string"
        ? this.#store.sql.exec<RunRow>("SELECT * FROM vfs_run WHERE run = ?", runId)
        : [];
    if (row !== undefined)
      return { number: row.id, runId: row.run, before: row.id - 1, open: row.end === null };
    if (!this.#store.recorder.keepsRuns) {
      throw new ComputerError(
        "ERR_HISTORY_OFF",
        "This workspace does not keep what runs change: open it with a history.",
      );
    }
    const [latest] = this.runs(1);
    throw new ComputerError(
      "ERR_UNKNOWN_RUN",
      `No changes of the run ${quote(runId)} are kept: it changed nothing, or too long ago. ${
        latest === undefined
          ? "None of any run are."
          : `The latest that are kept are those of ${latest.runId}.`
      }`,
    );
  }

  /** Whether changes of a run are kept. */
  isKept(runId: string): boolean {
    return this.#store.sql.exec("SELECT 1 FROM vfs_run WHERE run = ?", runId).length > 0;
  }

  /** The id of a run by its number. */
  runId(run: number): string | undefined {
    if (run === HOST) return undefined;
    return this.#store.sql.exec<{ run: string }>("SELECT run FROM vfs_run WHERE id = ?", run)[0]?.run;
  }

  /** A run has ended. If it changed something, the state at its end stays readable. */
  endRun(runId: string): void {
    const { sql, recorder } = this.#store;
    const [row] = sql.exec<{ id: number }>("SELECT id FROM vfs_run WHERE run = ? AND end IS NULL", runId);
    if (row === undefined) return;
    this.#end([{ id: row.id, run: runId }]);
    recorder.forget();
  }

  /** Runs that were open when the process ended have ended by now. */
  endLostRuns(): void {
    const open = this.#store.sql.exec<{ id: number; run: string }>(
      "SELECT id, run FROM vfs_run WHERE end IS NULL",
    );
    if (open.length > 0) this.#end(open);
  }

  /** Pins or runs were removed. */
  changed(): void {
    this.#lost += 1;
    this.#store.recorder.forget();
  }

  #end(runs: readonly { id: number; run: string }[]): void {
    const { sql } = this.#store;
    const [end, now] = [this.#store.latestRevision, Date.now()];
    sql.transaction(() => {
      for (const { id, run } of runs) {
        sql.exec("UPDATE vfs_run SET end = ?, end_ms = ? WHERE id = ?", end, now, id);
        sql.exec("INSERT OR IGNORE INTO vfs_pin VALUES (?, 'end', ?, NULL, ?)", end, run, now);
      }
    });
  }

  #unknown(revision: Revision): ComputerError {
    const snapshots = this.list();
    const [first] = this.#store.sql.exec<{ rev: number | null }>("SELECT min(rev) AS rev FROM vfs_pin");
    const names = snapshots.slice(-10).map(({ name }) => JSON.stringify(name));
    const there =
      first?.rev == null
        ? "nothing of the past is kept"
        : `the oldest state that is kept is revision ${first.rev}; ${
            names.length === 0 ? "there are no snapshots" : `the latest snapshots are ${names.join(", ")}`
          }`;
    return new ComputerError(
      "ERR_UNKNOWN_REVISION",
      typeof revision === "string"
        ? `There is no snapshot ${quote(revision)}: ${there}.`
        : `Revision ${revision} cannot be read back: ${there}.`,
    );
  }
}

function toSnapshot({ rev, name, note, time_ms }: SnapshotRow): Snapshot {
  return { name, note: note ?? undefined, revision: rev, time: new Date(time_ms) };
}

function checkText(what: string, value: unknown, limit: number): asserts value is string {
  if (
    typeof value === "string" &&
    value.length <= limit &&
    (value !== "" || what === "note") &&
    value.isWellFormed()
  )
    return;
  throw new ComputerError(
    "ERR_BAD_ARGUMENT",
    `The ${what} of a snapshot is a text of ${what === "note" ? 0 : 1} to ${limit} characters.`,
    { path: `/${what}` },
  );
}

function number(revision: unknown): number {
  if (typeof revision === "number" && Number.isSafeInteger(revision)) return revision;
  throw new ComputerError("ERR_BAD_ARGUMENT", "A revision is a number, or the name of a snapshot.", {
    path: "/revision",
  });
}

function quote(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 100));
}
