import { encodeName } from "../vfs/names.ts";
import { isDirectory, isSymlink } from "../vfs/node.ts";
import { compareBytes, type Entry, type Source } from "./source.ts";

/** Entries that are read in one go. */
const PAGE = 512;

/** Entries that a walk remembers, in all the directories that it is in; it reads those again that it forgot. */
const BUFFERED = 8192;

/** A directory that a walk is in. `state` is what the walk's user knows of it. */
export interface Place<State> {
  readonly id: number;
  /** As it is shown; may be longer than a path may be. */
  readonly path: string;
  readonly depth: number;
  readonly parent: Place<State> | undefined;
  readonly state: State;
}

/** Entries that come one after the other in one directory. A directory is always alone. */
export interface Run<State> {
  readonly place: Place<State>;
  readonly entries: readonly Entry[];
}

/** What a walk asks its user. */
export interface WalkRules<State> {
  /** The state in a directory that was found, or undefined: it is not gone into. */
  enter(place: Place<State>, entry: Entry): State | undefined;
  /** The only names that matter in a directory; undefined for all. */
  names?(state: State): readonly string[] | undefined;
  /** Whether a symbolic link to a directory is gone through. */
  follows?(place: Place<State>, entry: Entry): boolean;
}

interface Frame<State> extends Place<State> {
  readonly parent: Frame<State> | undefined;
  /** Entries that were read ahead, from `at` on. */
  buffer: Entry[];
  at: number;
  /** The last name that was handed out or is in the buffer. */
  last: Uint8Array;
  /** Names that are left, when only some matter. */
  names: Uint8Array[] | undefined;
  ended: boolean;
  /** Directories that were handed out, but whose entries come later: `a/x` is behind `a!`. The last one is first. */
  waiting: { readonly entry: Entry; readonly state: State; readonly id: number }[];
}

/**
 * Walks a tree in the order of the paths' bytes, by nodes, so that no path is too long. It holds little of
 * the tree, whatever its shape, and sees each directory as it is when it reads it. One can begin behind any
 * path, whether it is still there or not.
 */
export class Walk<State> {
  readonly #source: Source;
  readonly #rules: WalkRules<State>;
  #frame: Frame<State> | undefined;
  #buffered = 0;
  /** Rows read: the cost of the last `next`. */
  work = 0;

  /**
   * @param root where to begin; what is handed out is below it.
   * @param after the names, from the root down, of the path behind which to begin.
   */
  constructor(
    source: Source,
    root: { id: number; path: string; state: State },
    rules: WalkRules<State>,
    after: readonly Uint8Array[] = [],
  ) {
    this.#source = source;
    this.#rules = rules;
    this.#push(root.id, root.path, root.state, undefined);
    this.#resume(after);
  }

  /** The next entries, at most so many; undefined at the end. */
  next(limit = PAGE): Run<State> | undefined {
    this.work = 1;
    for (let frame = this.#frame; frame !== undefined; frame = this.#frame) {
      const first = this.#peek(frame);
      const waiting = frame.waiting.at(-1);
      if (waiting !== undefined && (first === undefined || !comesBefore(first.bytes, waiting.entry.bytes))) {
        frame.waiting.pop();
        this.#push(waiting.id, below(frame.path, waiting.entry.name), waiting.state, frame);
        continue;
      }
      if (first === undefined) {
        this.#frame = frame.parent;
        continue;
      }
      const entries: Entry[] = [];
      for (let entry: Entry | undefined = first; entry !== undefined && entries.length < limit; ) {
        const target = this.#target(frame, entry);
        if (target !== undefined && entries.length > 0) break;
        if (waiting !== undefined && !comesBefore(entry.bytes, waiting.entry.bytes)) break;
        entries.push(entry);
        frame.at += 1;
        this.#buffered -= 1;
        if (target !== undefined) {
          this.#wait(frame, entry, target);
          break;
        }
        entry = frame.buffer[frame.at];
      }
      return { place: frame, entries };
    }
    return undefined;
  }

