import { describe, expect, test } from "vitest";
import { noise } from "../../test/contracts/file-system/context.ts";
import { TreeFileSystem } from "../vfs/file-system.ts";
import { CHUNK_BYTES } from "../vfs/layout.ts";
import { openNodeSql } from "../vfs/sql/node.ts";
import type { Sql, SqlValue } from "../vfs/sql/types.ts";
import { Tree } from "../vfs/tree.ts";
import { check } from "./check.ts";
import type { ProblemCode } from "./types.ts";

/** A tree with one of everything, old versions too. */
async function furnished() {
  const sql = openNodeSql();
  let tree = new Tree(sql, 2 ** 30, { keepsRuns: true });
  const fs = new TreeFileSystem(() => tree);
  await fs.mkdir("/a/b/c", { recursive: true });
  await fs.mkdir("/d");
  await fs.writeFile("/a/small", "small");
  await fs.writeFile("/a/large", noise(3 * CHUNK_BYTES + 5));
  await fs.copyFile("/a/large", "/a/b/copy");
  await fs.link("/a/small", "/a/b/hard");
  await fs.symlink("../small", "/a/b/link");
  await fs.truncate("/a/b/copy", CHUNK_BYTES + 7);
  sql.exec("INSERT INTO vfs_pin VALUES (?, 'snapshot', 'one', NULL, 0)", tree.store.latestRevision);
  tree.store.recorder.forget();
  await fs.writeFile("/a/small", "changed");
  await fs.writeFile("/a/large", noise(2 * CHUNK_BYTES, 2));
  await fs.rm("/a/b/hard");
  await fs.rename("/d", "/e");
  const id = async (path: string) => (await fs.lstat(path)).ino;
  // What is planted below is found by whoever opens the database next.
  const report = async () => {
    tree.close();
    tree = new Tree(sql, 2 ** 30, { keepsRuns: true });
    return check(() => tree);
  };
  return { sql, fs, id, report, tree: () => tree };
}

/** Corruptions: what is done to the rows, and what must be found. */
const PLANTED: Record<
  string,
  [ProblemCode, (context: { sql: Sql; id: (path: string) => Promise<number> }) => Promise<unknown>]
> = {
  "a count of links": [
    "LINKS",
    async ({ sql, id }) => sql.exec("UPDATE vfs_node SET nlink = 5 WHERE id = ?", await id("/a/small")),
  ],
  "a directory's count of links": [
    "LINKS",
    async ({ sql, id }) => sql.exec("UPDATE vfs_node SET nlink = 2 WHERE id = ?", await id("/a")),
  ],
  "an orphan": [
    "ORPHAN",
    async ({ sql, id }) => sql.exec("DELETE FROM vfs_dirent WHERE node = ?", await id("/a/b/link")),
  ],
  "an entry without a node": [
    "DANGLING",
    async ({ sql, id }) => sql.exec("DELETE FROM vfs_node WHERE id = ?", await id("/a/large")),
  ],
  "an entry in a file": [
    "PARENT",
    async ({ sql, id }) =>
      sql.exec("UPDATE vfs_dirent SET parent = ? WHERE node = ?", await id("/a/small"), await id("/e")),
  ],
  "a circle of directories": [
    "CYCLE",
    async ({ sql, id }) => {
      const [b, c] = [await id("/a/b"), await id("/a/b/c")];
      sql.exec("UPDATE vfs_dirent SET parent = ? WHERE node = ?", c, b);
      sql.exec("UPDATE vfs_node SET parent = ? WHERE id = ?", c, b);
    },
  ],
  "a directory with two names": [
    "TWICE",
    async ({ sql, id }) =>
      insert(sql, "vfs_dirent", { parent: 1, name: name("twice"), node: await id("/a/b"), rev: 1, run: 0 }),
  ],
  "a name with a slash": [
    "NAME",
    async ({ sql, id }) =>
      sql.exec("UPDATE vfs_dirent SET name = ? WHERE node = ?", name("x/y"), await id("/e")),
  ],
  "a home that is another": [
    "HOME",
    async ({ sql, id }) =>
      sql.exec("UPDATE vfs_node SET name = ? WHERE id = ?", name("other"), await id("/e")),
  ],
  "a mode of no kind": [
    "NODE",
    async ({ sql, id }) => sql.exec("UPDATE vfs_node SET mode = 420 WHERE id = ?", await id("/a/small")),
  ],
  "a time that cannot be": [
    "NODE",
    async ({ sql, id }) => sql.exec("UPDATE vfs_node SET mtime_ns = -1 WHERE id = ?", await id("/a/small")),
  ],
  "small content that is lost": [
    "CONTENT",
    async ({ sql, id }) => sql.exec("DELETE FROM vfs_content WHERE node = ?", await id("/a/small")),
  ],
  "small content cut short": [
    "CONTENT",
    async ({ sql, id }) =>
      sql.exec("UPDATE vfs_content SET data = x'00' WHERE node = ?", await id("/a/small")),
  ],
  "small content of nobody": [
    "CONTENT",
    async ({ sql }) => insert(sql, "vfs_content", { node: 99, data: name("x"), rev: 1 }),
  ],
  "a size that is another": [
    "EXTENT",
    async ({ sql, id }) =>
      sql.exec("UPDATE vfs_node SET size = ? WHERE id = ?", CHUNK_BYTES, await id("/a/large")),
  ],
  "content beyond the end": [
    "EXTENT",
    async ({ sql, id }) =>
      sql.exec("UPDATE vfs_extent SET idx = 9 WHERE node = ? AND idx = 1", await id("/a/large")),
  ],
  "a count of uses": [
    "CHUNK_USES",
    async ({ sql }) =>
      sql.exec("UPDATE vfs_chunk SET refs = refs + 1 WHERE hash = (SELECT max(hash) FROM vfs_chunk)"),
  ],
  "a chunk that is lost": [
    "CHUNK_MISSING",
    async ({ sql, id }) =>
      sql.exec(
        "DELETE FROM vfs_chunk WHERE hash = (SELECT hash FROM vfs_extent WHERE node = ? LIMIT 1)",
        await id("/a/large"),
      ),
  ],
  "bytes that are lost": [
    "CHUNK_BYTES",
    async ({ sql }) => sql.exec("DELETE FROM vfs_bytes WHERE id = (SELECT max(id) FROM vfs_bytes)"),
  ],
  "one byte of a chunk": [
    "CHUNK_BYTES",
    async ({ sql }) =>
      sql.exec(
        "UPDATE vfs_bytes SET data = CAST(substr(data, 1, 99) || x'ff' || substr(data, 101) AS BLOB) WHERE id = (SELECT max(id) FROM vfs_bytes)",
      ),
  ],
  "bytes of no chunk": ["BYTES", async ({ sql }) => insert(sql, "vfs_bytes", { data: name("x") })],
  "a count of numbers": [
    "COUNTER",
    async ({ sql }) => sql.exec("UPDATE vfs_meta SET value = 1 WHERE key = 'id'"),
  ],
  "a count of revisions": [
    "COUNTER",
    async ({ sql }) => sql.exec("UPDATE vfs_dirent SET rev = 1000000 WHERE node > 1"),
  ],
  "an old version that never was": [
    "HISTORY",
    async ({ sql }) => sql.exec("UPDATE vfs_node_past SET rev = until + 1"),
  ],
  "an old version from the future": [
    "HISTORY",
    async ({ sql }) => sql.exec("UPDATE vfs_content_past SET until = 1000000"),
  ],
  "an old chunk that is lost": [
    "HISTORY",
    async ({ sql }) => sql.exec("UPDATE vfs_extent_past SET hash = x'00'"),
  ],
  "a pin in the future": ["HISTORY", async ({ sql }) => sql.exec("UPDATE vfs_pin SET rev = 1000000")],
};

