import { outOfRange } from "./errors.ts";
import { STEP_ENTRIES } from "./layout.ts";
import { isDirectory } from "./node.ts";
import { join } from "./paths.ts";
import { DirectoryEntry } from "./stats.ts";
import type { Entry } from "./store.ts";
import type { Tree } from "./tree.ts";
import type { Dir, Dirent, OpenDirOptions } from "./types.ts";

/** A directory that is being listed, how far, and what was read ahead. */
interface Level {
  readonly id: number;
  readonly path: string;
  after: Uint8Array | undefined;
  ahead: Entry[];
  last: boolean;
}

/** Lists a directory as it is asked for entries. Memory: those read ahead, on each level that it is within. */
export class OpenDirectory implements Dir {
  readonly path: string;
  readonly #tree: () => Tree;
  readonly #limit: number;
  readonly #recursive: boolean;
  readonly #levels: Level[];
  #closed = false;

  constructor(tree: () => Tree, path: string, { recursive = false, bufferSize = 32 }: OpenDirOptions = {}) {
    if (!Number.isInteger(bufferSize) || bufferSize < 1)
      throw outOfRange("bufferSize", "an integer >= 1", bufferSize);
    this.path = path;
    this.#tree = tree;
    this.#limit = Math.min(bufferSize, STEP_ENTRIES);
    this.#recursive = recursive;
    this.#levels = [level(tree().directory(path, "opendir"), path)];
  }

  async read(): Promise<Dirent | null> {
    if (this.#closed) throw closed();
    return this.#next();
  }

  async close(): Promise<void> {
    if (this.#closed) throw closed();
    this.#end();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Dirent> {
    try {
      for (let entry = await this.read(); entry !== null; entry = await this.read()) yield entry;
    } finally {
      this.#end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end();
  }

  #next(): Dirent | null {
    const tree = this.#tree();
    for (;;) {
      const top = this.#levels.at(-1);
      if (top === undefined) return null;
      const next = top.ahead.shift();
      if (next !== undefined) {
        if (this.#recursive && isDirectory(next.mode))
          this.#levels.push(level(next.node, join(top.path, next.name)));
        return new DirectoryEntry(next.name, top.path, next.mode);
      }
      if (top.last) this.#levels.pop();
      else {
        top.ahead = tree.entries(top.id, top.after, this.#limit);
        top.after = top.ahead.at(-1)?.bytes;
        top.last = top.ahead.length < this.#limit;
      }
    }
  }

  #end(): void {
    this.#closed = true;
    this.#levels.length = 0;
  }
}

function level(id: number, path: string): Level {
  return { id, path, after: undefined, ahead: [], last: false };
}

function closed(): Error {
  return Object.assign(new Error("Directory handle was closed"), { code: "ERR_DIR_CLOSED" });
}
