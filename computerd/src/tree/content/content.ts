import { E, fromNode } from "../errors.ts";
import type { Inode } from "../inode.ts";
import { BLOCK, Extents, findRun } from "./extents.ts";
import type { Segments } from "./segments.ts";

/** The greatest size of a file: what 2^31 blocks hold. */
export const SIZE_MAX = 2 ** 31 * BLOCK;
/** A file with more runs than this gets its space in larger pieces, so that its map stays small. */
const MANY_RUNS = 3 * 16_384;
const PIECE_BLOCKS = 16;
/** Up to this size a padded write is copied together and written by one call. */
const SCRATCH = 64 * 1024;
const ZEROS = Buffer.alloc(1 << 20);

/** One version of a file's bytes, which later writes do not change. Give it back by `unpin`. */
export interface Pin {
  readonly size: number;
  readonly runs: number[];
  readonly extents: Extents;
}

/**
 * The bytes of files over {@link Segments}. The kernel's page cache is the cache: bytes go straight to the
 * store's files, so that no content is held in this process, whatever its size.
 *
 * What of a file's last block lies past its end is always zero; so a file that grows needs no more than a
 * new size.
 */
export class Content {
  readonly #segments: Segments;
  readonly #scratch = Buffer.alloc(SCRATCH + 2 * BLOCK);
  /** The version that changes belong to; the tree keeps it. */
  version = 0;

  constructor(segments: Segments) {
    this.#segments = segments;
  }

  /** Reads at most `length` bytes; how many that were. Holes are zeros. */
  read(node: Inode, offset: number, length: number, into: Uint8Array, at: number): number {
    return this.#read(node.extents?.runs, node.size, offset, length, into, at, node.extents);
  }

  /** Reads from a pinned version. */
  readPin(pin: Pin, offset: number, length: number, into: Uint8Array, at: number): number {
    return this.#read(pin.runs, pin.size, offset, length, into, at, undefined);
  }

  /** Writes bytes. The node's size grows where need be; its times and versions are the tree's business. */
  write(node: Inode, offset: number, from: Uint8Array, at: number, length: number): void {
    if (length === 0) return;
    const end = offset + length;
    if (end > SIZE_MAX) throw E.EFBIG;
    node.extents ??= new Extents();
    const extents = node.extents;
    try {
      let done = 0;
      while (done < length) {
        const position = offset + done;
        const block = Math.floor(position / BLOCK);
        const inBlock = position - block * BLOCK;
        const run = extents.find(block);
        const { runs } = extents;
        const mapped = run < runs.length && (runs[run] as number) <= block;
        const limit = mapped
          ? (runs[run] as number) + (runs[run + 2] as number)
          : run < runs.length
            ? (runs[run] as number)
            : Number.POSITIVE_INFINITY;
        const most = Math.min(length - done, limit * BLOCK - position);
        if (mapped && extents.pins === undefined) {
          const store = (runs[run + 1] as number) + block - (runs[run] as number);
          this.#segments.write(store, inBlock, from, at + done, most);
          done += most;
        } else if (mapped) done += this.#replace(extents, block, inBlock, from, at + done, most);
        else done += this.#fill(extents, block, inBlock, from, at + done, most);
      }
    } catch (error) {
      throw fromNode(error);
    } finally {
      if (extents.runs.length === 0 && extents.pins === undefined) node.extents = undefined;
    }
    if (end > node.size) node.size = end;
  }

  /** Makes the file shorter or longer; what is added reads as zeros and takes no space. */
  resize(node: Inode, size: number): void {
    if (size > SIZE_MAX) throw E.EFBIG;
    if (size < node.size) {
      const kept = Math.ceil(size / BLOCK);
      this.#unmap(node, kept, Number.POSITIVE_INFINITY);
      const tail = size % BLOCK;
      if (tail !== 0) this.#zeroWithin(node, size, kept * BLOCK);
    } else {
      // Blocks that were reserved past the end are zeros already.
    }
    node.size = size;
  }

  /** Makes a hole: whole blocks give their space back, parts of blocks become zeros. */
  punch(node: Inode, offset: number, length: number): void {
    const end = offset + length;
    const first = Math.ceil(offset / BLOCK);
    const last = Math.floor(end / BLOCK);
    if (first > last || first * BLOCK > end) {
      this.#zeroWithin(node, offset, end);
      return;
    }
    this.#zeroWithin(node, offset, first * BLOCK);
    this.#zeroWithin(node, last * BLOCK, end);
    this.#unmap(node, first, last);
  }

