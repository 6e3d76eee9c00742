import type { IFileSystem, ResolvedCommandContext } from "just-bash/browser";
import { FileError, reason } from "../errors.ts";

/** A command's options and operands, told apart as POSIX says; GNU's, that options may follow operands, too. */
export interface Operands {
  readonly options: ReadonlySet<string>;
  readonly operands: readonly string[];
  /** The values of the options that take one. */
  readonly values: ReadonlyMap<string, string>;
}

/** What a command cannot do, said as it is to stand on stderr, without the command's name. */
export class Complaint extends Error {}

/**
 * Reads the arguments of a command.
 *
 * @param letters The options there are; one with a colon behind it takes a value.
 * @param long What an option is called in full: `recursive: "r"`.
 * @throws Complaint for an option that there is not.
 */
export function readOperands(
  args: readonly string[],
  letters: string,
  long: Readonly<Record<string, string>> = {},
): Operands {
  const options = new Set<string>();
  const values = new Map<string, string>();
  const operands: string[] = [];
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === "--") {
      operands.push(...left.splice(0));
    } else if (arg.startsWith("--")) {
      const [name = "", value] = arg.slice(2).split(/=(.*)/s);
      const letter = Object.hasOwn(long, name) ? long[name] : undefined;
      if (letter === undefined) throw new Complaint(`unrecognized option '${arg}'`);
      if (value !== undefined) values.set(letter, value);
      options.add(letter);
    } else if (arg.startsWith("-") && arg !== "-") {
      for (let at = 1; at < arg.length; at += 1) {
        const letter = arg[at] as string;
        const place = letter === ":" ? -1 : letters.indexOf(letter);
        if (place < 0) throw new Complaint(`invalid option -- '${letter}'`);
        options.add(letter);
        if (letters[place + 1] !== ":") continue;
        const value = arg.slice(at + 1) || left.shift();
        if (value === undefined) throw new Complaint(`option requires an argument -- '${letter}'`);
        values.set(letter, value);
        break;
      }
    } else {
      operands.push(arg);
    }
  }
  return { options, operands, values };
}

/** One command at work: says what went wrong, and goes on with the next operand. */
export class Work {
  readonly fs: IFileSystem;
  readonly #name: string;
  readonly #cwd: string;
  #stdout = "";
  #stderr = "";

  constructor(name: string, { fs, cwd }: Pick<ResolvedCommandContext, "fs" | "cwd">) {
    this.fs = fs;
    this.#name = name;
    this.#cwd = cwd;
  }

  path(operand: string): string {
    return this.fs.resolvePath(this.#cwd, operand);
  }

  say(line: string): void {
    this.#stdout += `${line}\n`;
  }

  complain(words: string): void {
    this.#stderr += `${this.#name}: ${words}\n`;
  }

  /** Does something; what it throws is told behind these words. */
  async attempt(words: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (error instanceof Complaint) this.complain(error.message);
      else if (error instanceof FileError) this.complain(`${words}: ${reason(error)}`);
      else throw error;
    }
  }

  /** What kind of thing a name itself is, not what it may lead to; undefined when there is none. */
  async kind(path: string): Promise<"file" | "directory" | "symlink" | undefined> {
    try {
      const stat = await this.fs.lstat(path);
      return stat.isSymbolicLink ? "symlink" : stat.isDirectory ? "directory" : "file";
    } catch (error) {
      if (error instanceof FileError && (error.code === "ENOENT" || error.code === "ENOTDIR"))
        return undefined;
      throw error;
    }
  }

  /** Whether a name is a folder, or leads to one. */
  async leadsToFolder(path: string): Promise<boolean> {
    try {
      return (await this.fs.stat(path)).isDirectory;
    } catch (error) {
      if (error instanceof FileError) return false;
      throw error;
    }
  }

  get result(): { stdout: string; stderr: string; exitCode: number } {
    return { stdout: this.#stdout, stderr: this.#stderr, exitCode: this.#stderr === "" ? 0 : 1 };
  }
}

/** Runs a command's body; arguments that it cannot read are said with exit code 1, as GNU's do. */
export async function atWork(
  name: string,
  context: Pick<ResolvedCommandContext, "fs" | "cwd">,
  act: (work: Work) => Promise<void>,
): Promise<{ stdout: string; stderr: string; exitCode: number }> {
  const work = new Work(name, context);
  try {
    await act(work);
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    work.complain(error.message);
  }
  return work.result;
}

/** The last name of a path, without slashes at its end. */
export function baseName(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

/** A name below a folder. */
export function below(folder: string, name: string): string {
  return `${folder.replace(/\/+$/, "")}/${name}`;
}
