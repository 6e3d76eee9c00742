import { Cache } from "./cache.ts";
import { type Chunks, type Hash, hashList } from "./chunks.ts";
import { CHUNK_BYTES, INLINE_BYTES } from "./layout.ts";
import type { Node } from "./node.ts";
import { damaged } from "./schema.ts";
import type { Store } from "./store.ts";

/** Which chunk lies at which place of a file; a place without one is a hole. */
type Extents = Map<number, Hash>;

/** One version of a file's content, held until it is released. */
export interface Version {
  readonly size: number;
  /** Up to a chunk's length of bytes from `start`; nothing at the end. */
  read(start: number, end: number): Uint8Array;
  release(): void;
}

/** What must be known of a node whose content is to be removed. */
export type Removable = Pick<Node, "id" | "size" | "rev" | "run" | "since">;

/** Content that is ready to become a file's: chunks that are pinned, and what is too little for one. */
export interface Staged {
  readonly size: number;
  /** By chunk index; undefined for a chunk of zeros. Empty when the content is small. */
  readonly hashes: readonly (Hash | undefined)[];
  /** All of it, when it is small. */
  readonly inline: Uint8Array | undefined;
}

/**
 * What files hold. Up to {@link INLINE_BYTES} it is one row (none when empty), above that chunks, so that
 * the size alone tells which. A chunk may be shorter than its place: what it does not cover reads as zeros.
 *
 * Methods that change content also set the node's size, but leave it to the caller to save the node.
 */
export class Content {
  readonly #store: Store;
  readonly #chunks: Chunks;
  readonly #small: Cache<number, Uint8Array>;

  constructor(store: Store, chunks: Chunks, cacheBytes = 8 * 1024 * 1024) {
    this.#small = new Cache(cacheBytes, (bytes) => bytes.length + ARRAY_BYTES);
    this.#store = store;
    this.#chunks = chunks;
    store.onForget(() => this.#small.clear());
  }

  /** All of it. Small content is shared: callers that hand it out must copy. */
  read(node: Node): Uint8Array {
    if (node.size <= INLINE_BYTES) return this.#readInline(node);
    return this.#gather(node.id, 0, node.size);
  }

  /** Holds the content as it is now. */
  open(node: Node): Version {
    const { size } = node;
    if (size <= INLINE_BYTES) {
      const bytes = this.#readInline(node);
      return { size, read: (start, end) => bytes.slice(start, end), release: () => {} };
    }
    const extents = this.#extents(node.id);
    for (const hash of extents.values()) this.#chunks.pin(hash);
    return {
      size,
      read: (start, end) => {
        const index = Math.floor(start / CHUNK_BYTES);
        const from = start - index * CHUNK_BYTES;
        const to = Math.min(end, size, (index + 1) * CHUNK_BYTES) - index * CHUNK_BYTES;
        return this.#place(extents.get(index), from, Math.max(from, to));
      },
      release: () => {
        this.#chunks.unpin(extents.values());
        extents.clear();
      },
    };
  }

  /** Makes these bytes the content. */
  replace(node: Node, bytes: Uint8Array): void {
    if (bytes.length <= INLINE_BYTES) this.#replaceInline(node, bytes);
    else {
      const old = this.#clearInline(node);
      const count = Math.ceil(bytes.length / CHUNK_BYTES);
      for (let index = 0; index < count; index++) {
        const chunk = bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
        this.#setExtent(node, index, old.get(index), isZero(chunk) ? undefined : this.#chunks.add(chunk));
      }
      if (old.size > 0) this.#dropExtents(node, count);
      node.size = bytes.length;
    }
  }

  /** Adds bytes at the end; rewrites no more than the last chunk. */
  append(node: Node, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const size = node.size + bytes.length;
    if (size <= INLINE_BYTES) {
      this.#replaceInline(node, concat(this.#readInline(node), bytes));
      return;
    }
    const first = Math.floor(node.size / CHUNK_BYTES);
    const tail = concat(this.tail(node), bytes);
    if (node.size <= INLINE_BYTES) this.#clearInline(node);
    const [last] = this.#extentsFrom(node.id, first).values();
    for (let at = 0; at < tail.length; at += CHUNK_BYTES) {
      const chunk = tail.subarray(at, at + CHUNK_BYTES);
      const index = first + at / CHUNK_BYTES;
      this.#setExtent(
        node,
        index,
        at === 0 ? last : undefined,
        isZero(chunk) ? undefined : this.#chunks.add(chunk),
      );
    }
    node.size = size;
  }

