import { constants } from "node:fs";
import * as disk from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Workspace } from "../workspace/workspace.ts";
import type { FileSystem } from "./types.ts";

/*
 * Every verb with every kind of path, against the real thing: the same call on the same small tree on disk
 * and in a workspace must have the same outcome (value, or error with its code, syscall and message), and
 * leave the same tree.
 */

type Verbs = Pick<
  FileSystem,
  | "appendFile"
  | "chmod"
  | "copyFile"
  | "link"
  | "lstat"
  | "mkdir"
  | "readFile"
  | "readdir"
  | "readlink"
  | "realpath"
  | "rename"
  | "rm"
  | "stat"
  | "symlink"
  | "truncate"
  | "utimes"
  | "writeFile"
>;

const LONG = "n".repeat(256);

const PATHS = [
  "/",
  "/.",
  "/d",
  "/d/",
  "/d/.",
  "/d/..",
  "/d/new",
  "/d/new/",
  "/full",
  "/full/",
  "/full/file",
  "/full/../file",
  "/file",
  "/file/",
  "/file/.",
  "/file/..",
  "/file/x",
  "/hard",
  "/new",
  "/new/",
  "/new/x",
  "/new/..",
  "/to-file",
  "/to-file/",
  "/to-file/x",
  "/to-full",
  "/to-full/",
  "/to-full/.",
  "/to-full/file",
  "/to-full/../file",
  "/to-full/new",
  "/broken",
  "/broken/",
  "/broken/x",
  "/loop",
  "/loop/",
  "/loop/x",
  "/abs",
  "/abs/file",
  "//d///",
  `/${LONG}`,
  `/d/${LONG}`,
  `/new/${LONG}`,
  `/file/${LONG}`,
  "/full/sub",
  "/full/sub/deep",
];

/** Those that matter for verbs with two paths, of which all pairs are tried. */
const PAIRED = [
  "/",
  "/d",
  "/d/",
  "/d/.",
  "/d/new",
  "/d/new/",
  "/full",
  "/full/",
  "/full/file",
  "/full/sub",
  "/full/sub/deep",
  "/file",
  "/file/",
  "/file/x",
  "/hard",
  "/new",
  "/new/",
  "/new/x",
  "/to-file",
  "/to-full",
  "/to-full/",
  "/to-full/new",
  "/to-full/file",
  "/broken",
  "/broken/",
  "/loop",
  "/loop/x",
  `/${LONG}`,
];

const ONE_PATH: Record<string, (fs: Verbs, path: string) => Promise<unknown>> = {
  appendFile: (fs, path) => fs.appendFile(path, "++", { mode: 0o640 }),
  chmod: (fs, path) => fs.chmod(path, 0o711),
  lstat: async (fs, path) => shape(await fs.lstat(path)),
  mkdir: (fs, path) => fs.mkdir(path, { mode: 0o750 }),
  "mkdir recursive": (fs, path) => fs.mkdir(path, { recursive: true, mode: 0o750 }),
  "mkdir recursive below": (fs, path) => fs.mkdir(`${path}/a/b`, { recursive: true, mode: 0o750 }),
  readFile: (fs, path) => fs.readFile(path, "utf8"),
  readdir: async (fs, path) => (await fs.readdir(path)).sort(),
  "readdir entries": async (fs, path) =>
    (await fs.readdir(path, { withFileTypes: true }))
      .map((e) => `${e.name} ${e.isFile()} ${e.isDirectory()} ${e.isSymbolicLink()}`)
      .sort(),
  readlink: (fs, path) => fs.readlink(path),
  realpath: (fs, path) => fs.realpath(path),
  rm: (fs, path) => fs.rm(path),
  "rm force": (fs, path) => fs.rm(path, { force: true }),
  "rm recursive": (fs, path) => fs.rm(path, { recursive: true }),
  "rm recursive force": (fs, path) => fs.rm(path, { recursive: true, force: true }),
  stat: async (fs, path) => shape(await fs.stat(path)),
  truncate: (fs, path) => fs.truncate(path, 2),
  "truncate up": (fs, path) => fs.truncate(path, 7),
  utimes: (fs, path) => fs.utimes(path, 1_000.5, new Date(2_000_000)),
  writeFile: (fs, path) => fs.writeFile(path, "new content", { mode: 0o640 }),
  "writeFile wx": (fs, path) => fs.writeFile(path, "new content", { mode: 0o640, flag: "wx" }),
  "appendFile ax": (fs, path) => fs.appendFile(path, "new content", { mode: 0o640, flag: "ax" }),
};

