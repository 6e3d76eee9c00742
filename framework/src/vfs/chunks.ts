import { Buffer } from "node:buffer";
import { hash as digest } from "node:crypto";
import { pause } from "./pause.ts";
import { damaged } from "./schema.ts";
import type { Store } from "./store.ts";

/** The SHA-256 of a chunk. */
export type Hash = Uint8Array;

/** Unused chunks that are freed in one go. */
const SWEEP = 64;

/** Chunks without a use that may wait to be freed while whoever removed them goes on: 128 MiB. */
const WAITING = 512;

/** Milliseconds before they are freed. */
const WAIT_MS = 20;

/** Hashes that are passed to one statement. */
const PAGE = 1024;

/**
 * Chunks: bytes kept once however often they are used, and counted. A chunk whose count is zero lives on
 * while it is pinned: by a stream that writes it and has not been closed yet, or by one that still reads
 * it. Pins are in memory; after a crash, chunks without a use are swept.
 */
export class Chunks {
  readonly #store: Store;
  readonly #pins = new Map<string, number>();
  #mayHaveOrphans = true;
  #sweeping = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Adds a use of these bytes. */
  add(bytes: Uint8Array): Hash {
    const hash = digest("sha256", bytes, "buffer");
    const [known] = this.#store.sql.exec(
      "UPDATE vfs_chunk SET refs = refs + 1 WHERE hash = ? RETURNING refs",
      hash,
    );
    if (known === undefined) this.#insert(hash, bytes, 1);
    return hash;
  }

  /** Keeps these bytes without a use yet; to be pinned as soon as the transaction is through. */
  stage(bytes: Uint8Array): Hash {
    const hash = digest("sha256", bytes, "buffer");
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

  /** Adds a use of each of many chunks that are there. */
  addUses(hashes: readonly Hash[]): void {
    for (let at = 0; at < hashes.length; at += PAGE) {
      const page = hashes.slice(at, at + PAGE);
      const known = this.#store.sql.exec(
        `UPDATE vfs_chunk SET refs = refs + used.times
         FROM (SELECT unhex(value) AS hash, count(*) AS times FROM json_each(?) GROUP BY 1) AS used
         WHERE vfs_chunk.hash = used.hash RETURNING 1`,
        hashList(page),
      );
      if (known.length !== new Set(page.map(key)).size) throw damaged("a chunk is missing");
    }
  }

  /**
   * Takes away the uses by all extents of nodes, from a place on, and those extents. The bytes of very many chunks are
   * freed later, in steps: see {@link Chunks.backlog}.
   *
   * @param nodes a JSON list.
   */
  dropExtents(nodes: string, from: number): void {
    const { sql } = this.#store;
    const extents = "vfs_extent WHERE node IN (SELECT value FROM json_each(?)) AND idx >= ?";
    const used = `(SELECT hash, count(*) AS times FROM ${extents} GROUP BY hash) AS used`;
    const [found] = sql.exec<{ bad: number | null; loose: number | null }>(
      `SELECT sum(c.refs IS NULL OR c.refs < used.times) AS bad, sum(c.refs = used.times) AS loose
       FROM ${used} LEFT JOIN vfs_chunk c ON c.hash = used.hash`,
      nodes,
      from,
    );
    if (found === undefined || found.bad === null) return;
    if (found.bad > 0) throw damaged("a chunk is missing or miscounted");
    sql.exec(
      `UPDATE vfs_chunk SET refs = refs - used.times FROM ${used} WHERE vfs_chunk.hash = used.hash`,
      nodes,
      from,
    );
    sql.exec(`DELETE FROM ${extents}`, nodes, from);
    const loose = found.loose ?? 0;
    if (loose === 0) return;
    this.#mayHaveOrphans = true;
    if (loose > SWEEP || this.sweep()) this.#sweepSoon();
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
      const unused: { hash: Uint8Array; bytes: number }[] = [];
      for (let at = 0; at < loose.length; at += PAGE) {
        unused.push(
          ...this.#store.sql.exec<{ hash: Uint8Array; bytes: number }>(
            "SELECT hash, bytes FROM vfs_chunk WHERE refs = 0 AND hash IN (SELECT unhex(value) FROM json_each(?))",
            hashList(loose.slice(at, at + PAGE)),
          ),
        );
      }
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

  /**
   * Frees some chunks if so many are without a use that whoever removes more of them should wait.
   *
   * @returns whether there were.
   */
  backlog(): boolean {
    if (!this.#mayHaveOrphans) return false;
    const [unused] = this.#store.sql.exec<{ count: number }>(
      "SELECT count(*) AS count FROM (SELECT 1 FROM vfs_chunk WHERE refs = 0 LIMIT ?)",
      WAITING + this.#pins.size + 1,
    );
    return (unused?.count ?? 0) > WAITING + this.#pins.size && this.sweep();
  }

  /** Frees all chunks without a use, in one go: there is no room. Part of a revision. */
  reclaim(): void {
    while (this.sweep()) {}
    // The revision may be undone.
    this.#mayHaveOrphans = true;
  }

  /** Frees what has no use, in steps, when others have had their turn. What fails is swept after the next opening. */
  #sweepSoon(): void {
    if (this.#sweeping) return;
    this.#sweeping = true;
    void this.#sweepAll().finally(() => {
      this.#sweeping = false;
    });
  }

  async #sweepAll(): Promise<void> {
    try {
      // Whoever removed them gets the answer first.
      await new Promise((resume) => setTimeout(resume, WAIT_MS));
      while (!this.#store.closed && this.sweep()) await pause();
    } catch {
      this.#mayHaveOrphans = true;
    }
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
    const { sql } = this.#store;
    this.#store.mutate({ syscall }, () => {
      sql.exec(
        "DELETE FROM vfs_chunk WHERE hash IN (SELECT unhex(value) FROM json_each(?))",
        hashList(unused.map(({ hash }) => hash)),
      );
      sql.exec(
        "DELETE FROM vfs_bytes WHERE id IN (SELECT value FROM json_each(?))",
        JSON.stringify(unused.map(({ bytes }) => bytes)),
      );
    });
  }

  #free(hash: Hash, bytes: number): void {
    this.#store.sql.exec("DELETE FROM vfs_chunk WHERE hash = ?", hash);
    this.#store.sql.exec("DELETE FROM vfs_bytes WHERE id = ?", bytes);
  }
}

/** Hashes as JSON, for a statement that takes many. */
export function hashList(hashes: readonly (Hash | undefined)[]): string {
  const hex = (hash: Hash) => Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("hex");
  return JSON.stringify(hashes.map((hash) => (hash === undefined ? null : hex(hash))));
}

/** A hash as a key of a map. */
function key(hash: Hash): string {
  return String.fromCharCode(...hash);
}
