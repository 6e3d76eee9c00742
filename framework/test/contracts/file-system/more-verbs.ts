import assert from "node:assert/strict";
import { CHUNK_BYTES, STEP_ENTRIES } from "../../../src/vfs/layout.ts";
import type { FileSystem } from "../../../src/vfs/types.ts";
import { fails, noise, sameBytes, sound } from "./context.ts";

/** Verbs for owners, names, listings, many files. */
export const moreVerbCases = [
  sound("access answers as for root", async ({ fs }) => {
    const { F_OK, R_OK, W_OK, X_OK } = fs.constants;
    await fs.mkdir("/d", { mode: 0 });
    await fs.writeFile("/f", "", { mode: 0 });
    await fs.writeFile("/x", "", { mode: 0o010 });
    await fs.symlink("none", "/l");
    for (const mode of [undefined, F_OK, R_OK, W_OK, R_OK | W_OK]) await fs.access("/f", mode);
    for (const path of ["/x", "/d", "/"]) await fs.access(path, R_OK | W_OK | X_OK);
    await fails("EACCES", fs.access("/f", X_OK));
    await fails("ENOENT", fs.access("/l"));
    await fails("ENOTDIR", fs.access("/f/x"));
    await fails("ERR_OUT_OF_RANGE", fs.access("/f", 8));
    await fails("ERR_INVALID_ARG_TYPE", fs.access("/f", "r" as never));
  }),

  sound("rmdir and unlink remove what they are for", async ({ fs }) => {
    await fs.mkdir("/d/e", { recursive: true });
    await fs.writeFile("/f", "x");
    await fs.symlink("d", "/l");
    for (const [code, path] of [
      ["ENOTEMPTY", "/d"],
      ["ENOTDIR", "/f"],
      ["ENOTDIR", "/l"],
      ["ENOTDIR", "/l/"],
      ["ENOENT", "/none"],
      ["EINVAL", "/d/e/."],
      ["ENOTEMPTY", "/d/e/.."],
      ["EBUSY", "/"],
    ] as const) {
      await fails(code, fs.rmdir(path));
    }
    for (const [code, path] of [
      ["EISDIR", "/d"],
      ["EISDIR", "/d/e/"],
      ["EISDIR", "/"],
      ["ENOTDIR", "/f/"],
      ["ENOTDIR", "/l/"],
      ["ENOENT", "/none"],
      ["ENOENT", "/none/"],
    ] as const) {
      await fails(code, fs.unlink(path));
    }
    await fs.rmdir("/d/e/");
    await fs.unlink("/l");
    await fs.rmdir("/d");
    await fs.unlink("/f");
    assert.deepEqual(await fs.readdir("/"), []);
    assert.equal((await fs.stat("/")).nlink, 2);
  }),

  sound("chown, lchown and lutimes reach links themselves, or what they lead to", async ({ fs }) => {
    await fs.writeFile("/f", "");
    await fs.symlink("f", "/l");
    await fs.chown("/l", 7, 8);
    await fs.lchown("/l", 9, -1);
    await fs.utimes("/l", 1, 2);
    await fs.lutimes("/l", new Date(3000), "4");
    const [f, l] = [await fs.stat("/f"), await fs.lstat("/l")];
    assert.deepEqual([f.uid, f.gid, f.atimeMs, f.mtimeMs], [7, 8, 1000, 2000]);
    assert.deepEqual([l.uid, l.gid, l.atimeMs, l.mtimeMs], [9, 0, 3000, 4000]);
    await fs.writeFile("/f", "overwritten");
    assert.deepEqual([(await fs.stat("/f")).uid, (await fs.stat("/f")).gid], [7, 8]);
    await fails("ERR_OUT_OF_RANGE", fs.chown("/f", -2, 0));
    await fails("ERR_INVALID_ARG_TYPE", fs.chown("/f", "root" as never, 0));
    await fails("ENOENT", fs.lchown("/none", 0, 0));
    await fails("ENOENT", fs.lutimes("/none", 0, 0));
  }),

  sound(
    "what changes nothing makes no revision; what POSIX calls a change makes one",
    async ({ fs, sql }) => {
      await fs.mkdir("/d");
      await fs.writeFile("/f", "text", { mode: 0o644 });
      await fs.link("/f", "/hard");
      const state = () =>
        JSON.stringify(
          sql.exec("SELECT id, rev, ctime_s, ctime_ns, mtime_s, mtime_ns FROM vfs_node ORDER BY id"),
        );
      const rows = (): number => sql.usage.rowsWritten;
      const [before, written] = [state(), rows()];
      await fs.truncate("/f", 4);
      await fs.appendFile("/f", "");
      await fs.rename("/f", "/f");
      await fs.rename("/f", "/hard");
      await fs.copyFile("/f", "/hard");
      await fs.mkdir("/d", { recursive: true });
      await fs.rm("/none", { force: true });
      await fs.chown("/f", -1, -1);
      await fs.writeMany([]);
      await using file = await fs.open("/f", "r+");
      await file.write("");
      await file.truncate(4);
      await file.sync();
      assert.equal(state(), before);
      assert.equal(rows(), written, "nothing is written either");
      for (const change of [
        () => fs.chmod("/f", 0o644),
        () => fs.chown("/f", 0, 0),
        () => fs.utimes("/f", 1, 1),
        () => fs.utimes("/f", 1, 1),
        () => fs.writeFile("/f", "text"),
        () => fs.open("/f", "w").then((opened) => opened.close()),
      ]) {
        const old = state();
        await change();
        assert.notEqual(state(), old, String(change));
      }
    },
  ),

  sound("mkdtemp makes a directory for one", async ({ fs }) => {
    await fs.mkdir("/tmp");
    const made = new Set([
      await fs.mkdtemp("/tmp/work-"),
      await fs.mkdtemp("/tmp/work-"),
      await fs.mkdtemp("/tmp/"),
    ]);
    assert.equal(made.size, 3);
    for (const path of made) {
      assert.match(path, /^\/tmp\/(work-)?[a-zA-Z0-9]{6}$/);
      assert.equal((await fs.stat(path)).mode & 0o7777, 0o700);
    }
    await fails("ENOENT", fs.mkdtemp("/none/x"));
    await fails("ERR_INVALID_ARG_TYPE", fs.mkdtemp(undefined as never));
  }),

  sound("opendir lists a directory as it is asked, whatever comes and goes", async ({ fs }) => {
    await fs.mkdir("/d/a/b", { recursive: true });
    const names = Array.from({ length: STEP_ENTRIES + 5 }, (_, i) => `n${String(i).padStart(5, "0")}`);
    await fs.writeMany(names.map((name) => ({ path: `/d/${name}`, data: "" })));
    await fs.symlink("a", "/d/z");
    const seen: string[] = [];
    for await (const entry of await fs.opendir("/d")) {
      assert.equal(entry.parentPath, "/d");
      seen.push(entry.name);
    }
    assert.deepEqual(seen, ["a", ...names, "z"]);
    const deep: string[] = [];
    for await (const { name, parentPath } of await fs.opendir("/d", { recursive: true, bufferSize: 1 }))
      if (!name.startsWith("n")) deep.push(`${parentPath}/${name}`);
    assert.deepEqual(deep, ["/d/a", "/d/a/b", "/d/z"]);

    const directory = await fs.opendir("/d");
    assert.equal((await directory.read())?.name, "a");
    for (const name of names.slice(0, 100)) await fs.unlink(`/d/${name}`);
    await fs.writeFile("/d/zz", "");
    const rest: string[] = [];
    for (let entry = await directory.read(); entry !== null; entry = await directory.read())
      rest.push(entry.name);
    assert.ok(rest.length >= names.length - 100 && rest.at(-1) === "zz");
    await directory.close();
    await fails("ERR_DIR_CLOSED", directory.read());
    await fails("ENOTDIR", fs.opendir("/d/zz"));
    await fails("ENOENT", fs.opendir("/none"));
    await fails("ERR_OUT_OF_RANGE", fs.opendir("/d", { bufferSize: 0 }));
  }),

  sound("readMany and writeMany are one transaction each", async ({ fs }) => {
    await fails(
      "ENOENT",
      fs.writeMany([
        { path: "/a", data: "a" },
        { path: "/none/b", data: "b" },
      ]),
    );
    await fails(
      "EEXIST",
      fs.writeMany([
        { path: "/a", data: "a" },
        { path: "/a", data: "b", flag: "wx" },
      ]),
    );
    assert.deepEqual(await fs.readdir("/"), []);
    await fs.writeMany(
      [
        { path: "/x/y/a", data: "a", mode: 0o600 },
        { path: "/x/b", data: noise(CHUNK_BYTES) },
        { path: "/x/y/a", data: "+", flag: "a" },
      ],
      { parents: true },
    );
    assert.deepEqual(await fs.readMany(["/x/y/a", "/x/y/a"], "utf8"), ["a+", "a+"]);
    const [b] = await fs.readMany(["/x/b"]);
    sameBytes(b as Uint8Array, noise(CHUNK_BYTES));
    assert.equal((await fs.stat("/x/y/a")).mode & 0o777, 0o600);
    assert.equal((await fails("ENOENT", fs.readMany(["/x/b", "/none"]))).path, "/none");
    await fails("EISDIR", fs.readMany(["/x"]));
    await fails("ERR_INVALID_ARG_TYPE", fs.readMany("/x" as never));
    await fails("ERR_OUT_OF_RANGE", fs.readMany(Array(4097).fill("/x/b")));
    await fails("ERR_OUT_OF_RANGE", fs.readMany(Array(65).fill("/x/b")));
    await fails("ERR_OUT_OF_RANGE", fs.writeMany([{ path: "/z", data: new Uint8Array(17 * 1024 * 1024) }]));
    await fails("ERR_INVALID_ARG_TYPE", fs.writeMany([{ path: "/z", data: 5 as never }]));
    assert.equal(await fs.exists("/z"), false);
  }),

  sound("text keeps its byte-order mark", async ({ fs }) => {
    await fs.writeFile("/f", "\ufefftext");
    assert.equal(await fs.readFile("/f", "utf8"), "\ufefftext");
    await using file = await fs.open("/f");
    assert.equal(await file.readFile("utf8"), "\ufefftext");
    assert.deepEqual(await fs.readMany(["/f"], "utf8"), ["\ufefftext"]);
  }),

  sound("cp copies as Node's does", async ({ fs }) => {
    await fs.mkdir("/s/deep", { recursive: true, mode: 0o750 });
    await fs.writeFile("/s/f", "f", { mode: 0o640 });
    await fs.writeFile("/s/deep/large", noise(3 * CHUNK_BYTES));
    await fs.symlink("f", "/s/l");
    await fs.symlink("/abs", "/s/deep/a");
    await fs.utimes("/s/f", 1, 2);
    assert.equal((await fails("ERR_FS_EISDIR", fs.cp("/s", "/t"))).path, "/s");
    await fs.cp("/s", "/new/parents/t", { recursive: true });
    assert.deepEqual(await listing(fs, "/new/parents/t"), {
      deep: "d750",
      "deep/a": "/abs",
      "deep/large": `f644 ${3 * CHUNK_BYTES}`,
      f: "f640 1",
      l: "/s/f",
    });
    assert.equal((await fs.stat("/new/parents/t")).mode & 0o777, 0o750);
    assert.notEqual((await fs.stat("/new/parents/t/f")).mtimeMs, 2000);
    await fs.cp("/s", "/v", { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    assert.equal(await fs.readlink("/v/l"), "f");
    assert.deepEqual([(await fs.stat("/v/f")).atimeMs, (await fs.stat("/v/f")).mtimeMs], [1000, 2000]);
    await fs.rm("/s/deep/a");
    await fs.cp("/s", "/w", { recursive: true, dereference: true });
    assert.ok((await fs.lstat("/w/l")).isFile());
    sameBytes(await fs.readFile("/w/deep/large"), noise(3 * CHUNK_BYTES));
  }),

  sound("cp keeps to its rules for what is there", async ({ fs }) => {
    await fs.mkdir("/s/d", { recursive: true });
    await fs.writeFile("/s/f", "new");
    await fs.writeFile("/file", "x");
    await fs.mkdir("/t");
    await fs.writeFile("/t/f", "old", { mode: 0o600 });
    await fs.link("/t/f", "/hard");
    await fs.cp("/s", "/t", { recursive: true, force: false });
    assert.deepEqual(
      [await fs.readFile("/t/f", "utf8"), (await fs.stat("/t/d")).isDirectory()],
      ["old", true],
    );
    await fails("ERR_FS_CP_EEXIST", fs.cp("/s/f", "/t/f", { force: false, errorOnExist: true }));
    await fails("ERR_FS_CP_EEXIST", fs.cp("/s", "/t", { recursive: true, force: false, errorOnExist: true }));
    await fs.cp("/s", "/t", { recursive: true });
    assert.deepEqual([await fs.readFile("/t/f", "utf8"), await fs.readFile("/hard", "utf8")], ["new", "old"]);
    await fails("ERR_FS_CP_EINVAL", fs.cp("/s", "/s", { recursive: true }));
    await fails("ERR_FS_CP_EINVAL", fs.cp("/s", "/s/d/x", { recursive: true }));
    await fails("ERR_FS_CP_EINVAL", fs.cp("/", "/s/d", { recursive: true }));
    await fails("ERR_FS_CP_EINVAL", fs.cp("/hard", "/hard"));
    await fails("ERR_FS_CP_DIR_TO_NON_DIR", fs.cp("/s", "/file", { recursive: true }));
    await fails("ERR_FS_CP_NON_DIR_TO_DIR", fs.cp("/file", "/s"));
    await fails("ENOENT", fs.cp("/none", "/x"));
    await fails("ENOTDIR", fs.cp("/s", "/file/x", { recursive: true }));
    await fs.cp("/s", "/", { recursive: true });
    assert.equal(await fs.readFile("/f", "utf8"), "new");
    const asked: string[] = [];
    await fs.cp("/s", "/filtered", {
      recursive: true,
      filter: async (source, target) => {
        asked.push(`${source} ${target}`);
        return !source.endsWith("/f");
      },
    });
    assert.deepEqual(asked, ["/s /filtered", "/s/d /filtered/d", "/s/f /filtered/f"]);
    assert.deepEqual(await fs.readdir("/filtered"), ["d"]);
  }),

  sound(
    "cp of links that lead in a circle ends, and so does a copy that is moved into its source",
    async ({ fs }) => {
      await fs.mkdir("/s/d", { recursive: true });
      await fs.symlink("..", "/s/d/up");
      await fs.cp("/s", "/plain", { recursive: true });
      await fails("ELOOP", fs.cp("/s", "/followed", { recursive: true, dereference: true }));
      await fs.unlink("/s/d/up");
      await fs.writeMany(Array.from({ length: 1000 }, (_, i) => ({ path: `/s/${i}`, data: `${i}` })));
      const copying = fs.cp("/s", "/t", { recursive: true });
      await fs.rename("/t", "/s/z");
      await copying;
      assert.deepEqual(
        (await fs.readdir("/s/z")).filter((name) => name !== "z"),
        (await fs.readdir("/s")).filter((name) => name !== "z"),
      );
    },
  ),

  sound("cp of many entries goes in steps and shares what is large", async ({ fs, sql }) => {
    await fs.mkdir("/s");
    await fs.writeMany(Array.from({ length: 2000 }, (_, i) => ({ path: `/s/${i}`, data: `${i}` })));
    await fs.writeFile("/s/large", noise(8 * CHUNK_BYTES));
    const chunks = () => sql.exec("SELECT 1 FROM vfs_chunk").length;
    const before = chunks();
    let turns = 0;
    const watch = setInterval(() => turns++, 0);
    await fs.cp("/s", "/t", { recursive: true });
    clearInterval(watch);
    assert.ok(turns > 0);
    assert.equal(chunks(), before);
    assert.deepEqual(await fs.readdir("/t"), await fs.readdir("/s"));
    await fs.rm("/s", { recursive: true });
    sameBytes(await fs.readFile("/t/large"), noise(8 * CHUNK_BYTES));
  }),
];

async function listing(fs: FileSystem, path: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await fs.readdir(path, { recursive: true })) {
    const stats = await fs.lstat(`${path}/${name}`);
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.isSymbolicLink()) found[name] = await fs.readlink(`${path}/${name}`);
    else found[name] = stats.isDirectory() ? `d${mode}` : `f${mode} ${stats.size}`;
  }
  return Object.fromEntries(Object.entries(found).sort());
}