const TWO_PATHS: Record<string, (fs: Verbs, a: string, b: string) => Promise<unknown>> = {
  copyFile: (fs, a, b) => fs.copyFile(a, b),
  "copyFile exclusive": (fs, a, b) => fs.copyFile(a, b, { exclusive: true }),
  link: (fs, a, b) => fs.link(a, b),
  rename: (fs, a, b) => fs.rename(a, b),
  symlink: (fs, a, b) => fs.symlink(a, b),
};

/**
 * What we do otherwise, on purpose.
 *
 * - The root cannot be removed or renamed here; on disk the root of the test is a folder like any other.
 * - What cannot be removed as asked (`.`, `..`, a link with a slash behind it) is refused before anything
 *   is gone; Node empties the directory first.
 * - `mkdir` with `recursive` makes all directories or none; Node leaves those that it came to.
 * - Copying a directory is refused at once; Node makes an empty file first.
 * - Where both paths of a rename are bad, which of the two is named may differ.
 */
function onPurpose(name: string, ...paths: string[]): boolean {
  const [first = ""] = paths;
  if (/^(rm|rename|link|copyFile|symlink)/.test(name) && paths.some((path) => ROOTS.includes(path)))
    return true;
  if (name.startsWith("rm"))
    return /\/\.\.?$/.test(first) || (name.includes("recursive") && first === "/to-full/");
  if (name.startsWith("mkdir recursive")) return first.startsWith("/new/n");
  if (name.startsWith("copyFile")) return DIRECTORIES.includes(first);
  if (name === "rename") return paths.some((path) => path.endsWith(LONG));
  return false;
}

const ROOTS = ["/", "/.", "/d/..", "/new/.."];
const DIRECTORIES = ["/d", "/d/", "/d/.", "/full", "/full/", "/full/sub", "/to-full", "/to-full/"];

let root: string;
beforeAll(async () => {
  process.umask(0);
  root = await disk.mkdtemp(join(tmpdir(), "parity-"));
});
afterAll(async () => {
  await disk.rm(root, { recursive: true, force: true });
});

test.for(Object.keys(ONE_PATH))("%s does what it does on disk", async (name) => {
  const verb = ONE_PATH[name] as (typeof ONE_PATH)[string];
  await compare(
    PATHS.filter((path) => !onPurpose(name, path)).map(
      (path) => [path, (fs: Verbs) => verb(fs, path)] as const,
    ),
  );
});

test.for(Object.keys(TWO_PATHS))("%s does what it does on disk", async (name) => {
  const verb = TWO_PATHS[name] as (typeof TWO_PATHS)[string];
  const pairs = PAIRED.flatMap((a) => PAIRED.map((b) => [a, b] as const)).filter(
    ([a, b]) => !onPurpose(name, a, b),
  );
  await compare(pairs.map(([a, b]) => [`${a} ${b}`, (fs: Verbs) => verb(fs, a, b)] as const));
});

async function compare(calls: (readonly [string, (fs: Verbs) => Promise<unknown>])[]): Promise<void> {
  const onDisk: Record<string, string> = {};
  const inWorkspace: Record<string, string> = {};
  let trees = await newTrees();
  const untouched = await listing(trees.real);
  for (const [label, call] of calls) {
    const expected = `${await outcome(() => call(trees.real), trees.base)}\n${await listing(trees.real)}`;
    const actual = `${await outcome(() => call(trees.workspace.fs), "")}\n${await listing(trees.workspace.fs)}`;
    if (actual !== expected) {
      onDisk[label] = expected;
      inWorkspace[label] = actual;
    }
    if (expected.endsWith(untouched) && actual.endsWith(untouched)) continue;
    await trees.remove();
    trees = await newTrees();
  }
  await trees.remove();
  expect(inWorkspace).toEqual(onDisk);
}

let count = 0;