  /** Gives the holes of a range blocks of zeros, without changing the size. */
  reserve(node: Inode, offset: number, length: number): void {
    const end = offset + length;
    if (end > SIZE_MAX) throw E.EFBIG;
    node.extents ??= new Extents();
    const extents = node.extents;
    let block = Math.floor(offset / BLOCK);
    const last = Math.ceil(end / BLOCK);
    try {
      while (block < last) {
        const at = extents.find(block);
        const { runs } = extents;
        const start = at < runs.length ? (runs[at] as number) : Number.POSITIVE_INFINITY;
        if (start <= block) {
          block = start + (runs[at + 2] as number);
          continue;
        }
        const run = this.#segments.allocate(Math.min(last, start) - block, extents.near(block));
        if (!this.#segments.isVirgin(run.start)) {
          try {
            for (let done = 0; done < run.count; done += 256) {
              this.#segments.write(run.start + done, 0, ZEROS, 0, Math.min(256, run.count - done) * BLOCK);
            }
          } catch (error) {
            this.#segments.free(run.start, run.count);
            throw error;
          }
        }
        extents.insert(block, run.start, run.count);
        extents.version = this.version;
        block += run.count;
      }
    } catch (error) {
      throw fromNode(error);
    } finally {
      if (extents.runs.length === 0 && extents.pins === undefined) node.extents = undefined;
    }
  }

  /** The next offset with data, or the next hole, at or after an offset; undefined when there is none. */
  seek(node: Inode, offset: number, wantData: boolean): number | undefined {
    if (offset >= node.size) return undefined;
    const runs = node.extents?.runs ?? [];
    let block = Math.floor(offset / BLOCK);
    let at = node.extents?.find(block) ?? 0;
    if (wantData) {
      if (at >= runs.length) return undefined;
      const found = Math.max(offset, (runs[at] as number) * BLOCK);
      return found < node.size ? found : undefined;
    }
    while (at < runs.length && (runs[at] as number) <= block) {
      block = (runs[at] as number) + (runs[at + 2] as number);
      at += 3;
    }
    return Math.min(node.size, Math.max(offset, block * BLOCK));
  }

  /** Drops all bytes of a node that dies. */
  drop(node: Inode): void {
    this.#unmap(node, 0, Number.POSITIVE_INFINITY);
    node.extents = undefined;
  }

  /** Holds the bytes as they are now; writes that follow go elsewhere. */
  pin(node: Inode): Pin {
    node.extents ??= new Extents();
    const runs = [...node.extents.runs];
    node.extents.pins ??= [];
    node.extents.pins.push(runs);
    return { size: node.size, runs, extents: node.extents };
  }

  /** Lets go of a pinned version; what only it used is free again. */
  unpin(pin: Pin): void {
    const { extents } = pin;
    if (extents.pins === undefined) return;
    const index = extents.pins.indexOf(pin.runs);
    if (index < 0) return;
    extents.pins.splice(index, 1);
    if (extents.pins.length > 0) return;
    extents.pins = undefined;
    const { deferred } = extents;
    extents.deferred = undefined;
    for (let at = 0; deferred !== undefined && at < deferred.length; at += 2)
      this.#segments.free(deferred[at] as number, deferred[at + 1] as number);
  }

