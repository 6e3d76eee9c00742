import type { IFileSystem } from "just-bash/browser";
import type { EntryKind, EntryStat, FileVerbs, GuestHost } from "../protocol.ts";
import { decodeText, encodeText, latin1FromBytes } from "./bytes.ts";
import { Devices, encoderFor } from "./devices.ts";
import { FileError, reason, ShellError } from "./errors.ts";

type FsStat = Awaited<ReturnType<IFileSystem["stat"]>>;
type DirentEntry = Awaited<ReturnType<NonNullable<IFileSystem["readdirWithFileTypes"]>>>[number];
type Encoded = Parameters<IFileSystem["readFile"]>[1];
type ByteString = Awaited<ReturnType<NonNullable<IFileSystem["readFileBytes"]>>>;
type FileContent = string | Uint8Array;

/** The folders in which the interpreter looks for its own commands. */
const COMMAND_FOLDERS = ["/usr/bin/", "/bin/"];

/**
 * The files that a script sees: the workspace's, reached through the host on every call, since other
 * writers may change them at any time. Only `/dev`, and the names of the interpreter's own commands below
 * `/usr/bin`, are answered here.
 */
export class GuestFiles implements IFileSystem {
  readonly #host: Pick<GuestHost, "file">;
  readonly #devices: Devices;
  readonly #commands: ReadonlySet<string>;

  constructor(host: Pick<GuestHost, "file">, devices: Devices, commands: ReadonlySet<string>) {
    this.#host = host;
    this.#devices = devices;
    this.#commands = commands;
  }

  async readFile(path: string, options?: Encoded): Promise<string> {
    const bytes = await this.readFileBuffer(path);
    switch (nameOf(options)) {
      case "binary":
      case "latin1":
      case "ascii":
        return latin1FromBytes(bytes);
      case "base64":
        return btoa(latin1FromBytes(bytes));
      case "hex":
        return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      default:
        return decodeText(bytes);
    }
  }

  async readFileBytes(path: string): Promise<ByteString> {
    return latin1FromBytes(await this.readFileBuffer(path)) as unknown as ByteString;
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    if (Devices.owns(path)) return this.#devices.read(path);
    return this.#ask("readFile", path);
  }

  async writeFile(path: string, content: FileContent, options?: Encoded): Promise<void> {
    await this.#write("writeFile", path, content, options);
  }

  async appendFile(path: string, content: FileContent, options?: Encoded): Promise<void> {
    await this.#write("appendFile", path, content, options);
  }

  async exists(path: string): Promise<boolean> {
    if (Devices.owns(path)) return this.#devices.exists(path);
    return this.#isCommand(path) || this.#ask("exists", path);
  }

