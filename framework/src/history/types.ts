import type { FileSystem, NodeKind } from "../vfs/types.ts";

/** What history keeps besides named snapshots, which are kept until they are removed. */
export interface HistoryOptions {
  /** How long what a run changed can be looked at and taken back after the run has ended, in milliseconds. Default 7 days. */
  maxAgeMs?: number;
  /** How many bytes of old content are kept for that; the oldest runs are forgotten first. Default 256 MiB. */
  maxBytes?: number;
  /** How many runs are kept. Default 1000. */
  maxRuns?: number;
}

/**
 * A state of the files that can be read back: the name of a snapshot, or a revision's number as `list()` and `runs()`
 * give it.
 */
export type Revision = string | number;

/** A named snapshot. */
export interface Snapshot {
  readonly name: string;
  readonly note: string | undefined;
  readonly revision: number;
  readonly time: Date;
}

/** A run that changed files, and can still be looked at and taken back. */
export interface RunChanges {
  readonly runId: string;
  /** The revision just before the run's first change. */
  readonly before: number;
  /** The revision at which it ended; undefined while it is open. */
  readonly after: number | undefined;
  readonly began: Date;
  readonly ended: Date | undefined;
}

/** One path that differs between two revisions. */
export interface Change {
  /**
   * - `added`, `removed`: the path leads to something in one of the two only.
   * - `modified`: the same kind of thing, with another content or mode (see `content` and `mode`).
   * - `moved`: the same node under another path (`from`); its content or mode may differ too.
   * - `type`: something of another kind under the same path.
   */
  readonly kind: "added" | "removed" | "modified" | "moved" | "type";
  /** The path in the later of the two given; in the first one, when it was removed. */
  readonly path: string;
  /** Where a moved node was. */
  readonly from?: string;
  readonly type: NodeKind;
  readonly typeBefore?: NodeKind;
  /** Whether the bytes differ; of a symbolic link, its target. */
  readonly content: boolean;
  /** Whether the permission bits differ. */
  readonly mode: boolean;
  readonly sizeBefore: number | undefined;
  readonly size: number | undefined;
  /** With `patch`: the difference of two texts in the unified format. */
  readonly patch?: string;
  /** With `patch`: why there is none though the content differs. */
  readonly noPatch?: "binary" | "too large";
}

/** Options of {@link History.diff}. */
export interface DiffOptions {
  /** Only what lies at or below this path in either revision. */
  path?: string;
  /** Also tell how texts differ. Files beyond 256 KiB, and those that are no text, are said and not compared. */
  patch?: boolean;
}

/** A version of a file or folder that was kept, as {@link History.log} lists it. */
export interface FileVersion {
  /** The path it had. */
  readonly path: string;
  readonly ino: number;
  /** The first and the last revision of which this was the version; the last is undefined for the present one. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** When it was last changed. */
  readonly time: Date;
  /** The run that made it; undefined for the host, and for runs that have been forgotten. */
  readonly runId: string | undefined;
  readonly type: NodeKind;
  readonly mode: number;
  readonly size: number;
}

/** A path on which others stood in the way. */
export interface Conflict {
  readonly path: string;
  /** What was left as it is, and why. */
  readonly reason:
    | "changed since"
    | "moved since"
    | "removed since"
    | "holds others' files"
    | "name taken since"
    | "folder gone";
}

/** What {@link History.restore} did. */
export interface RestoreResult {
  /** Paths and attributes that were set back. */
  readonly changed: number;
  /** The restoring counts as a run: `undo` takes it back. Undefined when it changed nothing, and when runs are not kept. */
  readonly runId: string | undefined;
}

/** What {@link History.undo} did. */
export interface UndoResult extends RestoreResult {
  /** What the run had changed and others have changed since: it was left. At most 1,000 are listed. */
  readonly conflicts: readonly Conflict[];
  /** How many there are. */
  readonly conflictCount: number;
}

/** What {@link History.prune} did. */
export interface PruneResult {
  readonly forgottenRuns: number;
  /** Rows of the past that nothing needs any more, and that are gone. */
  readonly removedRows: number;
  /** Bytes of old content that are left. */
  readonly keptBytes: number;
}

