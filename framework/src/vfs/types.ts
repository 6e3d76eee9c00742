import type { FindOptions, FindResult, GlobOptions, GrepOptions, GrepResult } from "../search/types.ts";

/**
 * The file-system interface of a workspace, in the shape of `node:fs/promises`.
 *
 * Paths are absolute POSIX paths. A name is bytes: a byte that is not valid UTF-8 appears in a string
 * as a lone surrogate U+DC80..U+DCFF and goes back as the byte 0x80..0xFF, so every name round-trips.
 */

/** What to read or write a file's bytes as: `"utf8"` text, or (by default, when reading) bytes. */
export type Encoding = "utf8" | "utf-8";

/** File content to write; a string is written as UTF-8. */
export type FileData = string | Uint8Array;

/** The kind of a node. */
export type NodeKind = "file" | "directory" | "symlink";

/** What `stat` and `lstat` tell of a node; names and units are Node's. */
export interface Stats {
  /** The node's number, unique in its workspace and never used again. */
  readonly ino: number;
  /** Kind and permission bits, as in POSIX: `mode & 0o7777` are the permissions. */
  readonly mode: number;
  /** Names that lead to the node. */
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
  /** Bytes of content; of a symbolic link, bytes of its target. */
  readonly size: number;
  /** 512-byte blocks that the content takes up. */
  readonly blocks: number;
  /** Bytes that are read or written at best speed. */
  readonly blksize: number;
  /** Times in milliseconds since 1970, with fractions down to the microsecond. */
  readonly atimeMs: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthtimeMs: number;
  readonly atime: Date;
  readonly mtime: Date;
  readonly ctime: Date;
  readonly birthtime: Date;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** An entry of a directory, as `readdir(path, { withFileTypes: true })` lists it. */
export interface Dirent {
  readonly name: string;
  /** The directory it was listed from. */
  readonly parentPath: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** Options of `writeFile` and `appendFile`. */
export interface WriteOptions {
  encoding?: Encoding | null;
  /** Permissions of a file that is created; an existing one keeps its own. Default `0o644`. */
  mode?: number;
  /** `w` truncate or create (default), `wx` create only, `a` append or create, `ax` append, create only. */
  flag?: "w" | "wx" | "a" | "ax";
}

/** The part of a file that a read stream delivers: bytes `start` to `end`, both included. */
export interface ReadStreamOptions {
  start?: number;
  end?: number;
}

/** A moment: milliseconds since 1970, or a date. Fractions of a millisecond count. */
export type Time = number | Date;

/**
 * The verbs of a workspace's files. Each call is one transaction: it happened whole or not at all, and
 * once its promise has resolved it is durable. Calls take effect in the order they are made. Failures
 * reject with Node's errors (`code`, `errno`, `syscall`, `path`).
 *
 * Permissions and owners are kept, not enforced; there is no umask; reading leaves `atime` alone. A name
 * has at most 255 bytes, a path 4,095, and a path leads through 40 symbolic links at most.
 *
 * @example
 * ```ts
 * await workspace.fs.mkdir("/notes", { recursive: true });
 * await workspace.fs.writeFile("/notes/today.md", "# Today\n");
 * const text = await workspace.fs.readFile("/notes/today.md", "utf8");
 * ```
 */
export interface FileSystem {
  readFile(path: string, options?: { encoding?: null } | null): Promise<Uint8Array>;
  readFile(path: string, options: Encoding | { encoding: Encoding }): Promise<string>;
  readFile(
    path: string,
    options?: Encoding | { encoding?: Encoding | null } | null,
  ): Promise<Uint8Array | string>;
  writeFile(path: string, data: FileData, options?: WriteOptions | Encoding): Promise<void>;
  appendFile(path: string, data: FileData, options?: WriteOptions | Encoding): Promise<void>;
  truncate(path: string, length?: number): Promise<void>;

  stat(path: string): Promise<Stats>;
  lstat(path: string): Promise<Stats>;
  /** Whether the path leads to something; a broken symbolic link does not. Never rejects for a missing path. */
  exists(path: string): Promise<boolean>;
  realpath(path: string): Promise<string>;

  /** Names by their bytes, in order. With `recursive` also those below, level by level, links not followed. */
  readdir(path: string, options?: { withFileTypes?: false; recursive?: boolean }): Promise<string[]>;
  readdir(path: string, options: { withFileTypes: true; recursive?: boolean }): Promise<Dirent[]>;
  /** With `recursive`, answers the first directory that was made, or undefined when all were there. Mode `0o755` by default. */
  mkdir(path: string, options?: { recursive?: boolean; mode?: number } | number): Promise<string | undefined>;
  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void>;
  rename(oldPath: string, newPath: string): Promise<void>;
  copyFile(source: string, target: string, options?: { exclusive?: boolean }): Promise<void>;

  link(existingPath: string, newPath: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;

  chmod(path: string, mode: number): Promise<void>;
  utimes(path: string, atime: Time, mtime: Time): Promise<void>;

  /**
   * The paths that globs match, in the order of their bytes: of patterns that do not begin with a slash relative to
   * `cwd`, as in Node. `*`, `?`, `[a-z]`, `{a,b}`, `@(a|b)` and its like, and `**` for any number of directories;
   * a dot at the start of a name is matched only by a dot. Links are gone through where a pattern names them.
   *
   * @throws `ERR_BAD_ARGUMENT` for a pattern with `..`, or one that stands for too many.
   */
  glob(
    pattern: string | readonly string[],
    options: GlobOptions & { withFileTypes: true },
  ): AsyncIterable<Dirent>;
  glob(
    pattern: string | readonly string[],
    options?: GlobOptions & { withFileTypes?: false },
  ): AsyncIterable<string>;
  /**
   * Searches text files for lines that match a regular expression (in RE2's syntax, which no input makes slow) or a
   * text. Answers a page of them, with a cursor when there are more.
   *
   * @throws `ERR_BAD_ARGUMENT` for a pattern that is none of RE2's, or too large.
   */
  grep(pattern: string | RegExp, options?: GrepOptions): Promise<GrepResult>;
  /** Lists what is below a directory, by globs, kind, size and age. Answers a page, with a cursor when there is more. */
  find(options?: FindOptions): Promise<FindResult>;

  /** The file's bytes as a stream, from one version of the file: a later write does not tear it. */
  createReadStream(path: string, options?: ReadStreamOptions): ReadableStream<Uint8Array>;
  /** Bytes to become the file's content. Nothing shows until the stream is closed; aborting leaves the file as it was. */
  createWriteStream(path: string, options?: Pick<WriteOptions, "mode" | "flag">): WritableStream<Uint8Array>;
}