  #read(
    runs: readonly number[] | undefined,
    size: number,
    offset: number,
    length: number,
    into: Uint8Array,
    at: number,
    extents: Extents | undefined,
  ): number {
    const total = Math.max(0, Math.min(length, size - offset));
    if (total === 0) return 0;
    let done = 0;
    const firstBlock = Math.floor(offset / BLOCK);
    let run = extents?.find(firstBlock) ?? findRun(runs ?? [], firstBlock);
    while (done < total) {
      const position = offset + done;
      const block = Math.floor(position / BLOCK);
      const start =
        runs !== undefined && run < runs.length ? (runs[run] as number) : Number.POSITIVE_INFINITY;
      if (start > block || runs === undefined) {
        const most = Math.min(total - done, start * BLOCK - position);
        into.fill(0, at + done, at + done + most);
        done += most;
        continue;
      }
      const most = Math.min(total - done, (start + (runs[run + 2] as number)) * BLOCK - position);
      try {
        const store = (runs[run + 1] as number) + block - start;
        this.#segments.read(store, position - block * BLOCK, into, at + done, most);
      } catch (error) {
        throw fromNode(error);
      }
      done += most;
      run += 3;
    }
    return total;
  }

  /** Writes into a hole: takes space, pads what is not covered with zeros. How many bytes were written. */
  #fill(
    extents: Extents,
    block: number,
    inBlock: number,
    from: Uint8Array,
    at: number,
    length: number,
  ): number {
    let wanted = Math.ceil((inBlock + length) / BLOCK);
    let first = block;
    if (extents.runs.length > MANY_RUNS && wanted < PIECE_BLOCKS) {
      // Take the whole aligned piece, or as much of it as is a hole.
      const [low, high] = extents.hole(block);
      first = Math.max(low, Math.floor(block / PIECE_BLOCKS) * PIECE_BLOCKS);
      wanted = Math.min(high, Math.ceil((block + wanted) / PIECE_BLOCKS) * PIECE_BLOCKS) - first;
    }
    const run = this.#segments.allocate(wanted, extents.near(first));
    if (first + run.count <= block) {
      // Space so scattered that the piece did not reach the block: do without.
      this.#segments.free(run.start, run.count);
      return this.#fillOne(extents, block, inBlock, from, at, length);
    }
    const head = (block - first) * BLOCK + inBlock;
    const bytes = Math.min(length, run.count * BLOCK - head);
    try {
      this.#writePadded(run.start, run.count * BLOCK, head, from, at, bytes);
    } catch (error) {
      this.#segments.free(run.start, run.count);
      throw error;
    }
    extents.insert(first, run.start, run.count);
    extents.version = this.version;
    return bytes;
  }

  #fillOne(
    extents: Extents,
    block: number,
    inBlock: number,
    from: Uint8Array,
    at: number,
    length: number,
  ): number {
    const run = this.#segments.allocate(1, 0);
    const bytes = Math.min(length, BLOCK - inBlock);
    try {
      this.#writePadded(run.start, BLOCK, inBlock, from, at, bytes);
    } catch (error) {
      this.#segments.free(run.start, run.count);
      throw error;
    }
    extents.insert(block, run.start, 1);
    extents.version = this.version;
    return bytes;
  }

  #writePadded(
    store: number,
    total: number,
    head: number,
    from: Uint8Array,
    at: number,
    length: number,
  ): void {
    const tail = total - head - length;
    if (head === 0 && tail === 0) {
      this.#segments.write(store, 0, from, at, length);
      return;
    }
    if (total <= this.#scratch.length) {
      const scratch = this.#scratch;
      if (head > 0) scratch.fill(0, 0, head);
      scratch.set(from.subarray(at, at + length), head);
      if (tail > 0) scratch.fill(0, head + length, total);
      this.#segments.write(store, 0, scratch, 0, total);
      return;
    }
    for (let done = 0; done < head; done += ZEROS.length)
      this.#segments.write(store, done, ZEROS, 0, Math.min(ZEROS.length, head - done));
    this.#segments.write(store, head, from, at, length);
    for (let done = 0; done < tail; done += ZEROS.length)
      this.#segments.write(store, head + length + done, ZEROS, 0, Math.min(ZEROS.length, tail - done));
  }

  /** Writes over blocks of a file that has pinned versions: elsewhere where a pin needs the old bytes. */
  #replace(
    extents: Extents,
    block: number,
    inBlock: number,
    from: Uint8Array,
    at: number,
    length: number,
  ): number {
    const run = extents.find(block);
    const store = (extents.runs[run + 1] as number) + block - (extents.runs[run] as number);
    const bytes = Math.min(length, BLOCK - inBlock);
    if (!extents.isPinned(block, store)) {
      this.#segments.write(store, inBlock, from, at, bytes);
      return bytes;
    }
    const copy = Buffer.allocUnsafe(BLOCK);
    if (bytes < BLOCK) this.#segments.read(store, 0, copy, 0, BLOCK);
    copy.set(from.subarray(at, at + bytes), inBlock);
    const fresh = this.#segments.allocate(1, extents.near(block));
    try {
      this.#segments.write(fresh.start, 0, copy, 0, BLOCK);
    } catch (error) {
      this.#segments.free(fresh.start, fresh.count);
      throw error;
    }
    this.#removeRuns(extents, block, block + 1);
    extents.insert(block, fresh.start, 1);
    extents.version = this.version;
    return bytes;
  }

  #zeroWithin(node: Inode, from: number, to: number): void {
    const { extents } = node;
    let at = from;
    while (extents !== undefined && at < to) {
      const block = Math.floor(at / BLOCK);
      const most = Math.min(to, (block + 1) * BLOCK) - at;
      const run = extents.find(block);
      if (run < extents.runs.length && (extents.runs[run] as number) <= block) {
        try {
          this.#replace(extents, block, at - block * BLOCK, ZEROS, 0, most);
        } catch (error) {
          throw fromNode(error);
        }
      }
      at += most;
    }
  }

  #unmap(node: Inode, from: number, to: number): void {
    const { extents } = node;
    if (extents === undefined || from >= to) return;
    this.#removeRuns(extents, from, to);
    extents.version = this.version;
    if (extents.runs.length === 0 && extents.pins === undefined) node.extents = undefined;
  }

  #removeRuns(extents: Extents, from: number, to: number): void {
    extents.remove(from, to, (store, count) => {
      if (extents.pins === undefined) {
        this.#segments.free(store, count);
        return;
      }
      extents.deferred ??= [];
      extents.deferred.push(store, count);
    });
  }
}
