import { openNodeSql } from "#node-sqlite";
import { type AlarmStorage, durableClock, timerClock } from "../alarms/clocks.ts";
import { type AlarmClock, AlarmQueue } from "../alarms/queue.ts";
import { type CheckOptions, type CheckReport, check } from "../check/index.ts";
import { ComputerError } from "../errors.ts";
import { checkRetention, WorkspaceHistory } from "../history/history.ts";
import type { History, HistoryOptions } from "../history/types.ts";
import { WorkspaceRuntime } from "../runtime/runtime.ts";
import type { Backend, Runtime } from "../runtime/types.ts";
import { TreeFileSystem } from "../vfs/file-system.ts";
import { dropTables, inspectSchema } from "../vfs/schema.ts";
import { settle } from "../vfs/settle.ts";
import { type DurableObjectStorageLike, durableObjectSql } from "../vfs/sql/durable-object.ts";
import type { Sql } from "../vfs/sql/types.ts";
import { measure, type WorkspaceUsage } from "../vfs/stat-fs.ts";
import { Tree } from "../vfs/tree.ts";
import type { FileSystem } from "../vfs/types.ts";
import { checkQuota, type Quota } from "../vfs/usage.ts";
import type { WatchEvent, WatchOptions } from "../watch/types.ts";
import { Watches } from "../watch/watches.ts";

/** Options that every home of a workspace takes. */
export interface WorkspaceOptions {
  /** Where commands and code run, by name; the first is the default. None by default. */
  backends?: Readonly<Record<string, Backend>>;
  /** What the files may take up. Not limited by default, except by the platform. */
  quota?: Quota;
  /**
   * How long and how much of what runs change is kept, so that it can be looked at and taken back. Default: 7 days,
   * 256 MiB of old content, 1000 runs. `false` keeps nothing of it. Named snapshots are kept in any case.
   */
  history?: HistoryOptions | false;
}

/** Options of a workspace in a Durable Object. */
export interface DurableWorkspaceOptions extends WorkspaceOptions {
  /** The object's storage, `this.ctx.storage`. Its class must be SQLite-backed. */
  storage: DurableObjectStorageLike & AlarmStorage;
}

/**
 * A durable computer's files and what runs over them. Its home is a Durable Object (`new Workspace`), a
 * file on disk (`Workspace.open`), or memory (`Workspace.memory`); all three behave alike.
 *
 * @example
 * ```ts
 * await using workspace = await Workspace.memory();
 * await workspace.fs.writeFile("/hello.txt", "hello");
 * console.log(await workspace.fs.readdir("/")); // [ "hello.txt" ]
 * ```
 */
export class Workspace implements AsyncDisposable {
  /** The files. */
  readonly fs: FileSystem;
  /** Runs commands and code over the files. */
  readonly runtime: Runtime;
  /** The files as they were: snapshots, differences, what a run changed. */
  readonly history: History;
  readonly #runtime: WorkspaceRuntime;
  readonly #alarms: AlarmQueue;
  readonly #release: () => void;
  readonly #erase: () => void;
  readonly #watches: Watches;
  #tree: Tree | undefined;

