import { createHash } from "node:crypto";
import { damaged } from "./schema.ts";
import type { Store } from "./store.ts";

/** The SHA-256 of a chunk. */
export type Hash = Uint8Array;

/** Unused chunks that are freed in one go. */
const SWEEP = 64;

/**
 * Chunks: bytes kept once however often they are used, and counted. A chunk whose count is zero lives on
 * while it is pinned: by a stream that writes it and has not been closed yet, or by one that still reads
 * it. Pins are in memory; after a crash, chunks without a use are swept.
 */
export class Chunks {
  readonly #store: Store;
  readonly #pins = new Map<string, number>();
  #mayHaveOrphans = true;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Adds a use of these bytes. */
  add(bytes: Uint8Array): Hash {
    const hash = createHash("sha256").update(bytes).digest();
    const [known] = this.#store.sql.exec(
      "UPDATE vfs_chunk SET refs = refs + 1 WHERE hash = ? RETURNING refs",
      hash,
    );
    if (known === undefined) this.#insert(hash, bytes, 1);
    return hash;
  }

  /** Keeps these bytes without a use yet; to be pinned as soon as the transaction is through. */
  stage(bytes: Uint8Array): Hash {
    const hash = createHash("sha256").update(bytes).digest();
    const [known] = this.#store.sql.exec("SELECT refs FROM vfs_chunk WHERE hash = ?", hash);
    if (known === undefined) this.#insert(hash, bytes, 0);
    return hash;
  }

  /** Adds a use of a chunk that is there. */
  addUse(hash: Hash, times = 1): void {
    const [known] = this.#store.sql.exec(
      "UPDATE vfs_chunk SET refs = refs + ? WHERE hash = ? RETURNING refs",
      times,
      hash,
    );
    if (known === undefined) throw damaged("a chunk is missing");
  }

  /** Takes uses away; the bytes go with the last. */
  removeUse(hash: Hash, times = 1): void {
    const [chunk] = this.#store.sql.exec<{ refs: number; bytes: number }>(
      "UPDATE vfs_chunk SET refs = refs - ? WHERE hash = ? RETURNING refs, bytes",
      times,
      hash,
    );
    if (chunk === undefined || chunk.refs < 0) throw damaged("a chunk is missing or miscounted");
    if (chunk.refs === 0 && !this.#pins.has(key(hash))) this.#free(hash, chunk.bytes);
  }

  /** Whether a chunk is there, used or not. */
  has(hash: Hash): boolean {
    return this.#store.sql.exec("SELECT 1 FROM vfs_chunk WHERE hash = ?", hash).length > 0;
  }

  read(hash: Hash): Uint8Array {
    const [row] = this.#store.sql.exec<{ data: Uint8Array }>(
      "SELECT b.data AS data FROM vfs_chunk c JOIN vfs_bytes b ON b.id = c.bytes WHERE c.hash = ?",
      hash,
    );
    if (row === undefined) throw damaged("a chunk is missing");
    return row.data;
  }

  /** Keeps a chunk readable until it is unpinned, used or not. */
  pin(hash: Hash): void {
    const id = key(hash);
    this.#pins.set(id, (this.#pins.get(id) ?? 0) + 1);
  }

  /** Whether something holds a chunk, used or not. */
  isPinned(hash: Hash): boolean {
    return this.#pins.has(key(hash));
  }

  /** Lets go of pins, and frees what nothing else holds. */
  unpin(hashes: Iterable<Hash>): void {
    if (this.#store.closed) return;
    const loose: Hash[] = [];
    for (const hash of hashes) {
      const id = key(hash);
      const left = (this.#pins.get(id) ?? 0) - 1;
      if (left > 0) this.#pins.set(id, left);
      else {
        this.#pins.delete(id);
        loose.push(hash);
      }
    }
    // Only tidying up: what was to be done has been done, and what cannot be freed now is swept later.
    try {
      const unused = loose.flatMap((hash) =>
        this.#store.sql.exec<{ hash: Uint8Array; bytes: number }>(
          "SELECT hash, bytes FROM vfs_chunk WHERE hash = ? AND refs = 0",
          hash,
        ),
      );
      for (let i = 0; i < unused.length; i += SWEEP) this.#freeAll(unused.slice(i, i + SWEEP), "close");
    } catch {
      this.#mayHaveOrphans = true;
    }
  }

  /**
   * Frees some of the chunks that are left without a use by a crash, or by a failure to tidy up.
   *
   * @returns whether there may be more.
   */
  sweep(): boolean {
    if (!this.#mayHaveOrphans) return false;
    const unused = this.#store.sql.exec<{ hash: Uint8Array; bytes: number }>(
      "SELECT hash, bytes FROM vfs_chunk WHERE refs = 0 LIMIT ?",
      SWEEP + this.#pins.size,
    );
    const orphans = unused.filter(({ hash }) => !this.#pins.has(key(hash)));
    this.#mayHaveOrphans = orphans.length >= SWEEP;
    this.#freeAll(orphans, "open");
    return this.#mayHaveOrphans;
  }

  #insert(hash: Hash, bytes: Uint8Array, refs: number): void {
    this.#store.usage.stored();
    const [row] = this.#store.sql.exec<{ id: number }>(
      "INSERT INTO vfs_bytes (data) VALUES (?) RETURNING id",
      bytes,
    );
    this.#store.sql.exec("INSERT INTO vfs_chunk VALUES (?, ?, ?, ?)", hash, refs, bytes.length, row?.id ?? 0);
  }

  #freeAll(unused: readonly { hash: Hash; bytes: number }[], syscall: string): void {
    if (unused.length === 0) return;
    this.#store.mutate({ syscall }, () => {
      for (const { hash, bytes } of unused) this.#free(hash, bytes);
    });
  }

  #free(hash: Hash, bytes: number): void {
    this.#store.sql.exec("DELETE FROM vfs_chunk WHERE hash = ?", hash);
    this.#store.sql.exec("DELETE FROM vfs_bytes WHERE id = ?", bytes);
  }
}

/** A hash as a key of a map. */
function key(hash: Hash): string {
  return String.fromCharCode(...hash);
}
