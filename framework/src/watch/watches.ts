import { ComputerError } from "../errors.ts";
import { hasCode, outOfRange } from "../vfs/errors.ts";
import { checkPath } from "../vfs/paths.ts";
import type { Tree } from "../vfs/tree.ts";
import { Recorder } from "./recorder.ts";
import { Ring } from "./ring.ts";
import type { Change, WatchEvent, WatchOptions } from "./types.ts";

/** The watchers of a workspace. The first one makes the tree tell what changes; until then nothing is recorded. */
export class Watches {
  readonly #tree: () => Tree;
  #ring: Ring | undefined;
  #closed = false;
  /** Wakes those who wait for a change. */
  readonly #waiting = new Set<() => void>();

  constructor(tree: () => Tree) {
    this.#tree = tree;
  }

  /** See `Workspace.watch`. */
  watch(path: string, options: WatchOptions = {}): AsyncIterableIterator<WatchEvent, undefined, undefined> {
    const { since, recursive = true, signal } = options;
    checkPath(path, { syscall: "watch", path });
    if (since !== undefined && !(Number.isSafeInteger(since) && since >= 0)) {
      throw outOfRange("since", "a revision", since);
    }
    if (typeof recursive !== "boolean") {
      throw new ComputerError("ERR_BAD_ARGUMENT", "recursive: must be a boolean.", { path: "/recursive" });
    }
    signal?.throwIfAborted();
    const ring = this.#start();
    return new Watcher(ring, this.#waiting, () => this.#closed, {
      path: physical(this.#tree(), path),
      recursive,
      since: since ?? this.#tree().store.latestRevision,
      next: since === undefined ? ring.end : ring.after(since),
      // A revision that is yet to come is that of another life of this workspace.
      missed: since !== undefined && (since < ring.lost || since > this.#tree().store.latestRevision),
      signal,
    });
  }

  /** Ends all of them, once they have told what happened. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #start(): Ring {
    if (this.#ring !== undefined) return this.#ring;
    const { store } = this.#tree();
    const ring = new Ring(store.latestRevision);
    // What is looked up from now on is looked up under the recorder's eyes, which so learns the names.
    store.forget();
    store.observer = new Recorder(store, ring, () => this.#wake());
    this.#ring = ring;
    return ring;
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

interface Watch {
  readonly path: string;
  readonly recursive: boolean;
  readonly since: number;
  readonly next: number;
  readonly missed: boolean;
  readonly signal: AbortSignal | undefined;
}

/** One watcher: a place in the ring. */
class Watcher implements AsyncIterableIterator<WatchEvent, undefined, undefined> {
  readonly #ring: Ring;
  readonly #waiting: Set<() => void>;
  readonly #closed: () => boolean;
  readonly #watch: Watch;
  #next: number;
  #since: number;
  #missed: boolean;
  #ended = false;
  #wake: (() => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(ring: Ring, waiting: Set<() => void>, closed: () => boolean, watch: Watch) {
    this.#ring = ring;
    this.#waiting = waiting;
    this.#closed = closed;
    this.#watch = watch;
    this.#next = watch.next;
    this.#since = watch.since;
    this.#missed = watch.missed;
    watch.signal?.addEventListener("abort", this.#stir, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next event. Calls are answered one after the other. */
  next(): Promise<IteratorResult<WatchEvent, undefined>> {
    const result = this.#last.then(() => this.#take());
    this.#last = result.catch(() => undefined);
    return result;
  }

  async return(): Promise<IteratorResult<WatchEvent, undefined>> {
    this.#end();
    this.#stir();
    return { done: true, value: undefined };
  }

  async #take(): Promise<IteratorResult<WatchEvent, undefined>> {
    for (;;) {
      if (this.#ended) return { done: true, value: undefined };
      if (this.#watch.signal?.aborted === true) {
        this.#end();
        throw this.#watch.signal.reason;
      }
      const event = this.#look();
      if (event !== undefined) return { done: false, value: event };
      if (this.#closed()) {
        this.#end();
        continue;
      }
      await new Promise<void>((wake) => {
        this.#wake = wake;
        this.#waiting.add(wake);
      });
    }
  }

  /** What is to be told now. */
  #look(): WatchEvent | undefined {
    if (this.#missed || this.#next < this.#ring.first) {
      const since = this.#since;
      this.#missed = false;
      this.#next = Math.max(this.#next, this.#ring.first);
      this.#since = this.#ring.lost;
      return { kind: "missed", since: Math.min(since, this.#ring.lost), revision: this.#ring.lost };
    }
    while (this.#next < this.#ring.end) {
      const change = this.#ring.get(this.#next);
      this.#next += 1;
      if (change === undefined) continue;
      this.#since = change.revision;
      if (concerns(change, this.#watch)) return change;
    }
    return undefined;
  }

  #end(): void {
    this.#ended = true;
    this.#watch.signal?.removeEventListener("abort", this.#stir);
  }

  readonly #stir = (): void => {
    const wake = this.#wake;
    if (wake === undefined) return;
    this.#waiting.delete(wake);
    wake();
  };
}

/** Whether a change is under a path, or takes the path itself away. */
function concerns({ kind, path, oldPath }: Change, watch: Watch): boolean {
  const upset = kind === "renamed" || kind === "removed";
  return within(path, watch, upset) || (oldPath !== undefined && within(oldPath, watch, upset));
}

function within(path: string, watch: Watch, above: boolean): boolean {
  if (path === watch.path) return true;
  const prefix = watch.path === "/" ? "/" : `${watch.path}/`;
  if (path.startsWith(prefix)) return watch.recursive || !path.includes("/", prefix.length);
  return above && watch.path.startsWith(`${path}/`);
}

/** A path as changes tell it: without symbolic links, if it is there, and without dots and doubled slashes. */
function physical(tree: Tree, path: string): string {
  try {
    return tree.realpath(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) throw error;
  }
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}
