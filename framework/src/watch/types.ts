/** Options of `workspace.watch`. */
export interface WatchOptions {
  /** Tell what changed after this revision too. Default: what changes from now on. */
  since?: number;
  /** Also what is further down than the directory's own entries. Default true. */
  recursive?: boolean;
  /** Ends the iteration, which then throws the signal's reason. */
  signal?: AbortSignal;
}

/** Something under a watched path changed. */
export interface Change {
  /**
   * - `created`: there is a new name; also a second name of a file;
   * - `modified`: a file has other content;
   * - `removed`: a name is gone, and with a directory all that was below it, which is not told one by one;
   * - `renamed`: what was at `oldPath` is at `path` now, with all below it; what was at `path` is gone;
   * - `attributes`: mode, owner, times or number of names changed.
   */
  readonly kind: "created" | "modified" | "removed" | "renamed" | "attributes";
  /** The revision that changed it. */
  readonly revision: number;
  /** Where it is (or was, if removed), without symbolic links. */
  readonly path: string;
  /** Where it was, if renamed. */
  readonly oldPath?: string;
  /** The run that changed it, if it was one. */
  readonly run?: string;
}

/** Changes were lost, since the reader was too slow or asked too late: what is watched must be looked through again. */
export interface Missed {
  readonly kind: "missed";
  /** Nothing up to this revision was lost before. */
  readonly since: number;
  /** What changed after `since` and up to this revision may be lost; what comes next is later. */
  readonly revision: number;
}

/** What `workspace.watch` tells. */
export type WatchEvent = Change | Missed;
