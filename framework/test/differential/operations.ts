import fc from "fast-check";
import type { FileHandle } from "../../src/vfs/handle-types.ts";
import { hash, type Verbs } from "./trees.ts";

/** One operation: what it does with its paths, text and numbers depends on the verb. */
export interface Step {
  readonly verb: Verb;
  readonly path: string;
  readonly other: string;
  readonly text: string;
  readonly mode: number;
  readonly number: number;
  readonly flag: string;
  readonly flags: boolean[];
}

type Run = (operations: Operations, step: Step) => Promise<unknown>;

const LONG = "n".repeat(256);
const FILL = "x".repeat(300_000);

/** Every verb, with the arguments that tell it apart. What answers a path or a size of a directory answers less. */
const VERBS = {
  access: ({ fs }, { path, mode }) => fs.access(path, mode & 7),
  appendFile: ({ fs }, { path, text, mode }) => fs.appendFile(path, text, { mode }),
  chmod: ({ fs }, { path, mode }) => fs.chmod(path, mode),
  chown: ({ fs }, { path, number }) => fs.chown(path, (number % 5) - 1, number % 7),
  copyFile: async ({ fs }, { path, other, number }) => {
    // A directory is refused at once; Node makes an empty file first.
    if (await isDirectory(fs, path)) return "a directory";
    return fs.copyFile(path, other, number & 1);
  },
  cp: async ({ fs }, { path, other, flags: [recursive = false, force = true, verbatimSymlinks = false] }) => {
    // Copies of copies would grow beyond all bounds.
    if (
      (await isDirectory(fs, path)) &&
      (await fs.readdir(path, { recursive: true, withFileTypes: true })).length > 40
    )
      return "too many";
    // Directories that cp makes above its target have a mode that depends on the process.
    const end = other.lastIndexOf("/");
    const above = await fs.access(other.slice(0, end) || "/").then(
      () => true,
      () => false,
    );
    const target = above ? other : other.slice(end);
    await fs.cp(path, target, { recursive, force, errorOnExist: !force, verbatimSymlinks });
    return undefined;
  },
  lchown: ({ fs }, { path, number }) => fs.lchown(path, number % 5, (number % 7) - 1),
  link: ({ fs }, { path, other }) => fs.link(path, other),
  lstat: async ({ fs }, { path }) => shape(await fs.lstat(path)),
  lutimes: ({ fs }, { path, number }) => fs.lutimes(path, number, number / 7),
  mkdir: ({ fs }, { path, mode }) => fs.mkdir(path, { mode }),
  mkdirs: async ({ fs }, { path, mode }) => fs.mkdir(path, { mode, recursive: true }),
  open: (operations, { path, flag, mode }) => operations.open(path, flag, mode),
  opendir: async ({ fs }, { path }) => {
    const names: string[] = [];
    for await (const entry of await fs.opendir(path))
      names.push(`${entry.name} ${entry.isFile()} ${entry.isDirectory()}`);
    return names.sort();
  },
  readFile: async ({ fs }, { path }) => hash(await fs.readFile(path)),
  readdir: async ({ fs }, { path }) => (await fs.readdir(path)).sort(),
  // Without `withFileTypes` Node walks into links, here they are never followed.
  readdirs: async ({ fs }, { path }) =>
    (await fs.readdir(path, { recursive: true, withFileTypes: true }))
      .map((entry) => `${entry.name} ${entry.isDirectory()} ${entry.isSymbolicLink()}`)
      .sort(),
  readlink: ({ fs }, { path }) => fs.readlink(path),
  realpath: ({ fs }, { path }) => fs.realpath(path),
  rename: ({ fs }, { path, other }) => fs.rename(path, other),
  rm: ({ fs }, { path, flags: [recursive = false, force = false] }) => fs.rm(path, { recursive, force }),
  rmdir: ({ fs }, { path }) => fs.rmdir(path),
  stat: async ({ fs }, { path }) => shape(await fs.stat(path)),
  symlink: ({ fs }, { path, other, flags: [relative] }) =>
    fs.symlink(relative === true ? other.slice(1) : other, path),
  truncate: ({ fs }, { path, number }) => fs.truncate(path, number),
  unlink: ({ fs }, { path }) => fs.unlink(path),
  utimes: async ({ fs }, { path, number }) => {
    await fs.utimes(path, number, number / 7);
    const { atimeMs, mtimeMs } = await fs.stat(path);
    return [Math.round(atimeMs), Math.round(mtimeMs)];
  },
  writeFile: ({ fs }, { path, text, mode, flags: [exclusive] }) =>
    fs.writeFile(path, text, { mode, flag: exclusive === true ? "wx" : "w" }),
  handleRead: (operations, { number, mode, flags: [here] }) =>
    operations.handle(async (file) => {
      const length = mode * 3;
      const { bytesRead, buffer } = await file.read(
        new Uint8Array(length),
        0,
        length,
        here === true ? null : number,
      );
      return hash(buffer.subarray(0, bytesRead));
    }),
  handleReadFile: (operations) => operations.handle(async (file) => hash(await file.readFile())),
  handleWrite: (operations, { text, number, flags: [here] }) =>
    operations.handle(async (file) => {
      const bytes = new TextEncoder().encode(text);
      return (await file.write(bytes, 0, bytes.length, here === true ? null : number)).bytesWritten;
    }),
  handleWriteFile: (operations, { text }) => operations.handle((file) => file.writeFile(text)),
  handleTruncate: (operations, { number }) => operations.handle((file) => file.truncate(number)),
  handleStat: (operations) => operations.handle(async (file) => shape(await file.stat())),
  handleChmod: (operations, { mode }) => operations.handle((file) => file.chmod(mode)),
  handleChown: (operations, { number }) => operations.handle((file) => file.chown(number % 5, -1)),
  handleUtimes: (operations, { number }) => operations.handle((file) => file.utimes(number, number)),
  handleSync: (operations) => operations.handle((file) => file.sync()),
  handleClose: (operations) => operations.close(),
} satisfies Record<string, Run>;