/** The same tree on disk and in a workspace. */
async function newTrees() {
  const base = join(root, `t${count++}`);
  await disk.mkdir(base, { mode: 0o755 });
  const real = verbsOnDisk(base);
  const workspace = await Workspace.memory();
  await layOut(real);
  await layOut(workspace.fs);
  const remove = async () => {
    await disk.rm(base, { recursive: true });
    await workspace.close();
  };
  return { base, real, workspace, remove };
}

async function layOut(fs: Verbs): Promise<void> {
  await fs.mkdir("/d", { mode: 0o755 });
  await fs.mkdir("/full", { mode: 0o755 });
  await fs.mkdir("/full/sub", { mode: 0o755 });
  await fs.writeFile("/full/file", "inner", { mode: 0o644 });
  await fs.writeFile("/full/sub/deep", "deep", { mode: 0o644 });
  await fs.writeFile("/file", "outer", { mode: 0o604 });
  await fs.link("/file", "/hard");
  await fs.symlink("file", "/to-file");
  await fs.symlink("full/", "/to-full");
  await fs.symlink("nowhere", "/broken");
  await fs.symlink("loop", "/loop");
  await fs.symlink("/full", "/abs");
}

/** Everything there is, as text, times aside. */
async function listing(fs: Verbs, directory = ""): Promise<string> {
  let lines = "";
  for (const name of (await fs.readdir(directory || "/")).sort()) {
    const path = `${directory}/${name}`;
    const stats = await fs.lstat(path);
    const content = stats.isFile()
      ? await fs.readFile(path, "utf8")
      : stats.isSymbolicLink()
        ? await fs.readlink(path)
        : "";
    lines += `${path} ${shape(stats)} ${content}\n`;
    if (stats.isDirectory()) lines += await listing(fs, path);
  }
  return lines;
}

function shape(stats: {
  mode: number;
  nlink: number;
  size: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): string {
  const size = stats.isFile() ? stats.size : "";
  return `${stats.mode.toString(8)} ${stats.isDirectory() ? "" : stats.nlink} ${size}`;
}

async function outcome(call: () => Promise<unknown>, base: string): Promise<string> {
  const strip = (value: unknown) =>
    typeof value === "string" && base !== ""
      ? value.replaceAll(`'${base}'`, "'/'").replaceAll(base, "") || "/"
      : value;
  try {
    return JSON.stringify(strip(await call())) ?? "undefined";
  } catch (error) {
    const { name, code, errno, syscall, path, dest, message } = error as NodeJS.ErrnoException & {
      dest?: string;
    };
    return JSON.stringify([name, code, errno, syscall, strip(path), strip(dest), strip(message)]);
  }
}

/** Node's own verbs, below a folder. */
function verbsOnDisk(base: string): Verbs {
  const at = (path: string) => base + path;
  // Targets of symbolic links are relative to the link, or absolute, which means below the folder too.
  const target = (path: string) => (path.startsWith("/") ? at(path) : path);
  return {
    appendFile: (path, data, options) => disk.appendFile(at(path), data, options),
    chmod: (path, mode) => disk.chmod(at(path), mode),
    copyFile: (a, b, options) =>
      disk.copyFile(
        at(a),
        at(b),
        typeof options === "object" && options.exclusive ? constants.COPYFILE_EXCL : 0,
      ),
    link: (a, b) => disk.link(at(a), at(b)),
    lstat: (path) => disk.lstat(at(path)),
    mkdir: (path, options) => disk.mkdir(at(path), options),
    readFile: ((path: string, options: "utf8") => disk.readFile(at(path), options)) as Verbs["readFile"],
    readdir: ((path: string, options: { recursive: false }) =>
      disk.readdir(at(path), options)) as Verbs["readdir"],
    readlink: async (path) => (await disk.readlink(at(path))).replace(base, ""),
    realpath: (path) => disk.realpath(at(path)),
    rename: (a, b) => disk.rename(at(a), at(b)),
    rm: (path, options) => disk.rm(at(path), options),
    stat: (path) => disk.stat(at(path)),
    symlink: (a, b) => disk.symlink(target(a), at(b)),
    truncate: (path, length) => disk.truncate(at(path), length),
    utimes: (path, atime, mtime) => disk.utimes(at(path), atime, mtime),
    writeFile: (path, data, options) => disk.writeFile(at(path), data, options),
  };
}
