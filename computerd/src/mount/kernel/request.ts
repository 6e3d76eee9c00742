import { E } from "../../tree/errors.ts";
import { IN_HEADER } from "./wire.ts";

const { at } = IN_HEADER;
const HIGH = 2 ** 32;

/**
 * A request as it came from the kernel, read in place. One object serves them all. Everything that is read
 * is checked against the request's length first; what does not fit is refused with EINVAL.
 */
export class Request {
  readonly bytes: Buffer;
  readonly #view: DataView;
  length = 0;
  opcode = 0;
  /** `unique`, which a reply repeats. */
  uniqueLow = 0;
  uniqueHigh = 0;
  /** The node id. */
  slot = 0;
  generation = 0;
  uid = 0;
  gid = 0;
  /** The thread that asks; 0 for what comes from the page cache. */
  pid = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Takes up the request in the first `length` bytes; false when it is too short or lies about its length. */
  begin(length: number): boolean {
    if (length < IN_HEADER.size || length > this.bytes.length) return false;
    const view = this.#view;
    if (view.getUint32(at.len, true) !== length) return false;
    this.length = length;
    this.opcode = view.getUint32(at.opcode, true);
    this.uniqueLow = view.getUint32(at.unique, true);
    this.uniqueHigh = view.getUint32(at.unique + 4, true);
    this.slot = view.getUint32(at.nodeid, true);
    this.generation = view.getUint32(at.nodeid + 4, true);
    this.uid = view.getUint32(at.uid, true);
    this.gid = view.getUint32(at.gid, true);
    this.pid = view.getUint32(at.pid, true);
    return true;
  }

  /** Where the body begins; refuses a request whose body is shorter than `size`. */
  body(size: number): number {
    if (this.length < IN_HEADER.size + size) throw E.EINVAL;
    return IN_HEADER.size;
  }

  u32(offset: number): number {
    return this.#view.getUint32(offset, true);
  }

  /** A number of 64 bits; refuses what no double holds exactly. */
  u64(offset: number): number {
    const value = this.#view.getUint32(offset + 4, true) * HIGH + this.#view.getUint32(offset, true);
    if (value > Number.MAX_SAFE_INTEGER) throw E.EINVAL;
    return value;
  }

  /** A size or an offset in a file, of 64 bits; what no file can have is refused as too large. */
  offset(offset: number): number {
    const value = this.#view.getUint32(offset + 4, true) * HIGH + this.#view.getUint32(offset, true);
    if (value > Number.MAX_SAFE_INTEGER) throw E.EFBIG;
    return value;
  }

  /** A number of 64 bits with a sign: times before 1970. */
  i64(offset: number): number {
    const value = this.#view.getInt32(offset + 4, true) * HIGH + this.#view.getUint32(offset, true);
    if (!Number.isSafeInteger(value)) throw E.EINVAL;
    return value;
  }

  /** A string that ends with NUL, as one character per byte. */
  name(offset: number): string {
    const end = this.bytes.indexOf(0, offset);
    if (end < 0 || end >= this.length || offset >= this.length) throw E.EINVAL;
    return this.bytes.toString("latin1", offset, end);
  }
}
