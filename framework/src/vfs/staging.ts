import type { Chunks, Hash } from "./chunks.ts";
import { isZero, type Staged } from "./content.ts";
import { CHUNK_BYTES, INLINE_BYTES } from "./layout.ts";
import type { Store } from "./store.ts";

/**
 * Content on its way in: full chunks are stored as they come, so that memory holds one at most, and
 * belong to no file yet. Either a file adopts them, in one transaction, or they are discarded.
 */
export class Staging {
  readonly #store: Store;
  readonly #chunks: Chunks;
  readonly #hashes: (Hash | undefined)[] = [];
  #buffer = new Uint8Array();
  #filled = 0;
  #size = 0;

  constructor(store: Store, chunks: Chunks) {
    this.#store = store;
    this.#chunks = chunks;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes more bytes; the chunks that they fill are stored in one transaction. */
  push(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#filled + bytes.length < CHUNK_BYTES) this.#take(bytes);
    else this.#store.mutate({ syscall: "write" }, () => this.#take(bytes));
  }

  #take(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#filled === 0 && bytes.length - at >= CHUNK_BYTES) {
        this.#stage(bytes.subarray(at, at + CHUNK_BYTES));
        at += CHUNK_BYTES;
        continue;
      }
      const part = bytes.subarray(at, at + CHUNK_BYTES - this.#filled);
      this.#grow(this.#filled + part.length);
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === CHUNK_BYTES) this.#flush();
    }
  }

  /** Content ready to be adopted. `chunked` asks for chunks even when it is small. */
  finish(chunked = false): Staged {
    if (!chunked && this.#size <= INLINE_BYTES) {
      return { size: this.#size, hashes: [], inline: this.#buffer.subarray(0, this.#filled) };
    }
    if (this.#filled > 0) this.#flush();
    return { size: this.#size, hashes: this.#hashes, inline: undefined };
  }

  /** All that was pushed, in parts, for whoever must put it together anew. */
  *parts(): Iterable<Uint8Array> {
    let left = this.#size;
    for (const hash of this.#hashes) {
      const length = Math.min(CHUNK_BYTES, left);
      yield hash === undefined ? new Uint8Array(length) : this.#chunks.read(hash);
      left -= length;
    }
    if (this.#filled > 0) yield this.#buffer.subarray(0, this.#filled);
  }

  /** Lets go of what was staged: what no file has adopted is freed. To be called in every case. */
  release(): void {
    const hashes = this.#hashes.splice(0).filter((hash) => hash !== undefined);
    this.#buffer = new Uint8Array();
    this.#filled = 0;
    this.#chunks.unpin(hashes);
  }

  #flush(): void {
    this.#stage(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }

  #stage(bytes: Uint8Array): void {
    if (isZero(bytes)) {
      this.#hashes.push(undefined);
      return;
    }
    const hash = this.#store.mutate({ syscall: "write" }, () => this.#chunks.stage(bytes));
    // At once: chunks without a use may be freed to make room. If this is undone, nothing is found to be unpinned.
    this.#chunks.pin(hash);
    this.#hashes.push(hash);
  }

  #grow(length: number): void {
    if (length <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(length, this.#buffer.length * 2)));
    larger.set(this.#buffer.subarray(0, this.#filled));
    this.#buffer = larger;
  }
}