  /** Part of it, clipped at its end. */
  readRange(node: Node, start: number, end: number): Uint8Array {
    const to = Math.min(end, node.size);
    if (start >= to) return new Uint8Array();
    if (node.size <= INLINE_BYTES) return this.#readInline(node).slice(start, to);
    return this.#gather(node.id, start, to);
  }

  /** Writes bytes at a place, beyond the end too: what lies between is zeros. Rewrites the chunks that it touches. */
  writeRange(node: Node, start: number, bytes: Uint8Array): void {
    const end = start + bytes.length;
    const size = Math.max(node.size, end);
    if (size <= INLINE_BYTES) {
      const whole = new Uint8Array(size);
      whole.set(this.#readInline(node));
      whole.set(bytes, start);
      this.#replaceInline(node, whole);
      return;
    }
    // What covers all that is in one row need not be kept.
    if (node.size <= INLINE_BYTES && start === 0) this.#replaceInline(node, EMPTY);
    this.truncate(node, size);
    for (const { index, from, until } of places(start, end)) {
      const part = bytes.subarray(index * CHUNK_BYTES + from - start, index * CHUNK_BYTES + until - start);
      const old = this.#extentAt(node.id, index);
      let chunk = part;
      if (old !== undefined || from > 0) {
        const before = old === undefined ? EMPTY : this.#chunks.read(old);
        chunk = new Uint8Array(Math.max(before.length, until));
        chunk.set(before);
        chunk.set(part, from);
      }
      this.#setExtent(node, index, old, isZero(chunk) ? undefined : this.#chunks.add(chunk));
    }
  }

  /** The bytes beyond the last full chunk. */
  tail(node: Node): Uint8Array {
    if (node.size <= INLINE_BYTES) return this.#readInline(node);
    const length = node.size % CHUNK_BYTES;
    if (length === 0) return new Uint8Array();
    const [hash] = this.#extentsFrom(node.id, (node.size - length) / CHUNK_BYTES).values();
    return this.#place(hash, 0, length);
  }

  /** Cuts the content, or extends it by zeros. */
  truncate(node: Node, size: number): void {
    if (size === node.size) return;
    if (size <= INLINE_BYTES) {
      const bytes = new Uint8Array(size);
      const old =
        node.size <= INLINE_BYTES ? this.#readInline(node) : this.#place(this.#extentAt(node.id, 0), 0, size);
      bytes.set(old.subarray(0, size));
      this.#replaceInline(node, bytes);
      return;
    }
    if (node.size <= INLINE_BYTES) {
      const bytes = this.#readInline(node);
      this.#clearInline(node);
      if (!isZero(bytes)) this.#setExtent(node, 0, undefined, this.#chunks.add(bytes));
    } else if (size < node.size) {
      const last = Math.floor(size / CHUNK_BYTES);
      const beyond = this.#extentsFrom(node.id, last);
      const hash = beyond.get(last);
      const kept = size - last * CHUNK_BYTES;
      if (hash !== undefined && kept > 0) {
        // The cut-off bytes must not come back when the file grows again.
        const chunk = this.#place(hash, 0, kept);
        this.#setExtent(node, last, hash, isZero(chunk) ? undefined : this.#chunks.add(chunk));
      }
      this.#dropExtents(node, kept > 0 ? last + 1 : last);
    }
    node.size = size;
  }

  /** The size that the content would have without its last chunks, holes not counted; 0 when it has no more than these. */
  sizeWithoutLast(node: Node, chunks: number): number {
    const [last] = this.#store.sql.exec<{ idx: number }>(
      "SELECT idx FROM vfs_extent WHERE node = ? ORDER BY idx DESC LIMIT 1 OFFSET ?",
      node.id,
      chunks - 1,
    );
    return (last?.idx ?? 0) * CHUNK_BYTES;
  }

  /** Makes staged content the node's. Its pins stay with whoever staged it. */
  adopt(node: Node, staged: Staged): void {
    if (staged.inline !== undefined) {
      this.#replaceInline(node, staged.inline);
      return;
    }
    const old = this.#clearInline(node);
    this.#adoptChunks(node, old, 0, staged);
    if (old.size > 0) this.#dropExtents(node, staged.hashes.length);
    node.size = staged.size;
  }

  /** Puts staged chunks, the first of which begins with this file's tail, in place of the tail. */
  adoptTail(node: Node, staged: Staged): void {
    const first = Math.floor(node.size / CHUNK_BYTES);
    const old = node.size <= INLINE_BYTES ? this.#clearInline(node) : this.#extentsFrom(node.id, first);
    this.#adoptChunks(node, old, first, staged);
    node.size = first * CHUNK_BYTES + staged.size;
  }

