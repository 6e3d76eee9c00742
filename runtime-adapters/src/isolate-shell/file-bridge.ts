import type { FileSystem, Stats } from "@computer/framework";
import type { EntryKind, EntryStat, FileAnswer, FileVerbs } from "./protocol.ts";

/** The largest file that is read: the interpreter holds it whole, and RPC carries at most 32 MiB. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** The most entries that one `cp -r` copies. */
const MAX_COPIES = 100_000;

/** The verbs that a guest may use, over the workspace's files. */
class Verbs implements FileVerbs {
  readonly #fs: FileSystem;

  constructor(fs: FileSystem) {
    this.#fs = fs;
  }

  async readFile(path: string): Promise<Uint8Array> {
    // Asked beforehand: what is too large must never be in memory. It may grow until it is read.
    if ((await this.#fs.stat(path)).size <= MAX_FILE_BYTES) {
      const bytes = await this.#fs.readFile(path);
      if (bytes.byteLength <= MAX_FILE_BYTES) return bytes;
    }
    throw fault("EFBIG", `file too large for this shell (at most ${MAX_FILE_BYTES} bytes), open`, path);
  }

  writeFile(path: string, data: Uint8Array): Promise<void> {
    return this.#inTmp(path, () => this.#fs.writeFile(path, data));
  }

  appendFile(path: string, data: Uint8Array): Promise<void> {
    return this.#inTmp(path, () => this.#fs.appendFile(path, data));
  }

  exists(path: string): Promise<boolean> {
    return this.#fs.exists(path);
  }

  async stat(path: string): Promise<EntryStat> {
    return this.#inTmp(path, async () => entryStat(await this.#fs.stat(path)));
  }

  async lstat(path: string): Promise<EntryStat> {
    return entryStat(await this.#fs.lstat(path));
  }

  async mkdir(path: string, recursive: boolean): Promise<void> {
    await this.#inTmp(path, () => this.#fs.mkdir(path, { recursive }));
  }

  async readdir(path: string): Promise<[name: string, kind: EntryKind][]> {
    return (await this.#fs.readdir(path, { withFileTypes: true })).map((entry) => [
      entry.name,
      kindOf(entry),
    ]);
  }

  rmdir(path: string): Promise<void> {
    return this.#fs.rmdir(path);
  }

  rm(path: string, recursive: boolean, force: boolean): Promise<void> {
    return this.#fs.rm(path, { recursive, force });
  }

  async cp(source: string, target: string, recursive: boolean): Promise<void> {
    await this.#copy(source, target, recursive, { left: MAX_COPIES });
  }

  async mv(source: string, target: string): Promise<void> {
    await this.#inTmp(target, () => this.#fs.rename(source, target));
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#fs.chmod(path, mode);
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#fs.symlink(target, path);
  }

  link(existing: string, path: string): Promise<void> {
    return this.#fs.link(existing, path);
  }

  readlink(path: string): Promise<string> {
    return this.#fs.readlink(path);
  }

  realpath(path: string): Promise<string> {
    return this.#fs.realpath(path);
  }

  utimes(path: string, atimeMs: number, mtimeMs: number): Promise<void> {
    return this.#fs.utimes(path, atimeMs / 1000, mtimeMs / 1000);
  }

  /** A link is copied as what it leads to when it was named, as a link when it was found below a folder. */
  async #copy(source: string, target: string, recursive: boolean, budget: { left: number }, found = false) {
    if (budget.left-- <= 0)
      throw fault("EMFILE", `too many entries to copy: more than ${MAX_COPIES}`, source);
    const stats = found ? await this.#fs.lstat(source) : await this.#fs.stat(source);
    if (stats.isSymbolicLink()) return this.#fs.symlink(await this.#fs.readlink(source), target);
    if (!stats.isDirectory()) return this.#inTmp(target, () => this.#fs.copyFile(source, target));
    if (!recursive) throw fault("EISDIR", "illegal operation on a directory, cp", source);
    if (`${target}/`.startsWith(`${source}/`))
      throw fault("EINVAL", "cannot copy a folder into itself, cp", source);
    await this.#fs.mkdir(target, { recursive: true });
    for (const name of await this.#fs.readdir(source)) {
      await this.#copy(join(source, name), join(target, name), true, budget, true);
    }
  }

  /** Shell scripts count on `/tmp`; it is made when something below it is first used. */
  async #inTmp<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || !(path === "/tmp" || path.startsWith("/tmp/"))) throw error;
      try {
        await this.#fs.mkdir("/tmp", { mode: 0o1777 });
      } catch {
        throw error; // It was there; something below it is missing.
      }
      return act();
    }
  }
}

const VERBS: ReadonlySet<string> = new Set(
  Object.getOwnPropertyNames(Verbs.prototype).filter((name) => name !== "constructor"),
);

/**
 * The files of a workspace for a guest: answers each verb with an envelope. What a guest sends is not
 * trusted: only the verbs of {@link FileVerbs} exist, and the workspace checks their parameters.
 */
export class FileBridge {
  readonly #verbs: Record<string, (...parameters: readonly unknown[]) => Promise<unknown>>;

  constructor(fs: FileSystem) {
    this.#verbs = new Verbs(fs) as never;
  }

  async answer(verb: string, parameters: readonly unknown[]): Promise<FileAnswer> {
    try {
      const act = VERBS.has(verb) ? this.#verbs[verb] : undefined;
      if (act === undefined) throw fault("ENOSYS", "function not implemented", String(verb));
      return { value: await act.apply(this.#verbs, [...parameters]) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { error: { code: codeOf(error) ?? "EIO", message } };
    }
  }
}

function entryStat(stats: Stats): EntryStat {
  return {
    kind: kindOf(stats),
    mode: stats.mode & 0o7777,
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    ino: stats.ino,
  };
}

function kindOf(node: Pick<Stats, "isDirectory" | "isSymbolicLink">): EntryKind {
  if (node.isDirectory()) return "directory";
  return node.isSymbolicLink() ? "symlink" : "file";
}

function join(folder: string, name: string): string {
  return folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function fault(code: string, what: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${what} '${path}'`), { code, path });
}
