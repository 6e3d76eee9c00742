import { RpcTarget } from "capnweb";
import { ComputerError } from "../errors.ts";
import type { FindResult, GrepResult } from "../search/types.ts";
import type { Dirent, Encoding, FileSystem, FileToWrite, StatFs, WriteOptions } from "../vfs/types.ts";
import {
  bad,
  content,
  count,
  defined,
  list,
  optionalCount,
  optionalFlag,
  options,
  owner,
  text,
  time,
} from "./check.ts";
import { plainBytes } from "./data.ts";
import { streamOf } from "./events.ts";
import { DirStub, FileHandleStub } from "./file-handle-stub.ts";
import { MAX_INLINE_FILE_BYTES, type WireDirent, type WireStats } from "./protocol.ts";
import { findOptions, globOptions, globs, grepOptions } from "./search-options.ts";
import type { Session } from "./session.ts";
import { wireDirent, wireStats } from "./wire-stats.ts";

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

  /** An open file; it needs a session that lasts. */
  open(path: unknown, flags?: unknown, mode?: unknown): Promise<FileHandleStub> {
    return this.#run(async (fs) => {
      this.#session.needsWebSocket("An open file");
      const how = typeof flags === "string" ? flags : optionalCount(flags, "/flags");
      const bits = optionalCount(mode, "/mode");
      return new FileHandleStub(await fs.open(text(path, "/path"), how, bits), this.#session);
    });
  }

  readMany(paths: unknown, encoding?: unknown): Promise<(Uint8Array | string)[]> {
    return this.#run(async (fs) => {
      const files = list(paths, "/paths").map((path, index) => text(path, `/paths/${index}`));
      const as = readEncoding(encoding);
      const found = await fs.readMany(files);
      const bytes = found.reduce((sum, content) => sum + content.length, 0);
      if (bytes > MAX_INLINE_FILE_BYTES) {
        throw new ComputerError(
          "ERR_BODY_TOO_LARGE",
          `These files have ${bytes} bytes; ask for ${MAX_INLINE_FILE_BYTES} at most.`,
        );
      }
      return as === null ? found.map(plainBytes) : fs.readMany(files, as);
    });
  }

  writeMany(files: unknown, given?: unknown): Promise<void> {
    return this.#run((fs) => {
      const { parents } = options(given, "/options", ["parents"]);
      const checked = list(files, "/files").map((file, index): FileToWrite => {
        const at = `/files/${index}`;
        const { path, data, mode, flag } = options(file, at, ["path", "data", "mode", "flag"]);
        return {
          path: text(path, `${at}/path`),
          data: content(data, `${at}/data`),
          ...writeOptions({ mode, flag }),
        } as FileToWrite;
      });
      return fs.writeMany(checked, defined({ parents: optionalFlag(parents, "/options/parents") }));
    });
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

  access(path: unknown, mode?: unknown): Promise<void> {
    return this.#run((fs) => fs.access(text(path, "/path"), optionalCount(mode, "/mode")));
  }

  statfs(path: unknown): Promise<StatFs> {
    return this.#run(async (fs) => ({ ...(await fs.statfs(text(path, "/path"))) }));
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

  mkdtemp(prefix: unknown): Promise<string> {
    return this.#run((fs) => fs.mkdtemp(text(prefix, "/prefix")));
  }

  opendir(path: unknown, given?: unknown): Promise<DirStub> {
    return this.#run(async (fs) => {
      this.#session.needsWebSocket("A directory that is being listed");
      const { recursive, bufferSize } = options(given, "/options", ["recursive", "bufferSize"]);
      const chosen = defined({
        recursive: optionalFlag(recursive, "/options/recursive"),
        bufferSize: optionalCount(bufferSize, "/options/bufferSize"),
      });
      return new DirStub(await fs.opendir(text(path, "/path"), chosen), this.#session);
    });
  }

  rmdir(path: unknown): Promise<void> {
    return this.#run((fs) => fs.rmdir(text(path, "/path")));
  }

  unlink(path: unknown): Promise<void> {
    return this.#run((fs) => fs.unlink(text(path, "/path")));
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
      if (typeof given === "number")
        return fs.copyFile(text(source, "/source"), text(target, "/target"), count(given, "/options"));
      const { exclusive } = options(given, "/options", ["exclusive"]);
      return fs.copyFile(
        text(source, "/source"),
        text(target, "/target"),
        defined({ exclusive: optionalFlag(exclusive, "/options/exclusive") }),
      );
    });
  }

  cp(source: unknown, target: unknown, given?: unknown): Promise<void> {
    return this.#run((fs) => {
      const chosen = options(given, "/options", COPY_OPTIONS);
      for (const name of COPY_OPTIONS) optionalFlag(chosen[name], `/options/${name}`);
      return fs.cp(text(source, "/source"), text(target, "/target"), chosen);
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

  chown(path: unknown, uid: unknown, gid: unknown): Promise<void> {
    return this.#run((fs) => fs.chown(text(path, "/path"), owner(uid, "/uid"), owner(gid, "/gid")));
  }

  lchown(path: unknown, uid: unknown, gid: unknown): Promise<void> {
    return this.#run((fs) => fs.lchown(text(path, "/path"), owner(uid, "/uid"), owner(gid, "/gid")));
  }

  lutimes(path: unknown, atime: unknown, mtime: unknown): Promise<void> {
    return this.#run((fs) => fs.lutimes(text(path, "/path"), time(atime, "/atime"), time(mtime, "/mtime")));
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

const COPY_OPTIONS = [
  "recursive",
  "force",
  "errorOnExist",
  "dereference",
  "preserveTimestamps",
  "verbatimSymlinks",
];

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