  /** Gives a node the content of another; chunks are shared, not copied. */
  copy(from: Node, to: Node): void {
    if (from.id !== to.id) this.copyFrom(this, from, to);
  }

  /** Gives a node the content that a node has in another state of the tree, perhaps the same one. */
  copyFrom(source: Content, from: Node, to: Node): void {
    if (from.size <= INLINE_BYTES) {
      this.#replaceInline(to, source.#readInline(from));
      return;
    }
    if (source === this && to.size === 0) {
      this.#share(from, to);
      return;
    }
    const old = this.#clearInline(to);
    for (const [index, hash] of source.#extents(from.id)) {
      const there = old.get(index);
      old.delete(index);
      if (there !== undefined && equal(there, hash)) continue;
      this.#chunks.addUse(hash);
      this.#setExtent(to, index, there, hash);
    }
    for (const [index, hash] of old) this.#setExtent(to, index, hash, undefined);
    to.size = from.size;
  }

  /** Gives an empty node the chunks of another, however many, by two statements. */
  #share(from: Node, to: Node): void {
    const { sql, revision } = this.#store;
    sql.exec(
      "INSERT INTO vfs_extent (node, idx, hash, rev) SELECT ?, idx, hash, ? FROM vfs_extent WHERE node = ?",
      to.id,
      revision,
      from.id,
    );
    sql.exec(
      `UPDATE vfs_chunk SET refs = refs + used.times
       FROM (SELECT hash, count(*) AS times FROM vfs_extent WHERE node = ? GROUP BY hash) AS used
       WHERE vfs_chunk.hash = used.hash`,
      from.id,
    );
    to.size = from.size;
  }

  /** Puts a chunk, which is there or comes along, at a place of a file that has none there. */
  setChunk(node: Node, index: number, hash: Hash, bytes: Uint8Array | undefined): void {
    let added = hash;
    if (bytes === undefined) this.#chunks.addUse(hash);
    else added = this.#chunks.add(bytes);
    if (!equal(added, hash)) throw damaged("a chunk that came in has other bytes than its hash says");
    this.#setExtent(node, index, undefined, hash);
  }

  /** Frees the content of nodes that are going away, except what must be kept as it was. */
  drop(nodes: readonly Removable[]): void {
    const { sql } = this.#store;
    const inline = nodes.filter(({ size }) => size > 0 && size <= INLINE_BYTES);
    this.#store.recorder.contents(inline);
    const small = inline.map(({ id }) => id);
    if (small.length === 1) sql.exec("DELETE FROM vfs_content WHERE node = ?", small[0] as number);
    else if (small.length > 1) {
      sql.exec(
        "DELETE FROM vfs_content WHERE node IN (SELECT value FROM json_each(?))",
        JSON.stringify(small),
      );
    }
    for (const id of small) this.#small.delete(id);
    const large = nodes.filter(({ size }) => size > INLINE_BYTES);
    if (large.length === 0) return;
    for (const node of large) this.#store.recorder.takeExtents(node, 0);
    this.#chunks.dropExtents(JSON.stringify(large.map(({ id }) => id)), 0);
  }

  /**
   * Frees small content of many nodes, except what must be kept as it was.
   *
   * @param list the nodes, as JSON.
   * @param since the latest of all their `since`.
   */
  dropSmall(nodes: readonly number[], list: string, since: number): void {
    this.#store.recorder.contentsOf(list, since);
    this.#store.sql.exec("DELETE FROM vfs_content WHERE node IN (SELECT value FROM json_each(?))", list);
    for (const id of nodes) this.#small.delete(id);
  }

  #readInline(node: Node): Uint8Array {
    if (node.size === 0) return EMPTY;
    const cached = this.#small.get(node.id);
    if (cached !== undefined) return cached;
    const bytes = this.#store.inline(node.id);
    if (bytes?.length !== node.size) throw damaged(`the content of node ${node.id} is missing or cut short`);
    this.#small.set(node.id, bytes);
    return bytes;
  }

  #replaceInline(node: Node, bytes: Uint8Array): void {
    if (node.size > INLINE_BYTES) this.#dropExtents(node, 0);
    const { sql, revision, recorder } = this.#store;
    if (bytes.length === 0) {
      if (node.size > 0) this.#clearInline(node);
    } else {
      if (node.size > 0 && node.size <= INLINE_BYTES) recorder.contents([node]);
      sql.exec("INSERT OR REPLACE INTO vfs_content VALUES (?, ?, ?)", node.id, bytes, revision);
      // A copy: the caller goes on to own what it gave.
      this.#small.set(node.id, bytes.slice());
    }
    node.size = bytes.length;
  }

  /** Removes small content; answers the extents of large content, which stay. */
  #clearInline(node: Node): Extents {
    if (node.size > INLINE_BYTES) return this.#extents(node.id);
    if (node.size > 0) {
      this.#store.recorder.contents([node]);
      this.#store.sql.exec("DELETE FROM vfs_content WHERE node = ?", node.id);
      this.#small.delete(node.id);
    }
    return new Map();
  }

  #extents(node: number): Extents {
    return this.#extentsFrom(node, 0);
  }

  #extentsFrom(node: number, index: number): Extents {
    const rows = this.#store.extents(node, index, ALL);
    return new Map(rows.map(({ idx, hash }) => [idx, hash]));
  }

  #extentAt(node: number, index: number): Hash | undefined {
    const [row] = this.#store.extents(node, index, 1);
    return row?.idx === index ? row.hash : undefined;
  }

  /** Puts together what lies from one byte to another, by one query, without a second copy of it. */
  #gather(node: number, start: number, end: number): Uint8Array {
    const bytes = new Uint8Array(end - start);
    const first = Math.floor(start / CHUNK_BYTES);
    this.#store.eachChunk(node, first, Math.ceil(end / CHUNK_BYTES) - 1, (index, chunk) => {
      if (chunk === undefined) throw damaged("a chunk is missing");
      const base = index * CHUNK_BYTES;
      const from = Math.max(0, start - base);
      bytes.set(chunk.subarray(from, Math.max(from, end - base)), base + from - start);
    });
    return bytes;
  }

  /** Part of what lies at a place: a chunk, zeros beyond its end, or all zeros. */
  #place(hash: Hash | undefined, from: number, to: number): Uint8Array {
    if (hash === undefined) return new Uint8Array(to - from);
    const chunk = this.#chunks.read(hash).subarray(from, to);
    if (chunk.length === to - from) return chunk;
    const bytes = new Uint8Array(to - from);
    bytes.set(chunk);
    return bytes;
  }

  #adoptChunks(node: Node, old: Extents, first: number, staged: Staged): void {
    if (old.size > 0) {
      staged.hashes.forEach((hash, i) => {
        if (hash !== undefined) this.#chunks.addUse(hash);
        this.#setExtent(node, first + i, old.get(first + i), hash);
      });
      return;
    }
    const { sql, revision } = this.#store;
    this.#chunks.addUses(staged.hashes.filter((hash) => hash !== undefined));
    for (let at = 0; at < staged.hashes.length; at += ADOPTED) {
      sql.exec(
        "INSERT INTO vfs_extent SELECT ?, ? + key, unhex(value), ? FROM json_each(?) WHERE value IS NOT NULL",
        node.id,
        first + at,
        revision,
        hashList(staged.hashes.slice(at, at + ADOPTED)),
      );
    }
  }

  /** Puts a chunk, whose use is counted already, or a hole in place of what lay there. */
  #setExtent(node: Node, index: number, old: Hash | undefined, hash: Hash | undefined): void {
    const { sql, revision, recorder } = this.#store;
    let kept = false;
    if (hash === undefined) {
      if (old === undefined) return;
      kept = recorder.extent(node, index);
      sql.exec("DELETE FROM vfs_extent WHERE node = ? AND idx = ?", node.id, index);
    } else if (old === undefined || !equal(old, hash)) {
      if (old !== undefined) kept = recorder.extent(node, index);
      sql.exec("INSERT OR REPLACE INTO vfs_extent VALUES (?, ?, ?, ?)", node.id, index, hash, revision);
    }
    if (old !== undefined && !kept) this.#chunks.removeUse(old);
  }

  /** Removes what lies from a place on. */
  #dropExtents(node: Node, from: number): void {
    this.#store.recorder.takeExtents(node, from);
    this.#chunks.dropExtents(`[${node.id}]`, from);
  }
}

/** Extents that one statement adopts. */
const ADOPTED = 1024;

/** As many extents as there are. */
const ALL = -1;

const EMPTY = new Uint8Array();

/** What an array of bytes takes up besides its bytes, about. */
const ARRAY_BYTES = 256;

/** Whether bytes are nothing but zeros. */
export function isZero(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}

/** The places of chunks that a range of bytes touches, each with the part of it that it touches. */
function* places(start: number, end: number): Iterable<{ index: number; from: number; until: number }> {
  for (let index = Math.floor(start / CHUNK_BYTES); index * CHUNK_BYTES < end; index++) {
    const base = index * CHUNK_BYTES;
    yield { index, from: Math.max(0, start - base), until: Math.min(CHUNK_BYTES, end - base) };
  }
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}
