import { MAX_INLINE_FILE_BYTES } from "../doors/protocol.ts";
import { checkEncoding, decode, toBytes } from "../vfs/bytes.ts";
import { fsError } from "../vfs/errors.ts";
import type { FileHandle, RangeOptions } from "../vfs/handle-types.ts";
import { READ_BYTES, readArguments, writeArguments } from "../vfs/ranges.ts";
import type { Encoding, FileData, Stats, Time } from "../vfs/types.ts";
import type { Link } from "./link.ts";
import { plainValue, RemoteStats } from "./revive.ts";
import type { RemoteFileStub } from "./root.ts";

type ReadOptions = Encoding | { encoding?: Encoding | null } | null;

let next = 3;

/** A file that is open at the other end. When the connection breaks, it is closed there, and every call rejects. */
export class RemoteFileHandle implements FileHandle {
  readonly #link: Link;
  readonly #stub: RemoteFileStub;
  readonly #number = next++;
  #closed = false;

  constructor(link: Link, stub: RemoteFileStub) {
    this.#link = link;
    this.#stub = stub;
  }

  get fd(): number {
    return this.#closed ? -1 : this.#number;
  }

  async read<B extends Uint8Array>(
    given?: B | (RangeOptions & { buffer?: B }),
    at?: number | null | RangeOptions,
    length?: number | null,
    position?: number | null,
  ): Promise<{ bytesRead: number; buffer: B }> {
    const { buffer, start, end, from } = readArguments<B>(given, at, length, position);
    let bytesRead = 0;
    while (start + bytesRead < end) {
      const wanted = Math.min(MAX_INLINE_FILE_BYTES, end - start - bytesRead);
      const place = from === undefined ? undefined : from + bytesRead;
      const bytes = plainValue(await this.#call("read", (file) => file.read(wanted, place))) as Uint8Array;
      buffer.set(bytes, start + bytesRead);
      bytesRead += bytes.length;
      if (bytes.length < wanted) break;
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
    const parts: Uint8Array[] = [];
    for (let wanted = READ_BYTES, more = true; more; wanted = MAX_INLINE_FILE_BYTES) {
      const part = plainValue(await this.#call("read", (file) => file.read(wanted))) as Uint8Array;
      parts.push(part);
      more = part.length === wanted;
    }
    const bytes = new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
    return encoding === undefined ? bytes : decode(bytes);
  }

  async writeFile(data: FileData, options?: { encoding?: Encoding | null } | Encoding): Promise<void> {
    checkEncoding(typeof options === "string" ? options : options?.encoding);
    await this.#write(toBytes(data), undefined);
  }

  appendFile(data: FileData, options?: { encoding?: Encoding | null } | Encoding): Promise<void> {
    return this.writeFile(data, options);
  }

  truncate(length?: number): Promise<void> {
    return this.#call("ftruncate", (file) => file.truncate(length));
  }

  async stat(): Promise<Stats> {
    return new RemoteStats(await this.#call("fstat", (file) => file.stat()));
  }

  chmod(mode: number): Promise<void> {
    return this.#call("fchmod", (file) => file.chmod(mode));
  }

  chown(uid: number, gid: number): Promise<void> {
    return this.#call("fchown", (file) => file.chown(uid, gid));
  }

  utimes(atime: Time, mtime: Time): Promise<void> {
    return this.#call("futime", (file) => file.utimes(atime, mtime));
  }

  sync(): Promise<void> {
    return this.#call("fsync", (file) => file.sync());
  }

  datasync(): Promise<void> {
    return this.#call("fdatasync", (file) => file.sync());
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      await this.#call("close", (file) => file.close());
    } finally {
      this.#closed = true;
      this.#stub[Symbol.dispose]();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #write(bytes: Uint8Array, from: number | undefined): Promise<void> {
    for (let at = 0; at < bytes.length; at += MAX_INLINE_FILE_BYTES) {
      const part = bytes.subarray(at, at + MAX_INLINE_FILE_BYTES);
      await this.#call("write", (file) => file.write(part, from === undefined ? undefined : from + at));
    }
  }

  async #call<T>(syscall: string, work: (file: RemoteFileStub) => PromiseLike<T>): Promise<T> {
    if (this.#closed) throw fsError("EBADF", { syscall }, "file closed");
    return this.#link.use(() => work(this.#stub));
  }
}