  async stat(path: string): Promise<FsStat> {
    if (Devices.owns(path)) return fsStat(this.#devices.stat(path));
    return fsStat(this.#isCommand(path) ? COMMAND_STAT : await this.#ask("stat", path));
  }

  async lstat(path: string): Promise<FsStat> {
    if (Devices.owns(path)) return fsStat(this.#devices.stat(path));
    return fsStat(this.#isCommand(path) ? COMMAND_STAT : await this.#ask("lstat", path));
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    refuseDevice(path, "mkdir");
    await this.#ask("mkdir", path, options?.recursive === true);
  }

  async readdir(path: string): Promise<string[]> {
    if (Devices.owns(path)) return this.#devices.list(path);
    return (await this.#ask("readdir", path)).map(([name]) => name).sort(byCodeUnits);
  }

  async readdirWithFileTypes(path: string): Promise<DirentEntry[]> {
    if (Devices.owns(path)) return this.#devices.list(path).map((name) => dirent(name, "file"));
    const entries = (await this.#ask("readdir", path)).map(([name, kind]) => dirent(name, kind));
    return entries.sort((a, b) => byCodeUnits(a.name, b.name));
  }

  async rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    if (Devices.owns(path)) return this.#devices.remove(path);
    await this.#ask("rm", path, options?.recursive === true, options?.force === true);
  }

  /** More than the interpreter asks for; our own commands use it. */
  async rmdir(path: string): Promise<void> {
    refuseDevice(path, "rmdir");
    await this.#ask("rmdir", path);
  }

  async cp(source: string, target: string, options?: { recursive?: boolean }): Promise<void> {
    if (Devices.owns(source)) return this.writeFile(target, await this.readFileBuffer(source));
    if (Devices.owns(target)) return this.writeFile(target, await this.readFileBuffer(source));
    await this.#ask("cp", source, target, options?.recursive === true);
  }

  async mv(source: string, target: string): Promise<void> {
    refuseDevice(source, "rename");
    refuseDevice(target, "rename");
    await this.#ask("mv", source, target);
  }

  async chmod(path: string, mode: number): Promise<void> {
    refuseDevice(path, "chmod");
    await this.#ask("chmod", path, mode);
  }

  async symlink(target: string, path: string): Promise<void> {
    refuseDevice(path, "symlink");
    await this.#ask("symlink", target, path);
  }

  async link(existing: string, path: string): Promise<void> {
    refuseDevice(existing, "link");
    refuseDevice(path, "link");
    await this.#ask("link", existing, path);
  }

  async readlink(path: string): Promise<string> {
    return this.#ask("readlink", path);
  }

  async realpath(path: string): Promise<string> {
    if (Devices.owns(path) && this.#devices.exists(path)) return path;
    return this.#ask("realpath", path);
  }

  async utimes(path: string, atime: Date, mtime: Date): Promise<void> {
    if (Devices.owns(path)) return;
    await this.#ask("utimes", path, atime.getTime(), mtime.getTime());
  }

  resolvePath(base: string, path: string): string {
    const parts: string[] = [];
    for (const part of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    return `/${parts.join("/")}`;
  }

  /** Not offered: it would mean walking the whole workspace. The interpreter walks folders itself. */
  getAllPaths(): string[] {
    return [];
  }

  async #write(verb: "writeFile" | "appendFile", path: string, content: FileContent, options: Encoded) {
    const encode = encoderFor(nameOf(options), encodeText);
    try {
      if (Devices.owns(path)) return await this.#devices.write(path, content, encode, verb === "appendFile");
      await this.#ask(verb, path, typeof content === "string" ? encode(content) : content);
    } catch (error) {
      // This is how a redirection opens its file; what it throws is printed as it is.
      if (content === "" && nameOf(options) === "binary")
        throw new ShellError(`bash: ${path}: ${reason(error)}`);
      throw error;
    }
  }

  #isCommand(path: string): boolean {
    return COMMAND_FOLDERS.some(
      (folder) => path.startsWith(folder) && this.#commands.has(path.slice(folder.length)),
    );
  }

  async #ask<Verb extends keyof FileVerbs>(
    verb: Verb,
    ...parameters: Parameters<FileVerbs[Verb]>
  ): Promise<Awaited<ReturnType<FileVerbs[Verb]>>> {
    const answer = await this.#host.file(verb, parameters);
    if ("error" in answer) throw new FileError(answer.error);
    return answer.value as Awaited<ReturnType<FileVerbs[Verb]>>;
  }
}

const COMMAND_STAT: EntryStat = { kind: "file", mode: 0o755, size: 0, mtimeMs: 0, ino: 0 };

function fsStat(stat: EntryStat): FsStat {
  return {
    isFile: stat.kind === "file",
    isDirectory: stat.kind === "directory",
    isSymbolicLink: stat.kind === "symlink",
    mode: stat.mode,
    size: stat.size,
    mtime: new Date(stat.mtimeMs),
    ...(stat.ino === 0 ? {} : { dev: 1, ino: stat.ino }),
  };
}

function dirent(name: string, kind: EntryKind): DirentEntry {
  return {
    name,
    isFile: kind === "file",
    isDirectory: kind === "directory",
    isSymbolicLink: kind === "symlink",
  };
}

function nameOf(options: Encoded): string | undefined {
  return (typeof options === "string" ? options : options?.encoding) ?? undefined;
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function refuseDevice(path: string, syscall: string): void {
  if (!Devices.owns(path)) return;
  throw new FileError({ code: "EACCES", message: `EACCES: permission denied, ${syscall} '${path}'` });
}