/** What {@link History.fork} copied. */
export interface ForkResult {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Takes a fork in: a workspace's `history.receiver`. Its methods pass data only, so that it can be behind RPC.
 * A batch holds about 2 MiB at most.
 */
export interface ForkReceiver {
  /** Refuses unless the workspace is empty (`ERR_TARGET_NOT_EMPTY`). */
  begin(root: ForkColumns): Promise<void>;
  /** Which of these chunks are not there yet. */
  missing(hashes: readonly Uint8Array[]): Promise<number[]>;
  put(batch: ForkBatch): Promise<void>;
}

/** Where a fork goes: a workspace in this process, or the receiver of one that is elsewhere. */
export type ForkTarget = ForkReceiver | { readonly history: { readonly receiver: ForkReceiver } };

/** Part of a fork: names, each with the node it leads to when that is not there yet, and chunks of large files. */
export interface ForkBatch {
  readonly entries: readonly ForkEntry[];
  readonly extents: readonly { node: number; index: number; hash: Uint8Array; data?: Uint8Array }[];
}

/** A name in a fork. */
export interface ForkEntry {
  readonly parent: number;
  readonly name: Uint8Array;
  readonly node: number;
  /** The first time that the node is named. */
  readonly made?: { readonly columns: ForkColumns; readonly data?: Uint8Array };
}

/** A node in a fork. */
export type ForkColumns = Readonly<
  Record<
    | "mode"
    | "uid"
    | "gid"
    | "size"
    | "atime_s"
    | "atime_ns"
    | "mtime_s"
    | "mtime_ns"
    | "ctime_s"
    | "ctime_ns"
    | "btime_s"
    | "btime_ns",
    number
  >
>;

/**
 * `workspace.history`: the files as they were. What is kept are named snapshots, and, within the retention
 * that the workspace was opened with, what each run changed.
 *
 * @example
 * ```ts
 * await workspace.history.snapshot("before upgrade");
 * const { runId } = await workspace.runtime.exec("npm upgrade && rm -rf old").result();
 * for await (const change of workspace.history.diff("before upgrade")) console.log(change.kind, change.path);
 * await workspace.history.undo(runId);
 * ```
 */
export interface History {
  /**
   * Names the present state, and keeps it until it is removed. Takes the same short time whatever the size of the tree.
   *
   * @throws `ERR_SNAPSHOT_EXISTS` when the name is taken.
   * @example
   * ```ts
   * const { revision } = await workspace.history.snapshot("v1", "as delivered");
   * ```
   */
  snapshot(name: string, note?: string): Promise<Snapshot>;

  /**
   * The named snapshots, the oldest first.
   *
   * @example
   * ```ts
   * for (const { name, time } of await workspace.history.list()) console.log(name, time);
   * ```
   */
  list(): Promise<Snapshot[]>;

  /**
   * Forgets a snapshot; what only it kept is freed a little later.
   *
   * @throws `ERR_UNKNOWN_REVISION` when there is none of that name.
   * @example
   * ```ts
   * await workspace.history.remove("v1");
   * ```
   */
  remove(name: string): Promise<void>;

  /**
   * The runs whose changes are kept, the latest first.
   *
   * @example
   * ```ts
   * const [latest] = await workspace.history.runs();
   * ```
   */
  runs(limit?: number): Promise<RunChanges[]>;

  /**
   * The files as they were, to be read. Verbs that would change something answer `EROFS`.
   *
   * @throws `ERR_UNKNOWN_REVISION` when that state is not, or no longer, kept.
   * @example
   * ```ts
   * const old = workspace.history.at("v1");
   * console.log(await old.readFile("/notes.md", "utf8"));
   * ```
   */
  at(revision: Revision): FileSystem;

  /**
   * What differs between two states; without a second one, between the first and the present. Changes come
   * as they are found, in no order that means anything.
   *
   * @throws `ERR_UNKNOWN_REVISION` when one of the two is not kept.
   * @example
   * ```ts
   * for await (const change of workspace.history.diff("v1", "v2", { path: "/src", patch: true })) {
   *   console.log(change.patch ?? `${change.kind} ${change.path}`);
   * }
   * ```
   */
  diff(from: Revision, to?: Revision, options?: DiffOptions): AsyncIterableIterator<Change>;

  /**
   * The versions of what a path leads to that are kept, the present one first, across renames.
   *
   * @example
   * ```ts
   * for (const { time, runId, size } of await workspace.history.log("/notes.md")) console.log(time, runId, size);
   * ```
   */
  log(path: string, options?: { limit?: number }): Promise<FileVersion[]>;

  /**
   * Makes the files, or those at and below some paths, what they were. Works in small steps: if the process
   * dies between two of them, the tree is sound but only partly set back; call it again.
   *
   * @throws `ERR_UNKNOWN_REVISION` when that state is not kept.
   * @example
   * ```ts
   * await workspace.history.restore("v1", { paths: ["/src"] });
   * ```
   */
  restore(revision: Revision, options?: { paths?: readonly string[] }): Promise<RestoreResult>;

  /**
   * Takes back exactly what a run wrote. What others have changed since is left, and reported.
   *
   * @throws `ERR_UNKNOWN_RUN` when no changes of that run are kept, `ERR_HISTORY_OFF` when none ever are, `ERR_BUSY` while it is open.
   * @example
   * ```ts
   * const { conflicts } = await workspace.history.undo(runId);
   * for (const { path, reason } of conflicts) console.warn(path, reason);
   * ```
   */
  undo(runId: string): Promise<UndoResult>;

  /**
   * Copies all files, as they are or were, into an empty workspace. Goes in bounded batches. When it fails,
   * throw the target away.
   *
   * @throws `ERR_TARGET_NOT_EMPTY` when the target holds something already.
   * @example
   * ```ts
   * await using copy = await Workspace.open("copy.db");
   * await workspace.history.fork(copy, { at: "v1" });
   * ```
   */
  fork(target: ForkTarget, options?: { at?: Revision }): Promise<ForkResult>;

  /** Takes a fork from a workspace that is elsewhere. */
  readonly receiver: ForkReceiver;

  /**
   * Forgets now what is beyond the retention. Otherwise it is done by itself, a little at a time.
   *
   * @example
   * ```ts
   * const { keptBytes } = await workspace.history.prune();
   * ```
   */
  prune(): Promise<PruneResult>;
}
