import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { E, fromNode } from "../errors.ts";
import { BLOCK, SEGMENT_BLOCKS } from "./extents.ts";

/** At most 16 TiB: block numbers stay small integers. */
const MAX_SEGMENTS = 32_768;

interface Segment {
  fd: number;
  /** One bit per block: taken. */
  bits: Uint32Array;
  free: number;
  /** Where the next search begins. */
  cursor: number;
  /** Blocks from here on were never written. */
  virgin: number;
  /** Written since it was last synced. */
  dirty: boolean;
}

/** A run of blocks in the store. */
export interface Run {
  start: number;
  count: number;
}

/**
 * The space that contents lie in: files of 256 MiB, blocks of 4 KiB, a bit per block. A freed block is
 * handed out again only after {@link release}, that is after the journal says that nobody has it any more.
 * A segment without any used block gives its space back to the disk.
 */
export class Segments {
  readonly #folder: string;
  readonly #segments: (Segment | undefined)[] = [];
  /** Freed, but not yet to be used again: start and count in turn. */
  #quarantine: number[] = [];
  #first = 0;
  #used = 0;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Blocks that contents take up, those in quarantine included. */
  get used(): number {
    return this.#used;
  }

  /** Blocks that lie in the files without being used: room that the disk does not know of. */
  get spare(): number {
    let spare = 0;
    for (const segment of this.#segments) if (segment !== undefined) spare += segment.free;
    return spare;
  }

  /** Reads from blocks that lie together in one segment; what was never written reads as zeros. */
  read(block: number, inBlock: number, into: Uint8Array, at: number, length: number): void {
    const { fd } = this.#segment(block);
    const position = (block % SEGMENT_BLOCKS) * BLOCK + inBlock;
    let done = 0;
    while (done < length) {
      const count = readSync(fd, into, at + done, length - done, position + done);
      if (count === 0) break;
      done += count;
    }
    if (done < length) into.fill(0, at + done, at + length);
  }

  /** Writes into blocks that lie together in one segment. */
  write(block: number, inBlock: number, from: Uint8Array, at: number, length: number): void {
    const segment = this.#segment(block);
    const first = block % SEGMENT_BLOCKS;
    const position = first * BLOCK + inBlock;
    segment.dirty = true;
    segment.virgin = Math.max(segment.virgin, first + Math.ceil((inBlock + length) / BLOCK));
    let done = 0;
    while (done < length) done += writeSync(segment.fd, from, at + done, length - done, position + done);
  }

  /** Whether blocks were never written and so read as zeros, from this block to its segment's end. */
  isVirgin(block: number): boolean {
    return block % SEGMENT_BLOCKS >= this.#segment(block).virgin;
  }

  /** Takes a run of at most `wanted` blocks that lie together, right after `near` where that is free. */
  allocate(wanted: number, near: number): Run {
    if (near > 0) {
      const run = this.#takeAt(near, wanted);
      if (run > 0) return { start: near, count: run };
    }
    for (let index = this.#first; index < MAX_SEGMENTS; index++) {
      const segment = this.#segments[index] ?? this.#open(index);
      if (segment.free === 0) {
        if (index === this.#first) this.#first++;
        continue;
      }
      const start = findRun(segment, Math.min(wanted, 256));
      const count = this.#takeAt(index * SEGMENT_BLOCKS + start, wanted);
      segment.cursor = start + count;
      return { start: index * SEGMENT_BLOCKS + start, count };
    }
    throw E.ENOSPC;
  }

  /** Gives blocks back; they are used again after the next {@link release}. */
  free(start: number, count: number): void {
    this.#quarantine.push(start, count);
  }

  /** Lets go of what was freed: call it when what is on record no longer names it. */
  release(): void {
    const runs = this.#quarantine;
    if (runs.length === 0) return;
    this.#quarantine = [];
    const touched = new Set<number>();
    for (let at = 0; at < runs.length; at += 2) {
      const start = runs[at] as number;
      const count = runs[at + 1] as number;
      const index = Math.floor(start / SEGMENT_BLOCKS);
      const segment = this.#segments[index];
      if (segment === undefined) continue;
      setBits(segment.bits, start % SEGMENT_BLOCKS, count, false);
      segment.free += count;
      this.#used -= count;
      if (index < this.#first) this.#first = index;
      touched.add(index);
    }
    for (const index of touched) {
      const segment = this.#segments[index] as Segment;
      if (segment.free < (index === 0 ? SEGMENT_BLOCKS - 1 : SEGMENT_BLOCKS)) continue;
      segment.cursor = 0;
      try {
        ftruncateSync(segment.fd, 0);
        segment.virgin = 0;
      } catch {
        // The space stays with the file; the blocks are free all the same.
      }
    }
  }

  /** Marks blocks as taken, while a store is opened again. */
  claim(start: number, count: number): void {
    const index = Math.floor(start / SEGMENT_BLOCKS);
    const segment = this.#segments[index] ?? this.#open(index);
    setBits(segment.bits, start % SEGMENT_BLOCKS, count, true);
    segment.free -= count;
    this.#used += count;
  }

  /** The descriptors of the files that were written since they were last asked for. */
  takeDirty(): number[] {
    const dirty: number[] = [];
    for (const segment of this.#segments) {
      if (segment?.dirty) {
        segment.dirty = false;
        dirty.push(segment.fd);
      }
    }
    return dirty;
  }

  /** Waits until every written block is on the disk. */
  sync(): void {
    for (const fd of this.takeDirty()) fdatasyncSync(fd);
  }

  /** Closes the files. With `remove`, nothing of them is left. */
  close(remove = false): void {
    for (const segment of this.#segments) if (segment !== undefined) closeSync(segment.fd);
    this.#segments.length = 0;
    if (!remove) return;
    for (const name of readdirSync(this.#folder)) rmSync(join(this.#folder, name), { force: true });
  }

  #segment(block: number): Segment {
    const segment = this.#segments[Math.floor(block / SEGMENT_BLOCKS)];
    if (segment === undefined) throw E.EIO;
    return segment;
  }

  #open(index: number): Segment {
    const file = join(this.#folder, `segment-${String(index).padStart(5, "0")}`);
    let fd: number;
    let virgin: number;
    try {
      fd = openSync(file, "a+", 0o600);
      closeSync(fd);
      fd = openSync(file, "r+");
      virgin = Math.ceil(fstatSync(fd).size / BLOCK);
    } catch (error) {
      throw fromNode(error);
    }
    const bits = new Uint32Array(SEGMENT_BLOCKS / 32);
    const segment: Segment = { fd, bits, free: SEGMENT_BLOCKS, cursor: 0, virgin, dirty: false };
    // Block 0 of all is never used: 0 means "nowhere".
    if (index === 0) {
      setBits(bits, 0, 1, true);
      segment.free--;
    }
    this.#segments[index] = segment;
    return segment;
  }

  /** Takes the free blocks from `start` on, at most `wanted`; how many that were. */
  #takeAt(start: number, wanted: number): number {
    const segment = this.#segments[Math.floor(start / SEGMENT_BLOCKS)];
    if (segment === undefined) return 0;
    const first = start % SEGMENT_BLOCKS;
    const most = Math.min(wanted, SEGMENT_BLOCKS - first);
    let count = 0;
    while (count < most && !isSet(segment.bits, first + count)) count++;
    if (count === 0) return 0;
    setBits(segment.bits, first, count, true);
    segment.free -= count;
    this.#used += count;
    return count;
  }
}

function isSet(bits: Uint32Array, at: number): boolean {
  return ((bits[at >>> 5] as number) & (1 << (at & 31))) !== 0;
}

function setBits(bits: Uint32Array, start: number, count: number, value: boolean): void {
  let at = start;
  const end = start + count;
  while (at < end) {
    if ((at & 31) === 0 && end - at >= 32) {
      bits[at >>> 5] = value ? 0xffffffff : 0;
      at += 32;
      continue;
    }
    const mask = 1 << (at & 31);
    const word = bits[at >>> 5] as number;
    bits[at >>> 5] = value ? word | mask : word & ~mask;
    at++;
  }
}

/** Where a run of `wanted` free blocks begins, or else the longest run that a search through once found. */
function findRun(segment: Segment, wanted: number): number {
  const { bits } = segment;
  let best = -1;
  let bestLength = 0;
  let length = 0;
  const from = segment.cursor % SEGMENT_BLOCKS;
  for (let step = 0; step < SEGMENT_BLOCKS; ) {
    const at = (from + step) % SEGMENT_BLOCKS;
    if (at === 0) length = 0;
    const aligned = (at & 31) === 0 && step + 32 <= SEGMENT_BLOCKS;
    const word = bits[at >>> 5] as number;
    if (aligned && word === 0xffffffff) {
      length = 0;
      step += 32;
      continue;
    }
    if (aligned && word === 0) {
      length += 32;
      step += 32;
    } else {
      length = isSet(bits, at) ? 0 : length + 1;
      step++;
    }
    if (length > bestLength) {
      bestLength = length;
      best = (from + step - length) % SEGMENT_BLOCKS;
      if (length >= wanted) return best;
    }
  }
  if (best < 0) throw E.EIO;
  return best;
}
