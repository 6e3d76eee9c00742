import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workspace } from "../workspace/workspace.ts";
import { TreeFileSystem } from "./file-system.ts";
import { openNodeSql } from "./sql/node.ts";
import { Tree } from "./tree.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "removal-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const MIB = 2 ** 20;

/** Bytes of which no two chunks are equal. */
function bytes(mebibytes: number, seed = 0): Uint8Array {
  const words = new Uint32Array((mebibytes * MIB) / 4);
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i + 1, 2654435761) ^ seed;
  return new Uint8Array(words.buffer);
}

test("what a large file took up is counted out at once, and freed after that", async () => {
  await using workspace = await Workspace.open(join(folder, "a.db"));
  const { fs } = workspace;
  const before = await workspace.usage();
  await fs.writeFile("/large", bytes(40));
  await fs.rm("/large");
  const after = await workspace.usage();
  expect(after.bytes).toBe(before.bytes);
  expect(after.entries).toBe(before.entries);
  expect(after.storedBytes).toBeLessThan(before.storedBytes + MIB);
});

test("what is not freed yet when a workspace is closed is freed after the next opening", async () => {
  const file = join(folder, "a.db");
  {
    await using workspace = await Workspace.open(file);
    await workspace.fs.mkdir("/d");
    await workspace.fs.writeFile("/d/large", bytes(40));
    await workspace.fs.rm("/d", { recursive: true });
  }
  await using workspace = await Workspace.open(file);
  expect((await workspace.check({ pages: true })).problems).toEqual([]);
  expect((await workspace.usage()).storedBytes).toBeLessThan(2 * MIB);
});

test("a full database frees what has no use before it refuses, and keeps what is being written", async () => {
  const sql = openNodeSql();
  const tree = new Tree(sql, 2 ** 31 - 1, { limits: { storedBytes: 60 * MIB } });
  const fs = new TreeFileSystem(() => tree);
  await fs.writeFile("/a", bytes(40));
  await fs.rm("/a");
  const other = bytes(48, 7);
  await fs.writeFile("/b", other);
  expect(Buffer.compare((await fs.readFile("/b")) as Uint8Array, other)).toBe(0);
  await expect(fs.writeFile("/c", bytes(20, 9))).rejects.toMatchObject({ code: "ENOSPC" });
  expect(Buffer.compare((await fs.readFile("/b")) as Uint8Array, other)).toBe(0);
  tree.close();
  sql.close();
});

test("a tree of all kinds is gone, with exact counts, when rm answers", async () => {
  await using workspace = await Workspace.memory();
  const { fs, history } = workspace;
  await fs.writeFile("/outside", "x");
  const before = await workspace.usage();
  for (const part of ["a", "a/b", "a/b/c", "a/d"]) {
    await fs.mkdir(`/t/${part}`, { recursive: true });
    await fs.writeMany(
      Array.from({ length: 1500 }, (_, i) => ({ path: `/t/${part}/f${i}`, data: `${part}${i}` })),
    );
    await fs.writeFile(`/t/${part}/large`, bytes(1));
    await fs.link("/outside", `/t/${part}/hard`);
    await fs.link("/outside", `/t/${part}/hard-too`);
    await fs.link(`/t/${part}/f0`, `/t/${part}/z`);
    await fs.symlink("f1", `/t/${part}/soft`);
  }
  await history.snapshot("there");
  const open = await fs.open("/t/a/f7", "r");
  await fs.writeFile("/t/a/f8", "changed since");
  await fs.rm("/t", { recursive: true });
  expect((await fs.stat("/outside")).nlink).toBe(1);
  expect((await workspace.usage()).entries).toBe(before.entries + 1);
  expect((await open.readFile("utf8")) as string).toBe("a7");
  await open.close();
  const { entries, bytes: left } = await workspace.usage();
  expect({ entries, left }).toEqual({ entries: before.entries, left: before.bytes });
  const past = history.at("there");
  expect(await past.readFile("/t/a/b/c/f1499", "utf8")).toBe("a/b/c1499");
  expect(await past.readFile("/t/a/f8", "utf8")).toBe("a8");
  expect((await past.readdir("/t/a/d")).length).toBe(1505);
  expect((await workspace.check({ pages: true })).problems).toEqual([]);
});
