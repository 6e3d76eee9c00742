import type { FindOptions, FindResult, GlobOptions, GrepOptions, GrepResult } from "../search/types.ts";
import type { Encoding, FileData, Stats, Time } from "./basic-types.ts";
import type { constants } from "./constants.ts";
import type { FileHandle, OpenFlags } from "./handle-types.ts";

export type { Encoding, FileData, NodeKind, Stats, Time } from "./basic-types.ts";

/**
 * The file-system interface of a workspace, in the shape of `node:fs/promises`.
 *
 * Paths are absolute POSIX paths. A name is bytes: a byte that is not valid UTF-8 appears in a string
 * as a lone surrogate U+DC80..U+DCFF and goes back as the byte 0x80..0xFF, so every name round-trips.
 */

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

/** Options of `cp`, as Node's. */
export interface CopyOptions {
  /** Copy a directory with all below it. Without it a directory is refused. */
  recursive?: boolean;
  /** Replace files that are there (default); else they stay as they are. */
  force?: boolean;
  /** Without `force`: fail when something is there. */
  errorOnExist?: boolean;
  /** Copy what symbolic links lead to, not the links. */
  dereference?: boolean;
  /** Give copied files the times of the originals. */
  preserveTimestamps?: boolean;
  /** Copy the targets of symbolic links as they are; else relative ones become absolute, and so lead to the original. */
  verbatimSymlinks?: boolean;
  /** Whether to copy this, and what is below it. */
  filter?: (source: string, target: string) => boolean | Promise<boolean>;
}

/** Options of `opendir`. */
export interface OpenDirOptions {
  /** List what is below too, depth first; links are not followed. */
  recursive?: boolean;
  /** Entries that are read ahead; 32 by default. */
  bufferSize?: number;
}

/**
 * A directory that is being listed, in the order of its names' bytes. It needs memory for the entries read ahead
 * only, however many there are. What comes or goes meanwhile, behind the place reached, is not missed.
 *
 * @example
 * ```ts
 * for await (const entry of await workspace.fs.opendir("/logs")) console.log(entry.name);
 * ```
 */
export interface Dir extends AsyncIterable<Dirent>, AsyncDisposable {
  readonly path: string;
  /** The next entry, or null at the end. */
  read(): Promise<Dirent | null>;
  close(): Promise<void>;
}

/** What `statfs` tells, in the shape of Node's. Blocks are 4096 bytes. */
export interface StatFs {
  /** 0x636f6d70, which is none of the kernel's. */
  readonly type: number;
  readonly bsize: number;
  /** Used and free blocks together. */
  readonly blocks: number;
  readonly bfree: number;
  readonly bavail: number;
  /** Used and free entries together. */
  readonly files: number;
  readonly ffree: number;
}

/** One file of `writeMany`. */
export interface FileToWrite {
  path: string;
  data: FileData;
  /** Permissions of a file that is created; an existing one keeps its own. Default `0o644`. */
  mode?: number;
  flag?: WriteOptions["flag"];
}

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
  /** The numbers that `access`, `open` and `copyFile` take, as those of `node:fs` on Linux. */
  readonly constants: typeof constants;

  readFile(path: string, options?: { encoding?: null } | null): Promise<Uint8Array>;
  /** Text as it is, a byte-order mark included. */
  readFile(path: string, options: Encoding | { encoding: Encoding }): Promise<string>;
  readFile(
    path: string,
    options?: Encoding | { encoding?: Encoding | null } | null,
  ): Promise<Uint8Array | string>;
  writeFile(path: string, data: FileData, options?: WriteOptions | Encoding): Promise<void>;
  /** Adding nothing to a file that is there does nothing. */
  appendFile(path: string, data: FileData, options?: WriteOptions | Encoding): Promise<void>;
  /** Cutting a file to the size it has does nothing. */
  truncate(path: string, length?: number): Promise<void>;
  /**
   * Opens a file to read or write parts of it.
   *
   * @param flags `"r"` by default.
   * @param mode permissions of a file that is created; `0o644` by default.
   */
  open(path: string, flags?: OpenFlags, mode?: number): Promise<FileHandle>;
  /** The contents of many files, all as they are at one moment: 4,096 at most, of 16 MiB together at most. */
  readMany(paths: readonly string[], options?: { encoding?: null } | null): Promise<Uint8Array[]>;
  readMany(paths: readonly string[], options: Encoding | { encoding: Encoding }): Promise<string[]>;
  /**
   * Writes many files in one transaction, all or none: 4,096 at most, of 16 MiB together at most.
   *
   * @param options `parents` makes the directories that are missing.
   * @example
   * ```ts
   * await workspace.fs.writeMany([{ path: "/site/a.md", data: "a" }, { path: "/site/b.md", data: "b" }], { parents: true });
   * ```
   */
  writeMany(files: readonly FileToWrite[], options?: { parents?: boolean }): Promise<void>;

  stat(path: string): Promise<Stats>;
  lstat(path: string): Promise<Stats>;
  /** Whether the path leads to something; a broken symbolic link does not. Never rejects for a missing path. */
  exists(path: string): Promise<boolean>;
  realpath(path: string): Promise<string>;
  /**
   * Resolves when the path leads to something that may be used as `mode` says: `constants.F_OK` (default), or the sum of
   * `R_OK`, `W_OK`, `X_OK`. Whoever works here is root: only a file that nobody may execute answers `EACCES`, to `X_OK`.
   */
  access(path: string, mode?: number): Promise<void>;
  /** Room that is taken and room that is left; agrees with `workspace.usage()`. */
  statfs(path: string): Promise<StatFs>;

  /** Names by their bytes, in order. With `recursive` also those below, level by level, links not followed. */
  readdir(path: string, options?: { withFileTypes?: false; recursive?: boolean }): Promise<string[]>;
  readdir(path: string, options: { withFileTypes: true; recursive?: boolean }): Promise<Dirent[]>;
  /** With `recursive`, answers the first directory that was made, or undefined when all were there. Mode `0o755` by default. */
  mkdir(path: string, options?: { recursive?: boolean; mode?: number } | number): Promise<string | undefined>;
  /** Makes a directory, mode `0o700`, whose name is the prefix and six random characters; answers its path. */
  mkdtemp(prefix: string): Promise<string>;
  opendir(path: string, options?: OpenDirOptions): Promise<Dir>;
  /** Removes an empty directory. */
  rmdir(path: string): Promise<void>;
  /** Takes away a name that is not a directory's; the file goes with its last name, once nobody has it open. */
  unlink(path: string): Promise<void>;
  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void>;
  rename(oldPath: string, newPath: string): Promise<void>;
  /** A number is a mode as in Node: `constants.COPYFILE_EXCL`. Large content is shared, not copied. */
  copyFile(source: string, target: string, options?: { exclusive?: boolean } | number): Promise<void>;
  /** Copies in steps: what fails on the way leaves what was copied. Large content is shared, not copied. */
  cp(source: string, target: string, options?: CopyOptions): Promise<void>;

  link(existingPath: string, newPath: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;

  /** Setting the mode it has moves `ctime` all the same, as POSIX has it. */
  chmod(path: string, mode: number): Promise<void>;
  /** An owner or group of -1 stays as it is. */
  chown(path: string, uid: number, gid: number): Promise<void>;
  lchown(path: string, uid: number, gid: number): Promise<void>;
  /** Times as `Time` has them: numbers are seconds. */
  utimes(path: string, atime: Time, mtime: Time): Promise<void>;
  /** As `utimes`, but of a symbolic link itself. */
  lutimes(path: string, atime: Time, mtime: Time): Promise<void>;

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
