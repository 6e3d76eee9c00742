import type { Sql } from "../vfs/sql/types.ts";

/** The one alarm that an object has; the queue is all that may set it. */
export interface AlarmClock {
  /** Wakes the object at that moment, by calling its `alarm()`. */
  set(timeMs: number): void;
  clear(): void;
}

/** Something to be done later. */
export interface Task {
  /** What is to be done: a kind that was registered. */
  readonly kind: string;
  /** Tells tasks of a kind apart: there is one at a time for each key. */
  readonly key: string;
  /** Anything that is JSON, for the handler. */
  readonly payload: unknown;
}

/**
 * Does a task. It may be called again for a task that it has done, when the object died just then, so doing it twice must do no
 * harm. What it throws is tried again later. It may answer when it wants to be called next.
 */
export type TaskHandler = (task: Task) => Promise<undefined | { againAtMs: number }>;

interface TaskRow {
  [column: string]: string | number;
  kind: string;
  key: string;
  due_ms: number;
  attempts: number;
  payload: string;
}

/** The first wait after a failure; each further one is twice as long, up to an hour. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60 * 60 * 1000;
/** A task that has failed so often is given up, and said so. */
const MAX_ATTEMPTS = 24;
/** Tasks that are done in one alarm; the others are due at once. */
const MAX_PER_ALARM = 32;

/**
 * What is to be done later, kept in the object's own database: it survives the object, and nothing fires when
 * there is nothing to do.
 *
 * @example
 * ```ts
 * queue.register("history.prune", async () => void (await prune()));
 * queue.schedule({ kind: "history.prune", key: "", payload: null }, Date.now() + 60_000);
 * ```
 */
export class AlarmQueue {
  readonly #sql: Sql;
  readonly #clock: AlarmClock;
  readonly #now: () => number;
  readonly #handlers = new Map<string, TaskHandler>();
  #armedFor: number | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(sql: Sql, clock: AlarmClock, now: () => number = Date.now) {
    this.#sql = sql;
    this.#clock = clock;
    this.#now = now;
  }

  /** Says how tasks of a kind are done. To be called before `start`. */
  register(kind: string, handler: TaskHandler): void {
    this.#handlers.set(kind, handler);
  }

  /** Sets the alarm for what an earlier life of the object left to do. */
  start(): void {
    this.#arm();
  }

  /** Adds a task. If there is one of that kind and key, the earlier of the two moments holds. */
  schedule({ kind, key, payload }: Task, dueMs: number): void {
    this.#sql.exec(
      `INSERT INTO vfs_alarm VALUES (?, ?, ?, 0, ?) ON CONFLICT (kind, key) DO UPDATE
       SET due_ms = excluded.due_ms, payload = excluded.payload WHERE excluded.due_ms < due_ms`,
      kind,
      key,
      Math.ceil(dueMs),
      JSON.stringify(payload),
    );
    this.#arm();
  }

  /** When the task of that kind and key is due, if there is one. */
  due(kind: string, key: string): number | undefined {
    const [row] = this.#sql.exec<{ due_ms: number }>(
      "SELECT due_ms FROM vfs_alarm WHERE kind = ? AND key = ?",
      kind,
      key,
    );
    return row?.due_ms;
  }

  cancel(kind: string, key: string): void {
    this.#sql.exec("DELETE FROM vfs_alarm WHERE kind = ? AND key = ?", kind, key);
    this.#arm();
  }

  /** Does what is due. Called by the alarm; never rejects, failures are tried again by a later alarm. */
  run(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
      this.#arm();
    });
    return this.#running;
  }

  close(): void {
    this.#closed = true;
    this.#clock.clear();
  }

  async #work(): Promise<void> {
    // An alarm that has gone off is set no more.
    this.#armedFor = undefined;
    const due = this.#sql.exec<TaskRow>(
      "SELECT * FROM vfs_alarm WHERE due_ms <= ? ORDER BY due_ms LIMIT ?",
      this.#now(),
      MAX_PER_ALARM,
    );
    for (const row of due) {
      await this.#do(row);
      if (this.#closed) return;
    }
  }

  async #do(row: TaskRow): Promise<void> {
    const { kind, key, payload, due_ms } = row;
    const handler = this.#handlers.get(kind);
    try {
      if (handler === undefined) throw new Error(`Nothing is registered for tasks of the kind "${kind}".`);
      const again = await handler({ kind, key, payload: JSON.parse(payload) });
      if (this.#closed) return;
      // Unless it was scheduled anew meanwhile.
      if (this.due(kind, key) !== due_ms) return;
      if (again === undefined) this.#sql.exec("DELETE FROM vfs_alarm WHERE kind = ? AND key = ?", kind, key);
      else this.#postpone(row, Math.max(again.againAtMs, this.#now() + 1), 0);
    } catch (error) {
      if (this.#closed) return;
      this.#failed(row, error);
    }
  }

  #failed(row: TaskRow, error: unknown): void {
    const attempts = row.attempts + 1;
    if (attempts >= MAX_ATTEMPTS) {
      console.error(`A task "${row.kind}" has failed ${attempts} times and is given up.`, error);
      this.#sql.exec("DELETE FROM vfs_alarm WHERE kind = ? AND key = ?", row.kind, row.key);
      return;
    }
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));
    this.#postpone(row, this.#now() + wait, attempts);
  }

  #postpone({ kind, key }: TaskRow, dueMs: number, attempts: number): void {
    this.#sql.exec(
      "UPDATE vfs_alarm SET due_ms = ?, attempts = ? WHERE kind = ? AND key = ?",
      Math.ceil(dueMs),
      attempts,
      kind,
      key,
    );
  }

  /** Sets the alarm to the earliest task, or clears it. */
  #arm(): void {
    if (this.#closed || this.#running !== undefined) return;
    const [row] = this.#sql.exec<{ due: number | null }>("SELECT min(due_ms) AS due FROM vfs_alarm");
    const due = row?.due ?? undefined;
    if (due === this.#armedFor) return;
    this.#armedFor = due;
    if (due === undefined) this.#clock.clear();
    else this.#clock.set(due);
  }
}
