import type { AlarmQueue } from "../alarms/queue.ts";
import { ComputerError } from "../errors.ts";
import { checkPath } from "../vfs/paths.ts";
import { settle } from "../vfs/settle.ts";
import type { Tree } from "../vfs/tree.ts";
import type { FileSystem } from "../vfs/types.ts";
import { Diff } from "./diff.ts";
import { fileLog } from "./file-log.ts";
import { Fork } from "./fork.ts";
import { TreeReceiver } from "./fork-receiver.ts";
import { Pins } from "./pins.ts";
import { DEFAULT_RETENTION, Pruning, type Retention } from "./prune.ts";
import { Restore } from "./restore.ts";
import { changeInSteps, findInSteps } from "./steps.ts";
import type {
  Change,
  DiffOptions,
  FileVersion,
  ForkReceiver,
  ForkResult,
  ForkTarget,
  History,
  HistoryOptions,
  PruneResult,
  RestoreResult,
  Revision,
  RunChanges,
  Snapshot,
  UndoResult,
} from "./types.ts";
import { Undo } from "./undo.ts";
import { type Held, Views } from "./views.ts";

const PRUNE = "history.prune";
/** Pruning is put off by this much, so that what is removed together is pruned together. */
const PRUNE_SOON_MS = 60_000;
/** Runs are forgotten at most this often, each a little late. */
const PRUNE_EVERY_MS = 60 * 60 * 1000;

/** The retention that options ask for: `false` keeps nothing but snapshots. */
export function checkRetention(options: HistoryOptions | false | undefined): Retention | undefined {
  if (options === false) return undefined;
  const retention = { ...DEFAULT_RETENTION, ...options };
  for (const [key, value] of Object.entries(retention)) {
    if (!(key in DEFAULT_RETENTION) || typeof value !== "number" || !(value >= 0)) {
      throw new ComputerError(
        "ERR_BAD_ARGUMENT",
        "The history option is false, or holds numbers: maxAgeMs, maxBytes, maxRuns.",
        { path: `/history/${key}` },
      );
    }
  }
  return retention;
}

/** The history of one workspace's tree. */
export class WorkspaceHistory implements History {
  readonly receiver: ForkReceiver;
  readonly #tree: () => Tree;
  readonly #alarms: AlarmQueue;
  readonly #retention: Retention | undefined;
  readonly #pins: Pins;
  readonly #views: Views;
  #noticed = false;