describe("planted corruptions", () => {
  test.for(Object.keys(PLANTED))("%s is found", async (what) => {
    const context = await furnished();
    expect(await context.report()).toMatchObject({ ok: true, problems: [] });
    const [code, plant] = PLANTED[what] as (typeof PLANTED)[string];
    await plant(context);
    const { ok, problems } = await context.report();
    expect(ok).toBe(false);
    expect(
      problems.map((problem) => problem.code),
      JSON.stringify(problems),
    ).toContain(code);
    for (const { where, what } of problems) expect([where, what].join()).not.toMatch(/undefined|NaN/);
  });
});

test("a tree that is in use is no problem, whatever changes meanwhile", async () => {
  const { fs, tree } = await furnished();
  await fs.writeMany(
    Array.from({ length: 4000 }, (_, i) => ({ path: `/many/${i}`, data: `${i}` })),
    { parents: true },
  );
  let stop = false;
  const busy = (async () => {
    for (let i = 0; !stop; i++) {
      await fs.writeFile(`/a/b/${i % 7}`, noise(i % 3 === 0 ? 50_000 : 10, i));
      await fs.rm(`/a/b/${(i + 3) % 7}`, { force: true });
      await fs.rename("/e", "/many/e");
      await fs.rename("/many/e", "/e");
      await new Promise((resume) => setImmediate(resume));
    }
  })();
  const report = await check(tree);
  stop = true;
  await busy;
  expect(report).toMatchObject({ ok: true, problems: [], truncated: false });
  expect(report.checked.nodes).toBeGreaterThan(4000);
});

test("what is open and removed, or being written, is no problem", async () => {
  const { fs, tree } = await furnished();
  const file = await fs.open("/a/large", "r+");
  await fs.unlink("/a/large");
  const writer = fs.createWriteStream("/new").getWriter();
  await writer.write(noise(3 * CHUNK_BYTES, 9));
  expect((await check(tree)).problems).toEqual([]);
  await writer.close();
  await file.close();
  expect((await check(tree)).problems).toEqual([]);
});

test("problems are told by path, and no more than a thousand", async () => {
  const { fs, sql, report, id } = await furnished();
  await fs.writeMany(
    Array.from({ length: 1200 }, (_, i) => ({ path: `/many/${i}`, data: "" })),
    { parents: true },
  );
  sql.exec("UPDATE vfs_node SET nlink = 3 WHERE id = ?", await id("/a/b/copy"));
  expect((await report()).problems).toEqual([
    { code: "LINKS", where: "/a/b/copy", what: "has 1 links, but says 3" },
  ]);
  sql.exec("UPDATE vfs_node SET nlink = 3 WHERE size = 0 AND nlink = 1");
  const { problems, truncated } = await report();
  expect([problems.length, truncated]).toEqual([1000, true]);
});

const name = (text: string) => new TextEncoder().encode(text);

function insert(sql: Sql, table: string, row: Record<string, SqlValue>): void {
  const columns = Object.keys(row);
  sql.exec(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...Object.values(row),
  );
}
