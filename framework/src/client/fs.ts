import { percentEncode } from "../doors/percent.ts";
import { MAX_INLINE_FILE_BYTES, type WireDirent } from "../doors/protocol.ts";
import { ComputerError } from "../errors.ts";
import type { FindOptions, FindResult, GlobOptions, GrepOptions, GrepResult } from "../search/types.ts";
import type {
  Dirent,
  Encoding,
  FileData,
  FileSystem,
  ReadStreamOptions,
  Stats,
  Time,
  WriteOptions,
} from "../vfs/types.ts";
import type { Link } from "./link.ts";
import { plainValue, RemoteDirent, RemoteStats } from "./revive.ts";
import type { Remote, RemoteFs } from "./root.ts";
import { find, glob, grep } from "./search.ts";

/** Bytes that a large file is cut into on its way. */
const CHUNK_BYTES = 256 * 1024;

/** The files of an agent's workspace from outside. What is large goes as a stream. */
export class RemoteFileSystem implements FileSystem {
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

  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    return this.#call((fs) => fs.rm(path, options));
  }

  rename(oldPath: string, newPath: string): Promise<void> {
    return this.#call((fs) => fs.rename(oldPath, newPath));
  }

  copyFile(source: string, target: string, options?: { exclusive?: boolean }): Promise<void> {
    return this.#call((fs) => fs.copyFile(source, target, options));
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
