import { percentEncode } from "../doors/percent.ts";
import { MAX_INLINE_FILE_BYTES, type WireDirent } from "../doors/protocol.ts";
import { ComputerError } from "../errors.ts";
import type { FindOptions, FindResult, GlobOptions, GrepOptions, GrepResult } from "../search/types.ts";
import { constants } from "../vfs/constants.ts";
import type { FileHandle, OpenFlags } from "../vfs/handle-types.ts";
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
} from "../vfs/types.ts";
import { listRemote, RemoteDir } from "./dir.ts";
import { RemoteFileHandle } from "./file-handle.ts";
import type { Link } from "./link.ts";
import { plainValue, RemoteDirent, RemoteStats } from "./revive.ts";
import type { Remote, RemoteFs } from "./root.ts";
import { find, glob, grep } from "./search.ts";

/** Bytes that a large file is cut into on its way. */
const CHUNK_BYTES = 256 * 1024;

/** The files of an agent's workspace from outside. What is large goes as a stream. */
export class RemoteFileSystem implements FileSystem {
  readonly constants = constants;
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  readFile(path: string, options?: { encoding?: null } | null): Promise<Uint8Array>;
  readFile(path: string, options: Encoding | { encoding: Encoding }): Promise<string>;
  readFile(
    path: string,
    options?: Encoding | { encoding?: Encoding | null } | null,
  ): Promise<Uint8Array | string>;
  async readFile(
    path: string,
    options?: Encoding | { encoding?: Encoding | null } | null,
  ): Promise<Uint8Array | string> {
    const encoding =
      (typeof options === "object" && options !== null ? options.encoding : options) ?? undefined;
    try {
      return plainValue(await this.#call((fs) => fs.readFile(path, encoding))) as Uint8Array | string;
    } catch (error) {
      if (!(error instanceof ComputerError) || error.code !== "ERR_BODY_TOO_LARGE") throw error;
      const bytes = new Uint8Array(await new Response(this.createReadStream(path)).arrayBuffer());
      return encoding === undefined ? bytes : new TextDecoder().decode(bytes);
    }
  }

  writeFile(path: string, data: FileData, options?: WriteOptions | Encoding): Promise<void> {
    return this.#write("writeFile", path, data, options);
  }

  appendFile(path: string, data: FileData, options?: WriteOptions | Encoding): Promise<void> {
    return this.#write("appendFile", path, data, options);
  }

  async #write(
    verb: "writeFile" | "appendFile",
    path: string,
    data: FileData,
    options?: WriteOptions | Encoding,
  ): Promise<void> {
    const size =
      typeof data === "string" ? data.length * 3 : data instanceof Uint8Array ? data.byteLength : 0;
    // What is no content at all, the worker refuses.
    if (size <= MAX_INLINE_FILE_BYTES || this.#link.transport === "batch") {
      return this.#call((fs) => fs[verb](path, data, options));
    }
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const { mode, flag = verb === "writeFile" ? "w" : "a" } = typeof options === "object" ? options : {};
    const writer = this.createWriteStream(path, {
      flag,
      ...(mode === undefined ? {} : { mode }),
    }).getWriter();
    writer.closed.catch(() => undefined);
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
      await writer.write(bytes.subarray(start, start + CHUNK_BYTES));
    }
    await writer.close();
  }

  async open(path: string, flags?: OpenFlags, mode?: number): Promise<FileHandle> {
    return new RemoteFileHandle(this.#link, await this.#call((fs) => fs.open(path, flags, mode)));
  }

  readMany(paths: readonly string[], options?: { encoding?: null } | null): Promise<Uint8Array[]>;
  readMany(paths: readonly string[], options: Encoding | { encoding: Encoding }): Promise<string[]>;
  async readMany(
    paths: readonly string[],
    options?: Encoding | { encoding?: Encoding | null } | null,
  ): Promise<Uint8Array[] | string[]> {
    return plainValue(await this.#call((fs) => fs.readMany(paths, options ?? undefined))) as
      | Uint8Array[]
      | string[];
  }

  writeMany(files: readonly FileToWrite[], options?: { parents?: boolean }): Promise<void> {
    return this.#call((fs) => fs.writeMany(files, options));
  }

  truncate(path: string, length?: number): Promise<void> {
    return this.#call((fs) => fs.truncate(path, length));
  }

  async stat(path: string): Promise<Stats> {
    return new RemoteStats(await this.#call((fs) => fs.stat(path)));
  }

  async lstat(path: string): Promise<Stats> {
    return new RemoteStats(await this.#call((fs) => fs.lstat(path)));
  }

  exists(path: string): Promise<boolean> {
    return this.#call((fs) => fs.exists(path));
  }

  access(path: string, mode?: number): Promise<void> {
    return this.#call((fs) => fs.access(path, mode));
  }

  async statfs(path: string): Promise<StatFs> {
    return plainValue(await this.#call((fs) => fs.statfs(path))) as StatFs;
  }

  realpath(path: string): Promise<string> {
    return this.#call((fs) => fs.realpath(path));
  }

  readdir(path: string, options?: { withFileTypes?: false; recursive?: boolean }): Promise<string[]>;
  readdir(path: string, options: { withFileTypes: true; recursive?: boolean }): Promise<Dirent[]>;
  async readdir(
    path: string,
    options?: { withFileTypes?: boolean; recursive?: boolean },
  ): Promise<string[] | Dirent[]> {
    const entries = await this.#call((fs) => fs.readdir(path, options));
    return options?.withFileTypes === true
      ? (entries as WireDirent[]).map((entry) => new RemoteDirent(entry))
      : (entries as string[]);
  }

  mkdir(
    path: string,
    options?: { recursive?: boolean; mode?: number } | number,
  ): Promise<string | undefined> {
    return this.#call((fs) => fs.mkdir(path, options));
  }

  mkdtemp(prefix: string): Promise<string> {
    return this.#call((fs) => fs.mkdtemp(prefix));
  }

  async opendir(path: string, options?: OpenDirOptions): Promise<Dir> {
    // A batch holds nothing open: there the listing comes whole.
    if (this.#link.transport === "batch") {
      const { recursive = false } = options ?? {};
      return listRemote(path, await this.readdir(path, { withFileTypes: true, recursive }));
    }
    return new RemoteDir(this.#link, path, await this.#call((fs) => fs.opendir(path, options)));
  }

  rmdir(path: string): Promise<void> {
    return this.#call((fs) => fs.rmdir(path));
  }

  unlink(path: string): Promise<void> {
    return this.#call((fs) => fs.unlink(path));
  }

  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    return this.#call((fs) => fs.rm(path, options));
  }

  rename(oldPath: string, newPath: string): Promise<void> {
    return this.#call((fs) => fs.rename(oldPath, newPath));
  }

  copyFile(source: string, target: string, options?: { exclusive?: boolean } | number): Promise<void> {
    return this.#call((fs) => fs.copyFile(source, target, options));
  }

  async cp(source: string, target: string, options?: CopyOptions): Promise<void> {
    if (options?.filter !== undefined) {
      throw new ComputerError(
        "ERR_UNSUPPORTED",
        "A filter of cp is code, which does not cross to the workspace.",
      );
    }
    return this.#call((fs) => fs.cp(source, target, options));
  }

  link(existingPath: string, newPath: string): Promise<void> {
    return this.#call((fs) => fs.link(existingPath, newPath));
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#call((fs) => fs.symlink(target, path));
  }

  readlink(path: string): Promise<string> {
    return this.#call((fs) => fs.readlink(path));
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#call((fs) => fs.chmod(path, mode));
  }

  chown(path: string, uid: number, gid: number): Promise<void> {
    return this.#call((fs) => fs.chown(path, uid, gid));
  }

  lchown(path: string, uid: number, gid: number): Promise<void> {
    return this.#call((fs) => fs.lchown(path, uid, gid));
  }

  lutimes(path: string, atime: Time, mtime: Time): Promise<void> {
    return this.#call((fs) => fs.lutimes(path, atime, mtime));
  }

  utimes(path: string, atime: Time, mtime: Time): Promise<void> {
    return this.#call((fs) => fs.utimes(path, atime, mtime));
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
    return glob(this.#link, pattern, options);
  }

  grep(pattern: string | RegExp, options?: GrepOptions): Promise<GrepResult> {
    return grep(this.#link, pattern, options);
  }

  find(options?: FindOptions): Promise<FindResult> {
    return find(this.#link, options);
  }

  createReadStream(path: string, options?: ReadStreamOptions): ReadableStream<Uint8Array> {
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          reader ??= (await this.#openRead(path, options)).getReader();
          const current = reader;
          const { done, value } = await this.#link.use(() => current.read());
          if (done) controller.close();
          else controller.enqueue(plainValue(value) as Uint8Array);
        },
        cancel: async (reason) => {
          await reader?.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  async #openRead(path: string, options?: ReadStreamOptions): Promise<ReadableStream<Uint8Array>> {
    if (this.#link.transport === "websocket") return this.#call((fs) => fs.createReadStream(path, options));
    const { start = 0, end } = options ?? {};
    const headers = options === undefined ? {} : { range: `bytes=${start}-${end ?? ""}` };
    const names = path.split("/").slice(1);
    const encoded = names.map(percentEncode);
    if (!path.startsWith("/") || names.includes(".") || names.includes("..") || encoded.includes(undefined)) {
      throw new ComputerError(
        "ERR_UNSUPPORTED",
        "A batch reads streams only by absolute paths without dot segments: use the websocket.",
      );
    }
    const response = await this.#link.fetch(`/files/${encoded.join("/")}`, { headers });
    // A directory's answer is its listing, and has no ranges.
    if (response.headers.get("accept-ranges") === null) {
      await response.body?.cancel();
      throw Object.assign(new Error(`EISDIR: illegal operation on a directory, read '${path}'`), {
        code: "EISDIR",
        syscall: "read",
        path,
      });
    }
    return response.body ?? new ReadableStream({ start: (controller) => controller.close() });
  }

  createWriteStream(path: string, options?: Pick<WriteOptions, "mode" | "flag">): WritableStream<Uint8Array> {
    let opening: Promise<WritableStreamDefaultWriter<Uint8Array>> | undefined;
    const open = () => {
      if (this.#link.transport === "batch") {
        throw new ComputerError(
          "ERR_UNSUPPORTED",
          'A stream can be written only over transport: "websocket".',
        );
      }
      opening ??= this.#call((fs) => fs.createWriteStream(path, options)).then((stream) => {
        const writer = stream.getWriter();
        writer.closed.catch(() => undefined);
        return writer;
      });
      return opening;
    };
    return new WritableStream<Uint8Array>({
      write: async (chunk) => {
        const writer = await open();
        await this.#link.use(() => writer.write(chunk));
      },
      close: async () => {
        const writer = await open();
        await this.#link.use(() => writer.close());
      },
      abort: async (reason) => {
        const writer = await opening;
        await writer?.abort(reason);
      },
    });
  }

  #call<T>(work: (fs: RemoteFs) => Remote<T>): Promise<T> {
    return this.#link.use((root) => work(root.workspace.fs));
  }
}
