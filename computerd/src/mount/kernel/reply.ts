import type { Inode } from "../../tree/inode.ts";
import { ATTR, ATTR_OUT, ENTRY_OUT, OUT_HEADER } from "./wire.ts";

const HIGH = 2 ** 32;
/** Seconds that the kernel may keep names and attributes: whatever changes past it is invalidated. */
const VALID = 86_400;
/** Where a reply's payload begins. */
export const PAYLOAD = OUT_HEADER.size;

/** The reply under way, written in place. One object serves them all. */
export class Reply {
  readonly bytes: Buffer;
  readonly #view: DataView;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Writes the header; the length of the whole message. `errno` is positive, 0 for success. */
  finish(uniqueLow: number, uniqueHigh: number, payload: number, errno: number): number {
    const view = this.#view;
    const length = PAYLOAD + payload;
    view.setUint32(OUT_HEADER.at.len, length, true);
    view.setInt32(OUT_HEADER.at.error, -errno, true);
    view.setUint32(OUT_HEADER.at.unique, uniqueLow, true);
    view.setUint32(OUT_HEADER.at.unique + 4, uniqueHigh, true);
    return length;
  }

  u16(offset: number, value: number): void {
    this.#view.setUint16(offset, value, true);
  }

  u32(offset: number, value: number): void {
    this.#view.setUint32(offset, value, true);
  }

  u64(offset: number, value: number): void {
    this.#view.setUint32(offset, value >>> 0, true);
    this.#view.setUint32(offset + 4, Math.floor(value / HIGH), true);
  }

  zero(offset: number, length: number): void {
    this.bytes.fill(0, offset, offset + length);
  }

  /** What LOOKUP and all that make a node answer. The caller counts the lookup. */
  entry(offset: number, node: Inode): void {
    const { at } = ENTRY_OUT;
    const view = this.#view;
    view.setUint32(offset + at.nodeid, node.slot, true);
    view.setUint32(offset + at.nodeid + 4, node.generation, true);
    this.u64(offset + at.generation, 0);
    this.u64(offset + at.entry_valid, VALID);
    this.u64(offset + at.attr_valid, VALID);
    this.u64(offset + at.entry_valid_nsec, 0);
    this.attributes(offset + at.attr, node);
  }

  /** "No such name", which the kernel may remember. */
  noEntry(offset: number, remember: boolean): void {
    this.zero(offset, ENTRY_OUT.size);
    if (remember) this.u64(offset + ENTRY_OUT.at.entry_valid, VALID);
  }

  /** What GETATTR and SETATTR answer. */
  attrOut(offset: number, node: Inode): void {
    this.u64(offset + ATTR_OUT.at.attr_valid, VALID);
    this.u64(offset + ATTR_OUT.at.attr_valid_nsec, 0);
    this.attributes(offset + ATTR_OUT.at.attr, node);
  }

  attributes(offset: number, node: Inode): void {
    const { at } = ATTR;
    const view = this.#view;
    this.u64(offset + at.ino, node.id);
    this.u64(offset + at.size, node.size);
    this.u64(offset + at.blocks, node.extents === undefined ? 0 : node.extents.blocks * 8);
    this.u64(offset + at.atime, node.atimeSec);
    this.u64(offset + at.mtime, node.mtimeSec);
    this.u64(offset + at.ctime, node.ctimeSec);
    view.setUint32(offset + at.atimensec, node.atimeNsec, true);
    view.setUint32(offset + at.mtimensec, node.mtimeNsec, true);
    view.setUint32(offset + at.ctimensec, node.ctimeNsec, true);
    view.setUint32(offset + at.mode, node.mode, true);
    view.setUint32(offset + at.nlink, node.nlink, true);
    view.setUint32(offset + at.uid, node.uid, true);
    view.setUint32(offset + at.gid, node.gid, true);
    view.setUint32(offset + at.rdev, node.rdev, true);
    view.setUint32(offset + at.blksize, 4096, true);
    view.setUint32(offset + at.flags, 0, true);
  }
}