  /**
   * A workspace in a Durable Object. One object's storage has one workspace at a time.
   *
   * @throws `ERR_WORKSPACE_LOCKED` when the storage has a workspace already, `ERR_WORKSPACE_NEWER` when newer code
   * wrote it, `ERR_WORKSPACE_DAMAGED` when its database is not what it should be.
   * @example
   * ```ts
   * export class Notes extends DurableObject {
   *   workspace = new Workspace({ storage: this.ctx.storage });
   * }
   * ```
   */
  constructor(options: DurableWorkspaceOptions) {
    const retention = checkRetention(options.history);
    const { sql, readLimit, storedBytes, clock, release, erase } =
      (options as Partial<Record<typeof HOME, Home>>)[HOME] ?? durableHome(options);
    try {
      const limits = { ...checkQuota(options.quota), ...(storedBytes !== undefined && { storedBytes }) };
      const tree = new Tree(sql, readLimit, { keepsRuns: retention !== undefined, limits });
      this.#tree = tree;
      this.#release = release;
      this.#erase = erase;
      this.#alarms = new AlarmQueue(
        sql,
        clock(() => void this.alarm()),
      );
      const history = new WorkspaceHistory(() => this.#opened(), this.#alarms, readLimit, retention);
      this.history = history;
      this.fs = new TreeFileSystem(() => this.#opened());
      this.#watches = new Watches(() => this.#opened());
      this.#runtime = new WorkspaceRuntime({
        fs: this.fs,
        fsOf: (runId) => new TreeFileSystem(() => this.#opened(runId)),
        onRunEnd: (runId) => this.#tree && history.endRun(runId),
        ...(options.backends && { backends: options.backends }),
      });
      this.runtime = this.#runtime;
      void settle(tree);
      history.start();
      this.#alarms.start();
    } catch (error) {
      release();
      throw error;
    }
  }

  /** A workspace in memory, for tests and for work that need not last. Only in Node. */
  static async memory(options: WorkspaceOptions = {}): Promise<Workspace> {
    return fromHome(nodeHome(undefined), options);
  }

  /**
   * A workspace in a file, made when it is not there. What a verb has acknowledged is on disk. The file is
   * locked until `close()`, or until the process ends. Only in Node.
   *
   * @throws `ERR_WORKSPACE_LOCKED` when it is open already, here or in another process; `ERR_WORKSPACE_NEWER` when
   * newer code wrote it; `ERR_WORKSPACE_DAMAGED` when it is not a workspace, or no longer a whole one.
   */
  static async open(file: string, options: WorkspaceOptions = {}): Promise<Workspace> {
    return fromHome(nodeHome(file), options);
  }

