import { openNodeSql } from "#node-sqlite";
import { ComputerError } from "../errors.ts";
import { WorkspaceRuntime } from "../runtime/runtime.ts";
import type { Backend, Runtime } from "../runtime/types.ts";
import { TreeFileSystem } from "../vfs/file-system.ts";
import { inspectSchema } from "../vfs/schema.ts";
import { settle } from "../vfs/settle.ts";
import { type DurableObjectStorageLike, durableObjectSql } from "../vfs/sql/durable-object.ts";
import type { Sql } from "../vfs/sql/types.ts";
import { Tree } from "../vfs/tree.ts";
import type { FileSystem } from "../vfs/types.ts";
import type { WatchEvent, WatchOptions } from "../watch/types.ts";
import { Watches } from "../watch/watches.ts";

/** Options that every home of a workspace takes. */
export interface WorkspaceOptions {
  /** Where commands and code run, by name; the first is the default. None by default. */
  backends?: Readonly<Record<string, Backend>>;
}

/** Options of a workspace in a Durable Object. */
export interface DurableWorkspaceOptions extends WorkspaceOptions {
  /** The object's storage, `this.ctx.storage`. Its class must be SQLite-backed. */
  storage: DurableObjectStorageLike;
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
  readonly #runtime: WorkspaceRuntime;
  readonly #release: () => void;
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
    const { sql, readLimit, release } =
      (options as Partial<Record<typeof HOME, Home>>)[HOME] ?? durableHome(options);
    try {
      const tree = new Tree(sql, readLimit);
      this.#tree = tree;
      this.#release = release;
      this.fs = new TreeFileSystem(() => this.#opened());
      this.#watches = new Watches(() => this.#opened());
      this.#runtime = new WorkspaceRuntime({
        fs: this.fs,
        ...(options.backends && { backends: options.backends }),
      });
      this.runtime = this.#runtime;
      void settle(tree);
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
    if (this.#tree === undefined) return;
    const tree = this.#tree;
    try {
      await this.#runtime.close();
    } finally {
      this.#watches.close();
      this.#tree = undefined;
      tree.close();
      this.#release();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #opened(): Tree {
    if (this.#tree === undefined) throw new ComputerError("ERR_WORKSPACE_CLOSED", "The workspace is closed.");
    return this.#tree;
  }
}

/** Where a workspace's rows are. */
interface Home {
  readonly sql: Sql;
  /** Bytes of a file that are read in one piece at most. */
  readonly readLimit: number;
  /** Lets go of the database. */
  release(): void;
}

/** How the other homes hand themselves to the constructor, which in public takes a storage. */
const HOME = Symbol("home");

function fromHome(home: Home, options: WorkspaceOptions): Workspace {
  return new Workspace({ ...options, [HOME]: home } as unknown as DurableWorkspaceOptions);
}

/** A Durable Object has 128 MB of memory in all. */
const DURABLE_READ_LIMIT = 100 * 1024 * 1024;

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
  return { sql, readLimit: DURABLE_READ_LIMIT, release: () => inUse.delete(storage) };
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
    return { sql, readLimit: NODE_READ_LIMIT, release: () => sql.close() };
  } catch (error) {
    sql.close();
    throw error;
  }
}
