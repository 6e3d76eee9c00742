import type { DriverName } from "../probe/probe.ts";
import type { ApplyOptions, ApplyResult, ChangeSet, NodeState, TreeChanges } from "../tree/changes.ts";
import type { ListedEntry, TreeStatus } from "../tree/service.ts";
import type { TreeLimits } from "../tree/tree.ts";

/** Where and how a tree is shown. */
export interface MountOptions {
  /** The folder at which the tree appears. It is made if it is not there. */
  path: string;
  /** The folder that holds the tree between starts: contents and a journal. It belongs to one mount at a time. */
  store: string;
  /** Bounds of the tree; beyond them writers get EDQUOT. */
  limits?: Partial<TreeLimits>;
  /**
   * Kernel driver: wait actively for the next request where that is measured to be faster. Default true.
   * Where CPU time is paid for or rationed, false saves some.
   */
  spin?: boolean;
}

/** A tree at a path: processes work on it there, and this program from behind. */
export interface Mount extends AsyncDisposable {
  readonly driver: DriverName;
  readonly path: string;
  /** Resolves with the reason when the mount is over, whether it was closed or taken away. */
  readonly ended: Promise<string>;

  status(): Promise<TreeStatus>;

  /** What a path from the tree's root leads to; symbolic links are not followed. */
  find(path: string): Promise<NodeState | undefined>;

  /** The entries of a directory, by its id. The root's id is 1. */
  list(id: number): Promise<ListedEntry[]>;

  /**
   * The bytes of a file, by its id, in pieces: all from one version, whoever writes meanwhile.
   *
   * @example
   * for await (const piece of mount.read(node.id)) hash.update(piece);
   */
  read(id: number): AsyncIterable<Uint8Array>;

  /**
   * Brings changes from outside into the tree. When this resolves, no process sees what was before: not by a
   * name, not in a listing, not in a file that it opens now. What holds something open that is gone or was
   * replaced gets ESTALE, and watchers have heard of it.
   */
  apply(changes: ChangeSet, options?: ApplyOptions): Promise<ApplyResult>;

  /**
   * What happened inside since a version, each thing once and without what was undone again. What
   * {@link apply} brought is not part of it.
   */
  changes(since: number): Promise<TreeChanges>;

  /**
   * A version of the tree that holds every byte which a writer had written when this was called, those that
   * lay in the kernel's pages included. It is on record in the store.
   */
  quiesce(): Promise<number>;

  /** Takes the tree away from the path. It stays in the store. */
  close(): Promise<void>;
}

/** A way to show a tree at a path. */
export interface MountDriver {
  readonly name: DriverName;
  mount(options: MountOptions): Promise<Mount>;
}

/** Why a mount did not come about. */
export class MountError extends Error {
  override readonly name = "MountError";
  readonly code: "ERR_MOUNT_IMPOSSIBLE" | "ERR_MOUNT_FAILED" | "ERR_MOUNT_ENDED" | "ERR_STORE_LOCKED";

  constructor(code: MountError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
