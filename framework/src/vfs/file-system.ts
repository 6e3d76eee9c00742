import { find } from "../search/find.ts";
import { glob } from "../search/glob.ts";
import { grep } from "../search/grep.ts";
import type { FindOptions, FindResult, GlobOptions, GrepOptions, GrepResult } from "../search/types.ts";
import { checkEncoding, decode, toBytes } from "./bytes.ts";
import { constants } from "./constants.ts";
import { Copy } from "./copy.ts";
import { OpenDirectory } from "./directory.ts";
import { hasCode, invalidType, outOfRange } from "./errors.ts";
import { TreeFileHandle } from "./file-handle.ts";
import { parseFlags } from "./flags.ts";
import type { FileHandle, OpenFlags } from "./handle-types.ts";
import { STEP_BYTES, STEP_ENTRIES } from "./layout.ts";
import { readMany, writeMany } from "./many.ts";
import { isDirectory } from "./node.ts";
import { type OpenOptions, openOptions, owner, permissions, type RemoveOptions } from "./options.ts";
import { join } from "./paths.ts";
import { pause } from "./pause.ts";
import { takeApart } from "./settle.ts";
import { statFs } from "./stat-fs.ts";
import { DirectoryEntry, NodeStats } from "./stats.ts";
import { readStream, writeStream } from "./streams.ts";
import { temporaryName } from "./temporary.ts";
import { milliseconds } from "./times.ts";
import type { Tree } from "./tree.ts";
import type {
  CopyOptions,
  Dir,
  Dirent,
  Encoding,
  FileData,
  FileSystem,
  FileToWrite,
  OpenDirOptions,
  ReadStreamOptions,
  StatFs,
  Stats,
  Time,
  WriteOptions,
} from "./types.ts";
import { rmdir, unlink } from "./unlink.ts";
import { FileWriter } from "./writer.ts";

type ReadOptions = Encoding | { encoding?: Encoding | null } | null;
type ListOptions = { withFileTypes?: boolean; recursive?: boolean };

/**
 * The asynchronous face of a {@link Tree}. A verb does its work when it is called, before it answers its
 * promise, so that calls take effect in the order they were made; only what is large goes on in steps.
 */
export class TreeFileSystem implements FileSystem {
  readonly constants = constants;
  readonly #tree: () => Tree;

  /** @param tree answers the tree, or throws when it is closed. */
  constructor(tree: () => Tree) {
    this.#tree = tree;
  }

