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

/**
 * A moment, as `node:fs` takes it: a date, or SECONDS since 1970 as a number or numeric string. Fractions count, down to
 * the microsecond.
 *
 * @example
 * ```ts
 * await workspace.fs.utimes("/notes.md", Date.now() / 1000, new Date("2026-01-31T12:00:00Z"));
 * ```
 */
export type Time = number | string | Date;
