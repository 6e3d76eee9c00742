import { RpcTarget } from "capnweb";
import { ComputerError } from "../errors.ts";
import type { FindResult, GrepResult } from "../search/types.ts";
import type { Dirent, Encoding, FileSystem, Stats, WriteOptions } from "../vfs/types.ts";
import { bad, content, count, defined, optionalCount, optionalFlag, options, text, time } from "./check.ts";
import { plainBytes } from "./data.ts";
import { streamOf } from "./events.ts";
import { MAX_INLINE_FILE_BYTES, type WireDirent, type WireStats } from "./protocol.ts";
import { findOptions, globOptions, globs, grepOptions } from "./search-options.ts";
import type { Session } from "./session.ts";

/**
 * What an RPC session sees of the files: the verbs of {@link FileSystem}, with `Stats` and `Dirent` as plain data.
 * A file larger than a message may be has to be read as a stream.
 */
export class FileSystemStub extends RpcTarget {
  readonly #fs: FileSystem;
  readonly #session: Session;

  constructor(fs: FileSystem, session: Session) {
    super();
    this.#fs = fs;
    this.#session = session;
  }

  readFile(path: unknown, encoding?: unknown): Promise<Uint8Array | string> {
    return this.#run(async (fs) => {
      const file = text(path, "/path");
      const as = readEncoding(encoding);
      // What is wrong with the path, the read itself says best.
      const size = await fs.stat(file).then(
        (stats) => stats.size,
        () => 0,
      );
      if (size > MAX_INLINE_FILE_BYTES) {
        throw new ComputerError(
          "ERR_BODY_TOO_LARGE",
          `${file} has ${size} bytes; what is larger than ${MAX_INLINE_FILE_BYTES} must be read as a stream.`,
        );
      }
      return as === null ? plainBytes(await fs.readFile(file)) : await fs.readFile(file, as);
    });
  }

  writeFile(path: unknown, data: unknown, options?: unknown): Promise<void> {
    return this.#run((fs) =>
      fs.writeFile(text(path, "/path"), content(data, "/data"), writeOptions(options)),
    );
  }

  appendFile(path: unknown, data: unknown, options?: unknown): Promise<void> {
    return this.#run((fs) =>
      fs.appendFile(text(path, "/path"), content(data, "/data"), writeOptions(options)),
    );
  }

  truncate(path: unknown, length?: unknown): Promise<void> {
    return this.#run((fs) => fs.truncate(text(path, "/path"), optionalCount(length, "/length")));
  }

  stat(path: unknown): Promise<WireStats> {
    return this.#run(async (fs) => wireStats(await fs.stat(text(path, "/path"))));
  }

  lstat(path: unknown): Promise<WireStats> {
    return this.#run(async (fs) => wireStats(await fs.lstat(text(path, "/path"))));
  }

  exists(path: unknown): Promise<boolean> {
    return this.#run((fs) => fs.exists(text(path, "/path")));
  }

  realpath(path: unknown): Promise<string> {
    return this.#run((fs) => fs.realpath(text(path, "/path")));
  }

  readdir(path: unknown, given?: unknown): Promise<string[] | WireDirent[]> {
    return this.#run(async (fs) => {
      const { withFileTypes, recursive } = options(given, "/options", [
        "withFileTypes",
        "recursive",
        "encoding",
      ]);
      const deep = defined({ recursive: optionalFlag(recursive, "/options/recursive") });
      const directory = text(path, "/path");
      if (optionalFlag(withFileTypes, "/options/withFileTypes") !== true) return fs.readdir(directory, deep);
      return (await fs.readdir(directory, { withFileTypes: true, ...deep })).map(wireDirent);
    });
  }

  mkdir(path: unknown, given?: unknown): Promise<string | undefined> {
    return this.#run((fs) => {
      const { recursive, mode } = options(typeof given === "number" ? { mode: given } : given, "/options", [
        "recursive",
        "mode",
      ]);
      return fs.mkdir(
        text(path, "/path"),
        defined({
          recursive: optionalFlag(recursive, "/options/recursive"),
          mode: optionalCount(mode, "/options/mode"),
        }),
      );
    });
  }

  rm(path: unknown, given?: unknown): Promise<void> {
    return this.#run((fs) => {
      const { recursive, force } = options(given, "/options", ["recursive", "force"]);
      return fs.rm(
        text(path, "/path"),
        defined({
          recursive: optionalFlag(recursive, "/options/recursive"),
          force: optionalFlag(force, "/options/force"),
        }),
      );
    });
  }

  rename(from: unknown, to: unknown): Promise<void> {
    return this.#run((fs) => fs.rename(text(from, "/oldPath"), text(to, "/newPath")));
  }

  copyFile(source: unknown, target: unknown, given?: unknown): Promise<void> {
    return this.#run((fs) => {
      const { exclusive } = options(given, "/options", ["exclusive"]);
      return fs.copyFile(
        text(source, "/source"),
        text(target, "/target"),
        defined({ exclusive: optionalFlag(exclusive, "/options/exclusive") }),
      );
    });
  }

  link(existing: unknown, created: unknown): Promise<void> {
    return this.#run((fs) => fs.link(text(existing, "/existingPath"), text(created, "/newPath")));
  }

  symlink(target: unknown, path: unknown): Promise<void> {
    return this.#run((fs) => fs.symlink(text(target, "/target"), text(path, "/path")));
  }

  readlink(path: unknown): Promise<string> {
    return this.#run((fs) => fs.readlink(text(path, "/path")));
  }

  chmod(path: unknown, mode: unknown): Promise<void> {
    return this.#run((fs) => fs.chmod(text(path, "/path"), count(mode, "/mode")));
  }

  utimes(path: unknown, atime: unknown, mtime: unknown): Promise<void> {
    return this.#run((fs) => fs.utimes(text(path, "/path"), time(atime, "/atime"), time(mtime, "/mtime")));
  }

  grep(pattern: unknown, given?: unknown): Promise<GrepResult> {
    return this.#run((fs) => fs.grep(searchPattern(pattern), grepOptions(given)));
  }

  find(given?: unknown): Promise<FindResult> {
    return this.#run((fs) => fs.find(findOptions(given)));
  }

  glob(pattern: unknown, given?: unknown): Promise<ReadableStream<string | WireDirent>> {
    return this.#run((fs) => {
      this.#session.needsWebSocket("A stream");
      const { withFileTypes, ...rest } = globOptions(given);
      const patterns = globs(pattern, "/pattern");
      const found = withFileTypes
        ? direntsOf(fs.glob(patterns, { ...rest, withFileTypes: true }))
        : fs.glob(patterns, rest);
      return this.#session.readable(streamOf<string | WireDirent>(found[Symbol.asyncIterator]()));
    });
  }

  createReadStream(path: unknown, given?: unknown): Promise<ReadableStream<Uint8Array>> {
    return this.#run((fs) => {
      this.#session.needsWebSocket("A stream");
      const { start, end } = options(given, "/options", ["start", "end"]);
      const range = defined({
        start: optionalCount(start, "/options/start"),
        end: optionalCount(end, "/options/end"),
      });
      return this.#session.readable(fs.createReadStream(text(path, "/path"), range));
    });
  }

  createWriteStream(path: unknown, given?: unknown): Promise<WritableStream<unknown>> {
    return this.#run((fs) => {
      this.#session.needsWebSocket("A stream");
      const { mode, flag } = writeOptions(given);
      return this.#session.writable(fs.createWriteStream(text(path, "/path"), defined({ mode, flag })));
    });
  }

  #run<T>(work: (fs: FileSystem) => T | Promise<T>): Promise<T> {
    return this.#session.run(() => work(this.#fs));
  }
}