  readFile(path: string, options?: { encoding?: null } | null): Promise<Uint8Array>;
  readFile(path: string, options: Encoding | { encoding: Encoding }): Promise<string>;
  readFile(path: string, options?: ReadOptions): Promise<Uint8Array | string>;
  async readFile(path: string, options?: ReadOptions): Promise<Uint8Array | string> {
    const encoding = checkEncoding(typeof options === "string" ? options : options?.encoding);
    if (encoding === undefined) return this.#tree().read(path, "keep");
    return decode(this.#tree().read(path, "look"));
  }

  async writeFile(path: string, data: FileData, options?: WriteOptions | Encoding): Promise<void> {
    await this.#write(path, data, openOptions(options, "w"));
  }

  async appendFile(path: string, data: FileData, options?: WriteOptions | Encoding): Promise<void> {
    await this.#write(path, data, openOptions(options, "a"));
  }

  async truncate(path: string, length = 0): Promise<void> {
    if (typeof length !== "number") throw invalidType("len", "of type number", length);
    if (!Number.isSafeInteger(length)) throw outOfRange("len", "an integer", length);
    this.#tree().truncate(path, Math.max(0, length));
  }

  async open(path: string, flags?: OpenFlags, mode?: number): Promise<FileHandle> {
    return new TreeFileHandle(this.#tree, path, parseFlags(flags), permissions(mode, 0o644));
  }

  readMany(paths: readonly string[], options?: { encoding?: null } | null): Promise<Uint8Array[]>;
  readMany(paths: readonly string[], options: Encoding | { encoding: Encoding }): Promise<string[]>;
  async readMany(paths: readonly string[], options?: ReadOptions): Promise<Uint8Array[] | string[]> {
    const encoding = checkEncoding(typeof options === "string" ? options : options?.encoding);
    const found = readMany(this.#tree(), paths);
    return encoding === undefined ? found : found.map(decode);
  }

  async writeMany(files: readonly FileToWrite[], options: { parents?: boolean } = {}): Promise<void> {
    writeMany(this.#tree(), files, options.parents === true);
  }

  async stat(path: string): Promise<Stats> {
    return new NodeStats(this.#tree().node(path, "follow", "stat"));
  }

  async lstat(path: string): Promise<Stats> {
    return new NodeStats(this.#tree().node(path, "keep", "lstat"));
  }

  async exists(path: string): Promise<boolean> {
    const tree = this.#tree();
    try {
      tree.node(path, "follow", "access");
      return true;
    } catch (error) {
      if (hasCode(error, "ERR_WORKSPACE_DAMAGED")) throw error;
      return false;
    }
  }

  async access(path: string, mode: number = constants.F_OK): Promise<void> {
    if (typeof mode !== "number") throw invalidType("mode", "of type number", mode);
    if (!Number.isInteger(mode) || mode < 0 || mode > 7)
      throw outOfRange("mode", "an integer >= 0 && <= 7", mode);
    this.#tree().attributes.access(path, mode);
  }

  async statfs(path: string): Promise<StatFs> {
    this.#tree().node(path, "follow", "statfs");
    return statFs(this.#tree);
  }

  async realpath(path: string): Promise<string> {
    return this.#tree().realpath(path);
  }

  readdir(path: string, options?: { withFileTypes?: false; recursive?: boolean }): Promise<string[]>;
  readdir(path: string, options: { withFileTypes: true; recursive?: boolean }): Promise<Dirent[]>;
  async readdir(path: string, options: ListOptions = {}): Promise<string[] | Dirent[]> {
    const found: Dirent[] = [];
    const names: string[] = [];
    const directories = [{ id: this.#tree().directory(path), path, prefix: "" }];
    // Breadth first, as Node lists.
    for (const directory of directories) {
      for (let after: Uint8Array | undefined; ; ) {
        const entries = this.#tree().entries(directory.id, after, STEP_ENTRIES);
        for (const { name, mode, node } of entries) {
          if (options.withFileTypes) found.push(new DirectoryEntry(name, directory.path, mode));
          else names.push(directory.prefix + name);
          if (options.recursive && isDirectory(mode)) {
            directories.push({
              id: node,
              path: join(directory.path, name),
              prefix: `${directory.prefix}${name}/`,
            });
          }
        }
        after = entries.at(-1)?.bytes;
        if (entries.length < STEP_ENTRIES) break;
        await pause();
      }
    }
    return options.withFileTypes ? found : names;
  }

  async mkdir(
    path: string,
    options?: { recursive?: boolean; mode?: number } | number,
  ): Promise<string | undefined> {
    const { recursive = false, mode } = typeof options === "number" ? { mode: options } : (options ?? {});
    // As on Linux: set-id bits are not for mkdir to give.
    const bits = permissions(mode, 0o755) & 0o1777;
    if (recursive) return this.#tree().mkdirs(path, bits);
    this.#tree().mkdir(path, bits);
    return undefined;
  }

  async mkdtemp(prefix: string): Promise<string> {
    const path = temporaryName(prefix);
    this.#tree().mkdir(path, 0o700);
    return path;
  }

  async opendir(path: string, options?: OpenDirOptions): Promise<Dir> {
    return new OpenDirectory(this.#tree, path, options);
  }

  async rmdir(path: string): Promise<void> {
    rmdir(this.#tree(), path);
  }

  async unlink(path: string): Promise<void> {
    const tree = this.#tree();
    unlink(tree, path);
    await takeApart(tree);
  }

  async rm(path: string, options: RemoveOptions = {}): Promise<void> {
    const tree = this.#tree();
    const target = tree.toRemove(path, options);
    if (target === undefined) return;
    const call = { syscall: "rm", path };
    const take = isDirectory(target.node.mode) ? "detach" : "unlink";
    tree.store.mutate(call, () => tree.removal[take](target, call));
    // It is gone, for good. What cannot be taken apart now is taken apart when there is another chance.
    await takeApart(tree);
  }

  async rename(oldPath: string, newPath: string): Promise<void> {
    const tree = this.#tree();
    tree.rename(oldPath, newPath);
    await takeApart(tree);
  }

  async copyFile(
    source: string,
    target: string,
    options: { exclusive?: boolean } | number = {},
  ): Promise<void> {
    const exclusive =
      typeof options === "number" ? (options & constants.COPYFILE_EXCL) !== 0 : options.exclusive === true;
    this.#tree().copyFile(source, target, exclusive);
  }

  async cp(source: string, target: string, options: CopyOptions = {}): Promise<void> {
    await new Copy(this.#tree, options).run(source, target);
  }

  async link(existingPath: string, newPath: string): Promise<void> {
    this.#tree().link(existingPath, newPath);
  }

  async symlink(target: string, path: string): Promise<void> {
    this.#tree().symlink(target, path);
  }

  async readlink(path: string): Promise<string> {
    return this.#tree().readlink(path);
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#tree().attributes.chmod(path, permissions(mode));
  }

  async chown(path: string, uid: number, gid: number): Promise<void> {
    this.#tree().attributes.chown(path, owner("uid", uid), owner("gid", gid), "follow");
  }

  async lchown(path: string, uid: number, gid: number): Promise<void> {
    this.#tree().attributes.chown(path, owner("uid", uid), owner("gid", gid), "keep");
  }

  async utimes(path: string, atime: Time, mtime: Time): Promise<void> {
    const times = [milliseconds("atime", atime), milliseconds("mtime", mtime)] as const;
    this.#tree().attributes.utimes(path, ...times, "follow");
  }

  async lutimes(path: string, atime: Time, mtime: Time): Promise<void> {
    const times = [milliseconds("atime", atime), milliseconds("mtime", mtime)] as const;
    this.#tree().attributes.utimes(path, ...times, "keep");
  }

  glob(
    pattern: string | readonly string[],
    options: GlobOptions & { withFileTypes: true },
  ): AsyncGenerator<Dirent, void, undefined>;
  glob(
    pattern: string | readonly string[],
    options?: GlobOptions & { withFileTypes?: false },
  ): AsyncGenerator<string, void, undefined>;
  glob(
    pattern: string | readonly string[],
    options?: GlobOptions,
  ): AsyncGenerator<Dirent | string, void, undefined> {
    return glob(this.#tree, pattern, options);
  }

  async grep(pattern: string | RegExp, options?: GrepOptions): Promise<GrepResult> {
    return grep(this.#tree, pattern, options);
  }

  async find(options?: FindOptions): Promise<FindResult> {
    return find(this.#tree, options);
  }

  createReadStream(path: string, options: ReadStreamOptions = {}): ReadableStream<Uint8Array> {
    return readStream(this.#tree, path, options);
  }

  createWriteStream(path: string, options?: Pick<WriteOptions, "mode" | "flag">): WritableStream<Uint8Array> {
    return writeStream(this.#tree, path, openOptions(options, "w"));
  }

  async #write(path: string, data: FileData, options: OpenOptions): Promise<void> {
    const bytes = toBytes(data);
    if (bytes.length <= STEP_BYTES) return this.#tree().write(path, bytes, options);
    const writer = new FileWriter(this.#tree, path, options);
    try {
      writer.expect(bytes.length);
      await writer.write(bytes);
      writer.commit();
    } finally {
      writer.release();
    }
  }
}