type Verb = keyof typeof VERBS;

/** Runs steps on a file system, and keeps the files that are open in it. */
export class Operations {
  static readonly verbs = Object.keys(VERBS) as Verb[];
  readonly fs: Verbs;
  #open: FileHandle[] = [];

  constructor(fs: Verbs) {
    this.fs = fs;
  }

  /** Runs a step; answers what came of it: a value, or an error's code. */
  async run(step: Step): Promise<string> {
    try {
      return JSON.stringify(await (VERBS[step.verb] as Run)(this, step)) ?? "undefined";
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      // Node looks at source and target of cp at the same time: which of two errors it has is chance.
      if (step.verb === "cp" && !code.startsWith("ERR_")) return "E";
      return `${code} ${code.startsWith("ERR_") ? "" : (syscall ?? "")}`;
    }
  }

  async open(path: string, flag: string, mode: number): Promise<void> {
    const file = await this.fs.open(path, flag, mode);
    // Open directories that are removed are another matter: see the README.
    if ((await file.stat()).isDirectory()) return file.close();
    this.#open.push(file);
    if (this.#open.length > 3) await this.#open.shift()?.close();
  }

  async handle<T>(work: (file: FileHandle) => Promise<T>): Promise<T | "none open"> {
    const file = this.#open.at(-1);
    return file === undefined ? "none open" : work(file);
  }

  async close(): Promise<string> {
    const file = this.#open.shift();
    await file?.close();
    return String(file !== undefined);
  }

  async closeAll(): Promise<void> {
    for (const file of this.#open.splice(0)) await file.close();
  }
}

/** Whether a path leads to a directory. */
export async function isDirectory(fs: Verbs, path: string): Promise<boolean> {
  return fs.stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

function shape(stats: Awaited<ReturnType<Verbs["stat"]>>): string {
  const { mode, uid, gid, nlink, size } = stats;
  return `${mode.toString(8)} ${uid}:${gid} ${stats.isDirectory() ? "" : `${nlink} ${stats.isFile() ? size : ""}`}`;
}

const FLAGS = ["r", "r+", "w", "w+", "wx", "wx+", "a", "a+", "ax", "rs+", "sa+"];

const name = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom("a", "b", "c") },
  { weight: 1, arbitrary: fc.constantFrom(LONG, ".", "..", "é", "a") },
);
const path = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.tuple(name) },
      { weight: 2, arbitrary: fc.tuple(name, name) },
      { weight: 1, arbitrary: fc.tuple(name, name, name) },
    ),
    fc.nat(19),
  )
  .map(([names, slash]) => `/${names.join("/")}${slash === 0 ? "/" : ""}`);
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(0, 1, 32_767, 32_768, 32_769, 262_144, 262_145)
      .map((size) => FILL.slice(0, size)),
  },
);
const number = fc.oneof(fc.nat(20), fc.constantFrom(32_768, 32_769, 100_000, 262_144, 300_000));
const mode = fc.constantFrom(0o644, 0o600, 0o755, 0o444, 0o777, 0o700, 0o1777, 0);

/** Sequences of steps. Those that make things come more often, so that there is something to work on. */
export function steps(depth: number): fc.Arbitrary<Step[]> {
  const often: Verb[] = [
    "mkdir",
    "mkdirs",
    "writeFile",
    "symlink",
    "open",
    "link",
    "rename",
    "handleWrite",
    "readlink",
  ];
  const verb = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...Operations.verbs) },
    { weight: 4, arbitrary: fc.constantFrom(...often) },
  );
  const step = fc.record<Step>({
    verb,
    path,
    other: path,
    text,
    mode,
    number,
    flag: fc.constantFrom(...FLAGS),
    flags: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  });
  return fc
    .array(step, { minLength: 10, maxLength: depth, size: "max" })
    .map((all) => all.filter((one) => !onPurpose(one)));
}

/**
 * What is done otherwise on purpose; the README says why.
 *
 * - The root can neither be removed nor renamed, nor is it a place to copy or link; on disk it is a folder here.
 * - What cannot be removed as asked (`.`, `..`, a link with a slash) is refused before anything is gone.
 * - `mkdir -p` makes all directories or none.
 */
function onPurpose({ verb, path, other }: Step): boolean {
  const dots = (text: string) => /\/\.\.?(\/|$)/.test(text);
  if (
    ["rm", "rmdir", "rename", "copyFile", "cp", "link", "symlink"].includes(verb) &&
    (dots(path) || dots(other))
  )
    return true;
  if (["rm", "cp", "copyFile"].includes(verb) && (path.endsWith("/") || other.endsWith("/"))) return true;
  if (verb === "mkdirs" && (path.includes(LONG) || dots(path))) return true;
  // Of two bad paths another one may be named first.
  if (["rename", "link"].includes(verb) && (path.includes(LONG) || other.includes(LONG))) return true;
  // On disk the root of the test is not where `..` ends.
  return path.includes("/..") || other.includes("/..");
}
