import { crc32 } from "node:zlib";

/** What the journal holds: one kind per record. */
export const RECORD = { HEAD: 1, NODE: 2, RUNS: 3, NAME: 4 } as const;

/** A frame begins with this, its payload's length and the payload's CRC-32. */
const MAGIC = 0x4c4a4443;
export const FRAME_HEADER = 12;

/** Writes records one after the other into a buffer that grows. */
export class RecordWriter {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #at = FRAME_HEADER;

  get length(): number {
    return this.#at - FRAME_HEADER;
  }

  u8(value: number): void {
    this.#room(1);
    this.#at = this.#bytes.writeUInt8(value, this.#at);
  }

  u32(value: number): void {
    this.#room(4);
    this.#at = this.#bytes.writeUInt32LE(value, this.#at);
  }

  f64(value: number): void {
    this.#room(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  bytes(value: Uint8Array): void {
    this.u32(value.length);
    this.#room(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  text(value: string): void {
    this.u32(value.length);
    this.#room(value.length);
    this.#at += this.#bytes.write(value, this.#at, "latin1");
  }

  /** The records so far as a frame; the writer is empty afterwards. */
  frame(): Buffer {
    const frame = this.#bytes.subarray(0, this.#at);
    const payload = frame.subarray(FRAME_HEADER);
    frame.writeUInt32LE(MAGIC, 0);
    frame.writeUInt32LE(payload.length, 4);
    frame.writeUInt32LE(crc32(payload), 8);
    this.#at = FRAME_HEADER;
    return frame;
  }

  #room(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + more));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}

/** Reads records from a frame's payload. */
export class RecordReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(payload: Buffer) {
    this.#bytes = payload;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  u32(): number {
    this.#at += 4;
    return this.#bytes.readUInt32LE(this.#at - 4);
  }

  f64(): number {
    this.#at += 8;
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  bytes(): Buffer {
    const length = this.u32();
    this.#at += length;
    return Buffer.from(this.#bytes.subarray(this.#at - length, this.#at));
  }

  text(): string {
    const length = this.u32();
    this.#at += length;
    return this.#bytes.toString("latin1", this.#at - length, this.#at);
  }
}

/** The length of the payload that a frame's header announces; undefined when it is no header. */
export function announced(header: Buffer): number | undefined {
  return header.readUInt32LE(0) === MAGIC ? header.readUInt32LE(4) : undefined;
}

/** Whether a payload is the one that its header was written for. */
export function isWhole(header: Buffer, payload: Buffer): boolean {
  return crc32(payload) === header.readUInt32LE(8);
}
