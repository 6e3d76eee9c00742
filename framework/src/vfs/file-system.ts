import { find } from "../search/find.ts";
import { glob } from "../search/glob.ts";
import { grep } from "../search/grep.ts";
import type { FindOptions, FindResult, GlobOptions, GrepOptions, GrepResult } from "../search/types.ts";
import { hasCode, invalidType, invalidValue, outOfRange } from "./errors.ts";
import { STEP_BYTES, STEP_ENTRIES } from "./layout.ts";
import { isDirectory } from "./node.ts";
import { type OpenOptions, permissions, type RemoveOptions } from "./options.ts";
import { join } from "./paths.ts";
import { pause } from "./pause.ts";
import { settle } from "./settle.ts";
import { DirectoryEntry, NodeStats } from "./stats.ts";
import { readStream, writeStream } from "./streams.ts";
import type { Tree } from "./tree.ts";
import type {
  Dirent,
  Encoding,
  FileData,
  FileSystem,
  ReadStreamOptions,
  Stats,
  Time,
  WriteOptions,
} from "./types.ts";
import { FileWriter } from "./writer.ts";

type ReadOptions = Encoding | { encoding?: Encoding | null } | null;
type ListOptions = { withFileTypes?: boolean; recursive?: boolean };

/**
 * The asynchronous face of a {@link Tree}. A verb does its work when it is called, before it answers its
 * promise, so that calls take effect in the order they were made; only what is large goes on in steps.
 */
export class TreeFileSystem implements FileSystem {
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
    const bytes = this.#tree().read(path);
    return encoding === undefined ? bytes.slice() : decoder.decode(bytes);
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
    const bits = permissions(mode, 0o755);
    if (recursive) return this.#tree().mkdirs(path, bits);
    this.#tree().mkdir(path, bits);
    return undefined;
  }

  async rm(path: string, options: RemoveOptions = {}): Promise<void> {
    const tree = this.#tree();
    const target = tree.toRemove(path, options);
    if (target === undefined) return;
    const call = { syscall: "rm", path };
    const take = isDirectory(target.node.mode) ? "detach" : "unlink";
    tree.store.mutate(call, () => tree.removal[take](target, call));
    // It is gone, for good. What cannot be taken apart now is taken apart when there is another chance.
    await settle(tree);
  }

  async rename(oldPath: string, newPath: string): Promise<void> {
    const tree = this.#tree();
    tree.rename(oldPath, newPath);
    await settle(tree);
  }

  async copyFile(source: string, target: string, options: { exclusive?: boolean } = {}): Promise<void> {
    this.#tree().copyFile(source, target, options.exclusive === true);
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
    if (mode === undefined) throw invalidType("mode", "of type number", mode);
    this.#tree().chmod(path, permissions(mode, 0));
  }

  async utimes(path: string, atime: Time, mtime: Time): Promise<void> {
    this.#tree().utimes(path, milliseconds("atime", atime), milliseconds("mtime", mtime));
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
      await writer.write(bytes);
      writer.commit();
    } finally {
      writer.release();
    }
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function toBytes(data: unknown): Uint8Array {
  if (typeof data === "string") return encoder.encode(data);
  if (data instanceof Uint8Array) return data;
  throw invalidType("data", "of type string or an instance of Uint8Array", data);
}

function checkEncoding(encoding: unknown): Encoding | undefined {
  if (encoding === undefined || encoding === null) return undefined;
  if (encoding === "utf8" || encoding === "utf-8") return encoding;
  throw invalidValue(
    "encoding",
    "is not an encoding of this file system: 'utf8', or none for bytes",
    encoding,
  );
}

function openOptions(options: WriteOptions | Encoding | undefined, flag: "w" | "a"): OpenOptions {
  const given = typeof options === "string" ? { encoding: options } : (options ?? {});
  checkEncoding(given.encoding);
  const chosen = given.flag ?? flag;
  if (!FLAGS.includes(chosen)) throw invalidValue("flags", `must be one of ${FLAGS.join(", ")}`, chosen);
  return { flag: chosen, mode: permissions(given.mode, 0o644) };
}

const FLAGS = ["w", "wx", "a", "ax"];

function milliseconds(name: string, time: unknown): number {
  const ms = time instanceof Date ? time.getTime() : time;
  if (typeof ms !== "number") throw invalidType(name, "a number of milliseconds or a Date", time);
  if (!(Math.abs(ms) <= 8.64e15)) throw outOfRange(name, "a moment that a Date can hold", ms);
  return ms;
}
