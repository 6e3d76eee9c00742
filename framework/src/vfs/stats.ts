import { CHUNK_BYTES } from "./layout.ts";
import { isDirectory, isFile, isSymlink, type Node } from "./node.ts";
import type { Dirent, Stats } from "./types.ts";

/** What `stat` answers: a copy, so that it stays as it was. */
export class NodeStats implements Stats {
  readonly ino: number;
  readonly mode: number;
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly blocks: number;
  readonly blksize: number;
  readonly atimeMs: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthtimeMs: number;

  constructor(node: Node) {
    this.ino = node.id;
    this.mode = node.mode;
    this.nlink = node.nlink;
    this.uid = node.uid;
    this.gid = node.gid;
    this.size = node.size;
    this.blocks = Math.ceil(node.size / 512);
    this.blksize = CHUNK_BYTES;
    this.atimeMs = node.atime_s * 1000 + node.atime_ns / 1_000_000;
    this.mtimeMs = node.mtime_s * 1000 + node.mtime_ns / 1_000_000;
    this.ctimeMs = node.ctime_s * 1000 + node.ctime_ns / 1_000_000;
    this.birthtimeMs = node.btime_s * 1000 + node.btime_ns / 1_000_000;
  }

  get atime(): Date {
    return new Date(this.atimeMs);
  }
  get mtime(): Date {
    return new Date(this.mtimeMs);
  }
  get ctime(): Date {
    return new Date(this.ctimeMs);
  }
  get birthtime(): Date {
    return new Date(this.birthtimeMs);
  }

  isFile(): boolean {
    return isFile(this.mode);
  }
  isDirectory(): boolean {
    return isDirectory(this.mode);
  }
  isSymbolicLink(): boolean {
    return isSymlink(this.mode);
  }
}

/** An entry that `readdir` lists. */
export class DirectoryEntry implements Dirent {
  readonly name: string;
  readonly parentPath: string;
  readonly #mode: number;

  constructor(name: string, parentPath: string, mode: number) {
    this.name = name;
    this.parentPath = parentPath;
    this.#mode = mode;
  }

  isFile(): boolean {
    return isFile(this.#mode);
  }
  isDirectory(): boolean {
    return isDirectory(this.#mode);
  }
  isSymbolicLink(): boolean {
    return isSymlink(this.#mode);
  }
}