function readEncoding(value: unknown): Encoding | null {
  const encoding =
    typeof value === "object" && value !== null ? options(value, "/options", ["encoding"]).encoding : value;
  if (encoding === undefined || encoding === null) return null;
  if (encoding === "utf8" || encoding === "utf-8") return encoding;
  throw bad("/options/encoding", '"utf8" or nothing', encoding);
}

function writeOptions(value: unknown): WriteOptions {
  if (typeof value === "string") return { encoding: readEncoding(value) };
  const { encoding, mode, flag } = options(value, "/options", ["encoding", "mode", "flag"]);
  if (flag !== undefined && flag !== "w" && flag !== "wx" && flag !== "a" && flag !== "ax") {
    throw bad("/options/flag", '"w", "wx", "a" or "ax"', flag);
  }
  readEncoding(encoding);
  return defined({ mode: optionalCount(mode, "/options/mode"), flag });
}

/** A pattern; a regular expression crosses as its source and flags. */
function searchPattern(value: unknown): string | RegExp {
  if (typeof value === "string") return value;
  const { source, flags } = options(value, "/pattern", ["source", "flags"]);
  try {
    return new RegExp(text(source, "/pattern/source"), text(flags, "/pattern/flags"));
  } catch (error) {
    throw bad("/pattern", `a regular expression (${(error as Error).message})`, value);
  }
}

async function* direntsOf(entries: AsyncIterable<Dirent>): AsyncGenerator<WireDirent, void, undefined> {
  for await (const entry of entries) yield wireDirent(entry);
}

function wireStats(stats: Stats): WireStats {
  const { ino, mode, nlink, uid, gid, size, blocks, blksize } = stats;
  const { atimeMs, mtimeMs, ctimeMs, birthtimeMs } = stats;
  return { ino, mode, nlink, uid, gid, size, blocks, blksize, atimeMs, mtimeMs, ctimeMs, birthtimeMs };
}

function wireDirent(entry: Dirent): WireDirent {
  const kind = entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "symlink" : "file";
  return { name: entry.name, parentPath: entry.parentPath, kind };
}