  constructor(tree: () => Tree, alarms: AlarmQueue, readLimit: number, retention: Retention | undefined) {
    this.#tree = tree;
    this.#alarms = alarms;
    this.#retention = retention;
    this.#pins = new Pins(tree().store);
    this.#views = new Views(tree, () => this.#pins, readLimit);
    this.receiver = new TreeReceiver(tree);
    alarms.register(PRUNE, async () => {
      await this.prune();
      const next = this.#nextExpiry();
      return next === undefined ? undefined : { againAtMs: next };
    });
    tree().store.recorder.onCopy(() => this.#notice());
  }

  /** What an earlier life of the object left: runs that were open, and too much of what is kept. */
  start(): void {
    this.#pins.endLostRuns();
    if (this.#retention === undefined && this.#pins.runs(1).length > 0) this.#pruneSoon();
  }

  /** A run has ended. */
  endRun(runId: string): void {
    if (!this.#tree().store.recorder.keepsRuns) return;
    this.#pins.endRun(runId);
    const next = this.#nextExpiry();
    if (next !== undefined) this.#alarms.schedule({ kind: PRUNE, key: "", payload: null }, next);
  }

  async snapshot(name: string, note?: string): Promise<Snapshot> {
    this.#tree();
    return this.#pins.snapshot(name, note);
  }

  async list(): Promise<Snapshot[]> {
    this.#tree();
    return this.#pins.list();
  }

  async remove(name: string): Promise<void> {
    this.#tree();
    this.#pins.remove(name);
    this.#pruneSoon();
  }

  async runs(limit = 100): Promise<RunChanges[]> {
    this.#tree();
    return this.#pins.runs(checkLimit(limit));
  }

  at(revision: Revision): FileSystem {
    this.#tree();
    return this.#views.files(revision);
  }

  async *diff(from: Revision, to?: Revision, options: DiffOptions = {}): AsyncIterableIterator<Change> {
    this.#tree();
    if (options.path !== undefined) checkPath(options.path, { syscall: "diff", path: options.path });
    const holds: Held[] = [];
    try {
      holds.push(this.#views.hold(from));
      holds.push(this.#views.hold(to));
      const [a, b] = holds as [Held, Held];
      yield* findInSteps(this.#tree, new Diff(a, b, options).changes());
    } finally {
      for (const held of holds) held.release();
    }
  }

  async log(path: string, { limit = 100 }: { limit?: number } = {}): Promise<FileVersion[]> {
    return fileLog(this.#tree(), this.#pins, path, checkLimit(limit));
  }

  async restore(revision: Revision, { paths }: { paths?: readonly string[] } = {}): Promise<RestoreResult> {
    for (const path of paths ?? []) checkPath(path, { syscall: "restore", path });
    await settle(this.#tree());
    const was = this.#views.hold(revision);
    try {
      return await this.#asRun("restore", async (actor) => {
        let changed = 0;
        for (const path of paths ?? ["/"]) {
          // Each path against the present that the one before left.
          const now = this.#views.hold();
          try {
            const restore = new Restore(this.#tree(), was, now);
            await changeInSteps(this.#tree, actor, path === "/" ? restore.all() : restore.path(path));
            changed += restore.placer.count;
          } finally {
            now.release();
          }
          await settle(this.#tree());
        }
        return { changed };
      });
    } finally {
      was.release();
    }
  }

  async undo(runId: string): Promise<UndoResult> {
    this.#tree();
    const run = this.#pins.run(runId);
    if (run.open) {
      throw new ComputerError("ERR_BUSY", `The run ${runId} has not ended: wait for it, or kill it, first.`);
    }
    await settle(this.#tree());
    const before = this.#views.hold(run.before);
    const now = this.#views.hold();
    try {
      return await this.#asRun("undo", async (actor) => {
        const undo = new Undo(this.#tree(), this.#views, run, before, now);
        await changeInSteps(this.#tree, actor, undo.work());
        await settle(this.#tree());
        const { conflicts, conflictCount } = undo;
        return { changed: undo.placer.count, conflicts, conflictCount };
      });
    } finally {
      now.release();
      before.release();
    }
  }

  async fork(target: ForkTarget, { at }: { at?: Revision } = {}): Promise<ForkResult> {
    this.#tree();
    const from = this.#views.hold(at);
    try {
      return await new Fork(from, "history" in target ? target.history.receiver : target).run();
    } finally {
      from.release();
    }
  }

  async prune(): Promise<PruneResult> {
    const retention = this.#retention ?? { maxAgeMs: 0, maxBytes: 0, maxRuns: 0 };
    this.#noticed = false;
    return new Pruning(this.#tree, () => this.#pins, retention).run(Date.now());
  }

  /** Lets something that changes files count as a run, so that it can be taken back as well. */
  async #asRun<Result>(
    what: string,
    work: (actor: string) => Promise<Result>,
  ): Promise<Result & { runId: string | undefined }> {
    const runId = `${what}-${crypto.randomUUID()}`;
    try {
      const result = await work(runId);
      return { ...result, runId: this.#pins.isKept(runId) ? runId : undefined };
    } finally {
      this.endRun(runId);
    }
  }

  /** When the oldest of the runs that ended is to be forgotten. */
  #nextExpiry(): number | undefined {
    const [row] = this.#tree().store.sql.exec<{ first: number | null }>(
      "SELECT min(end_ms) AS first FROM vfs_run WHERE end IS NOT NULL",
    );
    if (row?.first == null || this.#retention === undefined) return undefined;
    return Math.max(row.first + this.#retention.maxAgeMs, Date.now() + PRUNE_EVERY_MS);
  }

  #pruneSoon(): void {
    this.#alarms.schedule({ kind: PRUNE, key: "", payload: null }, Date.now() + PRUNE_SOON_MS);
  }

  /** Something was kept: when it is much, or perhaps only for a reader that will soon be done, it is pruned soon. */
  #notice(): void {
    if (this.#noticed) return;
    const { copiedBytes, keepsRuns, holds } = this.#tree().store.recorder;
    const much = keepsRuns && copiedBytes >= (this.#retention?.maxBytes ?? 0) / 8;
    if (!much && holds.length === 0) return;
    this.#noticed = true;
    // After the change that is being made.
    queueMicrotask(() => {
      try {
        this.#pruneSoon();
      } catch {
        // It was closed, or is full: there will be another occasion.
        this.#noticed = false;
      }
    });
  }
}

function checkLimit(limit: unknown): number {
  if (typeof limit === "number" && Number.isInteger(limit) && limit > 0) return Math.min(limit, 1000);
  throw new ComputerError("ERR_BAD_ARGUMENT", "A limit is an integer above 0; at most 1000 count.", {
    path: "/limit",
  });
}
