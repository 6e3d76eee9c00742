import fc from "fast-check";
import { expect, test } from "vitest";
import { testSeed } from "../../../.ci/lib/seed.ts";
import { problems } from "../../test/contracts/integrity.ts";
import { TreeFileSystem } from "./file-system.ts";
import { openNodeSql } from "./sql/node.ts";
import { Tree } from "./tree.ts";
import type { FileSystem } from "./types.ts";

/*
 * Random sequences of verbs against a model that is as simple as can be: a map from paths to what is there,
 * no links. After every verb the outcome, and at the end the whole tree, must be the same.
 */

type Model = Map<string, { kind: "file"; text: string } | { kind: "directory" }>;
type Step = readonly [verb: keyof typeof RUN, path: string, other: string, text: string];

// Few names and short paths, so that steps meet what earlier ones left.
const segments = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3, size: "small" });
const path = segments.map((parts) => `/${parts.join("/")}`);
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer({ min: 1, max: 9 }).map((n) => String(n).repeat(90_000)),
  fc.integer({ min: 1, max: 9 }).map((n) => String(n).repeat(300_000)),
);

const RUN = {
  write: (fs: FileSystem, path: string, _: string, text: string) => fs.writeFile(path, text),
  append: (fs: FileSystem, path: string, _: string, text: string) => fs.appendFile(path, text),
  stream: async (fs: FileSystem, path: string, _: string, text: string) =>
    new Blob([text]).stream().pipeTo(fs.createWriteStream(path)),
  truncate: (fs: FileSystem, path: string, _: string, text: string) => fs.truncate(path, text.length),
  mkdir: (fs: FileSystem, path: string) => fs.mkdir(path),
  mkdirs: (fs: FileSystem, path: string) => fs.mkdir(path, { recursive: true }),
  rm: (fs: FileSystem, path: string) => fs.rm(path),
  remove: (fs: FileSystem, path: string) => fs.rm(path, { recursive: true, force: true }),
  rename: (fs: FileSystem, path: string, other: string) => fs.rename(path, other),
  copy: (fs: FileSystem, path: string, other: string) => fs.copyFile(path, other),
  read: (fs: FileSystem, path: string) => fs.readFile(path, "utf8"),
  list: (fs: FileSystem, path: string) => fs.readdir(path),
};

test("random verbs do what a simple model says", { timeout: 60_000 }, async () => {
  const verbs = Object.keys(RUN) as (keyof typeof RUN)[];
  const covered = new Set<string>();
  const seed = testSeed();
  const step = fc.tuple(fc.constantFrom(...verbs), path, path, text);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: "max" }), async (steps) => {
      const sql = openNodeSql();
      const tree = new Tree(sql, 2 ** 30);
      const fs = new TreeFileSystem(() => tree);
      const model: Model = new Map([["/", { kind: "directory" }]]);
      for (const [verb, path, other, text] of steps) {
        const expected = outcome(() => applied(model, [verb, path, other, text]));
        const actual = await RUN[verb](fs, path, other, text).then(
          (value) => JSON.stringify(value) ?? "undefined",
          (error: NodeJS.ErrnoException) => error.code,
        );
        covered.add(`${verb} ${/^E/.test(actual ?? "") ? actual : "ok"}`);
        expect(actual, `${verb} ${path} ${other}`).toBe(expected);
      }
      expect(problems(sql)).toEqual([]);
      const paths = ["/", ...(await fs.readdir("/", { recursive: true })).map((name) => `/${name}`)];
      expect(paths.sort()).toEqual([...model.keys()].sort());
      for (const [path, entry] of model) {
        if (entry.kind === "file") expect((await fs.readFile(path, "utf8")) === entry.text, path).toBe(true);
      }
      sql.close();
    }),
    { numRuns: 300, seed },
  );
  console.log(`SEED=${seed}; verbs and outcomes covered: ${[...covered].sort().join(", ")}`);
  for (const verb of verbs) expect([...covered], `seed ${seed}`).toContain(`${verb} ok`);
  expect(covered.size, `seed ${seed}`).toBeGreaterThan(35);
});

function outcome(work: () => unknown): string | undefined {
  try {
    return JSON.stringify(work()) ?? "undefined";
  } catch (error) {
    return (error as Error).message;
  }
}