  /** The directory that an entry is, or leads to by a link that is followed. */
  #target(frame: Frame<State>, entry: Entry): number | undefined {
    if (isDirectory(entry.mode)) return entry.node;
    if (!isSymlink(entry.mode) || this.#rules.follows?.(frame, entry) !== true) return undefined;
    this.work += 4;
    const node = this.#source.follow(below(frame.path, entry.name));
    if (node === undefined || !isDirectory(node.mode)) return undefined;
    // A link to where the walk is already would be a loop.
    for (let place: Place<State> | undefined = frame; place !== undefined; place = place.parent) {
      if (place.id === node.id) return undefined;
    }
    return node.id;
  }

  #wait(frame: Frame<State>, entry: Entry, id: number): void {
    const state = this.#rules.enter(frame, entry);
    if (state !== undefined) frame.waiting.push({ entry, state, id });
  }

  #push(id: number, path: string, state: State, parent: Frame<State> | undefined): void {
    const names = this.#rules.names?.(state);
    this.#frame = {
      id,
      path,
      depth: parent === undefined ? 0 : parent.depth + 1,
      parent,
      state,
      buffer: [],
      at: 0,
      last: NOTHING,
      names: names
        ?.map(encodeName)
        .filter((name) => name !== undefined)
        .sort(compareBytes),
      ended: false,
      waiting: [],
    };
  }

  /** The next entry of a directory. */
  #peek(frame: Frame<State>): Entry | undefined {
    if (frame.at < frame.buffer.length) return frame.buffer[frame.at];
    if (frame.ended) return undefined;
    if (frame.names !== undefined) {
      frame.buffer = frame.names
        .filter((name) => compareBytes(name, frame.last) > 0)
        .map((name) => this.#source.entry(frame.id, name))
        .filter((entry) => entry !== undefined);
      this.work += frame.names.length;
      frame.ended = true;
    } else {
      frame.buffer = this.#source.page(frame.id, frame.last, PAGE);
      this.work += frame.buffer.length;
      frame.ended = frame.buffer.length < PAGE;
    }
    frame.at = 0;
    frame.last = frame.buffer.at(-1)?.bytes ?? frame.last;
    this.#buffered += frame.buffer.length;
    this.#forget(frame);
    return frame.buffer[0];
  }

  /** Lets go of what was read ahead in the directories above, when it is too much. */
  #forget(keep: Frame<State>): void {
    for (let frame = keep.parent; frame !== undefined && this.#buffered > BUFFERED; frame = frame.parent) {
      const next = frame.buffer[frame.at];
      if (next === undefined) continue;
      this.#buffered -= frame.buffer.length - frame.at;
      frame.last = frame.buffer[frame.at - 1]?.bytes ?? NOTHING;
      frame.buffer = [];
      frame.at = 0;
      frame.ended = false;
    }
  }

  #resume(after: readonly Uint8Array[]): void {
    for (const [depth, name] of after.entries()) {
      const frame = this.#frame as Frame<State>;
      // What is below a directory comes behind all names that go on with less than a slash.
      frame.last = depth + 1 === after.length ? name : Uint8Array.of(...name, SLASH);
      for (let length = 1; length < name.length; length++) {
        // Directories whose names begin this one, and whose entries come after it.
        if ((name[length] as number) < SLASH) this.#rejoin(frame, name.subarray(0, length));
      }
      const found = this.#rejoin(frame, name);
      if (!found || depth + 1 === after.length) return;
      const next = frame.waiting.pop() as Frame<State>["waiting"][number];
      this.#push(next.id, below(frame.path, next.entry.name), next.state, frame);
    }
  }

  #rejoin(frame: Frame<State>, name: Uint8Array): boolean {
    const entry = this.#source.entry(frame.id, name);
    const target = entry && this.#target(frame, entry);
    if (entry === undefined || target === undefined) return false;
    const before = frame.waiting.length;
    this.#wait(frame, entry, target);
    return frame.waiting.length > before;
  }
}

const NOTHING = new Uint8Array();
const SLASH = 0x2f;

/** Whether an entry comes before those of a directory that stands before it. */
function comesBefore(name: Uint8Array, directory: Uint8Array): boolean {
  if (name.length <= directory.length || (name[directory.length] as number) > SLASH) return false;
  for (let i = 0; i < directory.length; i++) if (name[i] !== directory[i]) return false;
  return true;
}

/** The path of an entry. */
export function below(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : directory === "" ? name : `${directory}/${name}`;
}