  /**
   * How much there is, how much there may be, and what is left. `fs.statfs` tells the same. The first call counts
   * what is there, in steps.
   *
   * @example
   * ```ts
   * const { bytes, entries, free } = await workspace.usage();
   * ```
   */
  usage(): Promise<WorkspaceUsage> {
    return measure(() => this.#opened());
  }

  /**
   * Looks whether the database is as it should be: links, content, counts, history. Changes nothing, but first finishes
   * what is being removed. In steps, so that others have their turn; what they change meanwhile is no problem.
   *
   * @example
   * ```ts
   * const { ok, problems } = await workspace.check();
   * for (const { code, where, what } of problems) console.error(code, where, what);
   * ```
   */
  check(options?: CheckOptions): Promise<CheckReport> {
    return check(() => this.#opened(), options);
  }

  /**
   * Ends what runs and erases the workspace, with all its files and history, for good: its tables in a Durable Object
   * (other tables there stay), its file in Node. Every later call answers `ERR_WORKSPACE_CLOSED`.
   */
  async destroy(): Promise<void> {
    this.#opened();
    await this.#end(this.#erase);
  }

  /**
   * Does what is due: forgets history beyond its retention. In a Durable Object its `alarm()` must call this; in Node a
   * timer does.
   *
   * @example
   * ```ts
   * override alarm(): Promise<void> {
   *   return this.workspace.alarm();
   * }
   * ```
   */
  async alarm(): Promise<void> {
    if (this.#tree !== undefined) await this.#alarms.run();
  }

  /** The latest revision: each change makes one, greater than all before it, with gaps. */
  get revision(): number {
    return this.#opened().store.latestRevision;
  }

  /**
   * Tells what changes under a path, in the order of revisions, from now on or after the revision `since`. The path
   * need not be there. Any number may watch, as slowly as they like: one that falls too far behind, or asks for
   * changes that are remembered no more (they are, by the thousand, from the first watch on), gets a `missed` event.
   * The iteration ends with the workspace.
   *
   * @example
   * ```ts
   * for await (const event of workspace.watch("/notes")) {
   *   if (event.kind === "missed") await lookThroughAgain();
   *   else console.log(event.kind, event.path);
   * }
   * ```
   */
  watch(path: string, options?: WatchOptions): AsyncIterableIterator<WatchEvent, undefined, undefined> {
    return this.#watches.watch(path, options);
  }

  /** Ends what runs, and lets go of the database. Every later call answers `ERR_WORKSPACE_CLOSED`. */
  async close(): Promise<void> {
    await this.#end(this.#release);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(release: () => void): Promise<void> {
    if (this.#tree === undefined) return;
    const tree = this.#tree;
    try {
      await this.#runtime.close();
    } finally {
      this.#alarms.close();
      this.#watches.close();
      this.#tree = undefined;
      tree.close();
      release();
    }
  }

  /** The tree, for the host or for a run to work on until the next `await`. */
  #opened(runId?: string): Tree {
    if (this.#tree === undefined) throw new ComputerError("ERR_WORKSPACE_CLOSED", "The workspace is closed.");
    this.#tree.store.actAs(runId);
    return this.#tree;
  }
}

/** Where a workspace's rows are. */
interface Home {
  readonly sql: Sql;
  /** Bytes of a file that are read in one piece at most. */
  readonly readLimit: number;
  /** Bytes that the database may have before growth is refused; undefined where the disk decides. */
  readonly storedBytes?: number;
  /** Makes what wakes the object. */
  clock(ring: () => void): AlarmClock;
  /** Lets go of the database. */
  release(): void;
  /** Lets go of the database and removes what is the workspace's. */
  erase(): void;
}

/** How the other homes hand themselves to the constructor, which in public takes a storage. */
const HOME = Symbol("home");

function fromHome(home: Home, options: WorkspaceOptions): Workspace {
  return new Workspace({ ...options, [HOME]: home } as unknown as DurableWorkspaceOptions);
}

/** A Durable Object has 128 MB of memory in all. */
const DURABLE_READ_LIMIT = 100 * 1024 * 1024;

/**
 * A Durable Object's database has 10 GB at most. Growth is refused before: what frees space needs some itself, and at
 * the limit nothing works any more.
 */
const DURABLE_STORED_BYTES = 10 * 1024 ** 3 - 256 * 1024 ** 2;

/** As Node's own. */
const NODE_READ_LIMIT = 2 ** 31 - 1;

const inUse = new WeakSet<DurableObjectStorageLike>();

function durableHome({ storage }: DurableWorkspaceOptions): Home {
  if (typeof storage?.sql?.exec !== "function") {
    throw new ComputerError(
      "ERR_BAD_ARGUMENT",
      "A workspace needs the storage of a SQLite-backed Durable Object: new Workspace({ storage: this.ctx.storage }).",
    );
  }
  if (inUse.has(storage)) {
    throw new ComputerError(
      "ERR_WORKSPACE_LOCKED",
      "This storage has a workspace already: make one when the object starts, and keep it.",
    );
  }
  const sql = durableObjectSql(storage);
  inUse.add(storage);
  const release = () => {
    inUse.delete(storage);
  };
  const erase = () => {
    dropTables(sql);
    release();
  };
  return {
    sql,
    readLimit: DURABLE_READ_LIMIT,
    storedBytes: DURABLE_STORED_BYTES,
    clock: (ring) => durableClock(storage, ring),
    release,
    erase,
  };
}

function nodeHome(file: string | undefined): Home {
  const sql = openNodeSql(file);
  try {
    // Looked at before anything is changed: it may be newer than this code, or not a workspace at all.
    if (file !== undefined) {
      if (inspectSchema(sql) === 0 && sql.exec("SELECT 1 FROM sqlite_master LIMIT 1").length > 0) {
        throw new ComputerError("ERR_WORKSPACE_DAMAGED", `${file} is a database, but not a workspace.`);
      }
      sql.prepareFile();
    }
    const release = () => sql.close();
    return { sql, readLimit: NODE_READ_LIMIT, clock: timerClock, release, erase: () => sql.erase() };
  } catch (error) {
    sql.close();
    throw error;
  }
}
