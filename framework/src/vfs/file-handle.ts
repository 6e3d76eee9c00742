import { checkEncoding, decode, toBytes } from "./bytes.ts";
import { moment } from "./clock.ts";
import { invalidType, outOfRange, tooLarge } from "./errors.ts";
import type { Opening } from "./flags.ts";
import type { FileHandle, RangeOptions } from "./handle-types.ts";
import { STEP_BYTES } from "./layout.ts";
import { OpenFile } from "./open-file.ts";
import { owner, permissions } from "./options.ts";
import { pause } from "./pause.ts";
import { readArguments, writeArguments } from "./ranges.ts";
import { takeApart } from "./settle.ts";
import { NodeStats } from "./stats.ts";
import { milliseconds } from "./times.ts";
import type { Tree } from "./tree.ts";
import type { Encoding, FileData, Stats, Time } from "./types.ts";

type ReadOptions = Encoding | { encoding?: Encoding | null } | null;
type ReadParameters<B> = RangeOptions & { buffer?: B };

/** The asynchronous face of an {@link OpenFile}: checks arguments, and does what is large in steps. */
export class TreeFileHandle implements FileHandle {
  readonly #tree: () => Tree;
  readonly #file: OpenFile;

  /** @param tree answers the tree, or throws when it is closed. */
  constructor(tree: () => Tree, path: string, flags: Opening, mode: number) {
    this.#tree = tree;
    this.#file = new OpenFile(tree(), path, flags, mode);
  }

  get fd(): number {
    return this.#file.closed ? -1 : this.#file.number;
  }

  async read<B extends Uint8Array>(
    given?: B | ReadParameters<B>,
    at?: number | null | RangeOptions,
    length?: number | null,
    position?: number | null,
  ): Promise<{ bytesRead: number; buffer: B }> {
    const { buffer, start, end, from } = readArguments<B>(given, at, length, position);
    let bytesRead = 0;
    while (start + bytesRead < end) {
      const tree = this.#tree();
      const wanted = Math.min(STEP_BYTES, end - start - bytesRead);
      const bytes = this.#file.read(tree, wanted, from === undefined ? undefined : from + bytesRead);
      buffer.set(bytes, start + bytesRead);
      bytesRead += bytes.length;
      if (bytes.length < wanted) break;
      if (start + bytesRead < end) await pause();
    }
    return { bytesRead, buffer };
  }

  write<B extends Uint8Array>(
    buffer: B,
    at?: number | null | RangeOptions,
    length?: number | null,
    position?: number | null,
  ): Promise<{ bytesWritten: number; buffer: B }>;
  write(
    text: string,
    position?: number | null,
    encoding?: Encoding,
  ): Promise<{ bytesWritten: number; buffer: string }>;
  async write<B extends Uint8Array>(
    data: B | string,
    at?: number | null | RangeOptions,
    length?: number | null | Encoding,
    position?: number | null,
  ): Promise<{ bytesWritten: number; buffer: B | string }> {
    const { bytes, from } = writeArguments(data, at, length, position);
    await this.#write(bytes, from);
    return { bytesWritten: bytes.length, buffer: data as B | string };
  }

  readFile(options?: { encoding?: null } | null): Promise<Uint8Array>;
  readFile(options: Encoding | { encoding: Encoding }): Promise<string>;
  readFile(options?: ReadOptions): Promise<Uint8Array | string>;
  async readFile(options?: ReadOptions): Promise<Uint8Array | string> {
    const encoding = checkEncoding(typeof options === "string" ? options : options?.encoding);
    const tree = this.#tree();
    const left = Math.max(0, this.#file.readable(tree).size - this.#file.position);
    if (left > tree.readLimit) throw tooLarge(left, tree.readLimit);
    const { buffer, bytesRead } = await this.read(new Uint8Array(left));
    const bytes = buffer.subarray(0, bytesRead);
    return encoding === undefined ? bytes : decode(bytes);
  }

  async writeFile(data: FileData, options?: { encoding?: Encoding | null } | Encoding): Promise<void> {
    checkEncoding(typeof options === "string" ? options : options?.encoding);
    await this.#write(toBytes(data), undefined);
  }

  appendFile(data: FileData, options?: { encoding?: Encoding | null } | Encoding): Promise<void> {
    return this.writeFile(data, options);
  }

  async truncate(length = 0): Promise<void> {
    if (typeof length !== "number") throw invalidType("len", "of type number", length);
    if (!Number.isSafeInteger(length)) throw outOfRange("len", "an integer", length);
    this.#file.truncate(this.#tree(), Math.max(0, length));
  }

  async stat(): Promise<Stats> {
    return new NodeStats(this.#file.node(this.#tree(), "fstat"));
  }

  async chmod(mode: number): Promise<void> {
    const tree = this.#tree();
    const call = { syscall: "fchmod" };
    tree.attributes.setMode(this.#file.node(tree, call.syscall), permissions(mode), call);
  }

  async chown(uid: number, gid: number): Promise<void> {
    const tree = this.#tree();
    const call = { syscall: "fchown" };
    tree.attributes.setOwner(this.#file.node(tree, call.syscall), owner("uid", uid), owner("gid", gid), call);
  }

  async utimes(atime: Time, mtime: Time): Promise<void> {
    const tree = this.#tree();
    const call = { syscall: "futime" };
    const times = [moment(milliseconds("atime", atime)), moment(milliseconds("mtime", mtime))] as const;
    tree.attributes.setTimes(this.#file.node(tree, call.syscall), ...times, call);
  }

  async sync(): Promise<void> {
    this.#file.node(this.#tree(), "fsync");
  }

  async datasync(): Promise<void> {
    this.#file.node(this.#tree(), "fdatasync");
  }

  async close(): Promise<void> {
    if (this.#file.closed) return;
    const tree = this.#tree();
    if (this.#file.close(tree)) await takeApart(tree);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #write(bytes: Uint8Array, position: number | undefined): Promise<void> {
    this.#file.node(this.#tree(), "write");
    // As in Node, nothing is written to what may not be written, too.
    if (bytes.length === 0) return;
    this.#file.checkRoom(this.#tree(), bytes.length, position);
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      if (at > 0) await pause();
      const place = position === undefined ? undefined : position + at;
      this.#file.write(this.#tree(), bytes.subarray(at, at + STEP_BYTES), place);
    }
  }
}
