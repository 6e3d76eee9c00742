import type { Encoding, FileData, Stats, Time } from "./basic-types.ts";

/** How `open` opens: a name like `"r+"` or the sum of `O_` constants, as in `node:fs`. */
export type OpenFlags = string | number;

/** Where in a buffer and in a file `FileHandle.read` and `write` work. */
export interface RangeOptions {
  /** Where in the buffer; 0 by default. */
  offset?: number | null;
  /** How many bytes; the rest of the buffer by default. */
  length?: number | null;
  /** Where in the file. By default where the last call without a position ended. */
  position?: number | null;
}

/**
 * An open file, in the shape of Node's. It stays the same file whatever becomes of its name: renamed,
 * replaced, or removed, its content lives until it is closed. Writes change only the parts of the file
 * that they touch. Each call that has resolved is durable; a write of more than 2 MiB goes in steps, and
 * what breaks it off leaves the steps that were done.
 *
 * @example
 * ```ts
 * await using file = await workspace.fs.open("/table", "r+");
 * await file.write(new Uint8Array([1, 2, 3]), 0, 3, 4096);
 * ```
 */
export interface FileHandle extends AsyncDisposable {
  /** The number of this opening. It is not one of the operating system's. */
  readonly fd: number;
  /** Fills a buffer, 16 KiB when none is given; `bytesRead` is 0 at the end of the file. */
  read<B extends Uint8Array>(
    buffer: B,
    offset?: number | null,
    length?: number | null,
    position?: number | null,
  ): Promise<{ bytesRead: number; buffer: B }>;
  read<B extends Uint8Array>(buffer: B, options?: RangeOptions): Promise<{ bytesRead: number; buffer: B }>;
  read<B extends Uint8Array = Uint8Array>(
    options?: RangeOptions & { buffer?: B },
  ): Promise<{ bytesRead: number; buffer: B }>;
  /** Writes at a position, or where the last call ended; at the end of a file opened to append. */
  write<B extends Uint8Array>(
    buffer: B,
    offset?: number | null,
    length?: number | null,
    position?: number | null,
  ): Promise<{ bytesWritten: number; buffer: B }>;
  write<B extends Uint8Array>(
    buffer: B,
    options?: RangeOptions,
  ): Promise<{ bytesWritten: number; buffer: B }>;
  write(
    text: string,
    position?: number | null,
    encoding?: Encoding,
  ): Promise<{ bytesWritten: number; buffer: string }>;
  /** What is left of the file from where the last call ended. */
  readFile(options?: { encoding?: null } | null): Promise<Uint8Array>;
  readFile(options: Encoding | { encoding: Encoding }): Promise<string>;
  readFile(options?: Encoding | { encoding?: Encoding | null } | null): Promise<Uint8Array | string>;
  /** Writes from where the last call ended; does not cut what lies beyond. */
  writeFile(data: FileData, options?: { encoding?: Encoding | null } | Encoding): Promise<void>;
  appendFile(data: FileData, options?: { encoding?: Encoding | null } | Encoding): Promise<void>;
  truncate(length?: number): Promise<void>;
  stat(): Promise<Stats>;
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  utimes(atime: Time, mtime: Time): Promise<void>;
  /** Resolves at once: what has been acknowledged is durable already. */
  sync(): Promise<void>;
  datasync(): Promise<void>;
  /** Lets go of the file. Every later call rejects with `EBADF`; closing again does nothing. */
  close(): Promise<void>;
}