/** What a verb does to the model; throws an error whose message is the code. */
function applied(model: Model, [verb, path, other, text]: Step): unknown {
  const fail = (code: string): never => {
    throw new Error(code);
  };
  const parent = (of: string) => of.slice(0, of.lastIndexOf("/")) || "/";
  const below = (of: string) =>
    [...model.keys()].filter((key) => key.startsWith(of === "/" ? "/" : `${of}/`));
  const names = (of: string) =>
    below(of)
      .filter((key) => key !== "/" && parent(key) === of)
      .map((key) => key.slice(key.lastIndexOf("/") + 1))
      .sort();
  /** Walks down to the parent: what is on the way must be directories. */
  const walk = (to: string) => {
    const parts = to.split("/").slice(1, -1);
    for (let i = 1; i <= parts.length; i++) {
      const entry = model.get(`/${parts.slice(0, i).join("/")}`) ?? fail("ENOENT");
      if (entry.kind === "file") fail("ENOTDIR");
    }
    return model.get(to);
  };
  const file = (of: string) => {
    const entry = walk(of) ?? fail("ENOENT");
    return entry.kind === "file" ? entry : fail("EISDIR");
  };
  const write = (of: string, change: (old: string) => string) => {
    const entry = walk(of);
    if (entry?.kind === "directory") fail("EISDIR");
    model.set(of, { kind: "file", text: change(entry?.kind === "file" ? entry.text : "") });
  };
  const entry = ["mkdir", "rm", "list"].includes(verb) ? walk(path) : undefined;
  switch (verb) {
    case "write":
    case "stream":
      return write(path, () => text);
    case "append":
      return write(path, (old) => old + text);
    case "truncate": {
      model.set(path, { kind: "file", text: cut(file(path).text, text.length) });
      return;
    }
    case "mkdir":
      if (entry !== undefined) fail("EEXIST");
      model.set(path, { kind: "directory" });
      return;
    case "mkdirs": {
      let first: string | undefined;
      const parts = path.split("/").slice(1);
      const missing: string[] = [];
      for (let i = 1; i <= parts.length; i++) {
        const part = `/${parts.slice(0, i).join("/")}`;
        if (model.get(part)?.kind === "file") fail(i === parts.length ? "EEXIST" : "ENOTDIR");
        if (!model.has(part)) missing.push(part);
      }
      for (const part of missing) {
        first ??= part;
        model.set(part, { kind: "directory" });
      }
      return first;
    }
    case "rm":
      if ((entry ?? fail("ENOENT")).kind === "directory") fail("ERR_FS_EISDIR");
      model.delete(path);
      return;
    case "remove":
      try {
        walk(path);
      } catch (error) {
        if ((error as Error).message !== "ENOENT") throw error;
      }
      for (const key of [path, ...below(path)]) model.delete(key);
      return;
    case "rename": {
      walk(path);
      walk(other);
      const from = model.get(path) ?? fail("ENOENT");
      const to = model.get(other);
      if (from.kind === "directory" && other.startsWith(`${path}/`)) fail("EINVAL");
      if (path.startsWith(`${other}/`)) fail("ENOTEMPTY");
      if (path === other) return;
      if (to?.kind === "file" && from.kind === "directory") fail("ENOTDIR");
      if (to?.kind === "directory" && from.kind === "file") fail("EISDIR");
      if (to?.kind === "directory" && below(other).length > 0) fail("ENOTEMPTY");
      for (const key of [path, ...below(path)]) {
        model.set(other + key.slice(path.length), model.get(key) ?? from);
        model.delete(key);
      }
      return;
    }
    case "copy": {
      const { text: copied } = file(path);
      if (path !== other) write(other, () => copied);
      else write(other, (old) => old);
      return;
    }
    case "read":
      return file(path).text;
    case "list":
      if ((entry ?? fail("ENOENT")).kind === "file") fail("ENOTDIR");
      return names(path);
  }
}

/** Text cut by bytes, or extended by NULs. */
function cut(text: string, length: number): string {
  const bytes = Buffer.alloc(length);
  Buffer.from(text).copy(bytes);
  return bytes.toString("utf8");
}
