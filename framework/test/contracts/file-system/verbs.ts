import assert from "node:assert/strict";
import { STEP_ENTRIES } from "../../../src/vfs/layout.ts";
import { fails, sound } from "./context.ts";

/** The verbs, one after the other; what they do with odd paths is in `paths.ts`. */
export const verbCases = [
  sound("a file has the text or bytes that were written", async ({ fs }) => {
    await fs.writeFile("/text", "smörgåsbord \u{1f96a}\n");
    await fs.writeFile("/bytes", new Uint8Array([0, 255, 128, 10]));
    assert.equal(await fs.readFile("/text", "utf8"), "smörgåsbord \u{1f96a}\n");
    assert.equal(await fs.readFile("/text", { encoding: "utf-8" }), "smörgåsbord \u{1f96a}\n");
    assert.deepEqual(await fs.readFile("/bytes"), new Uint8Array([0, 255, 128, 10]));
    assert.deepEqual(await fs.readFile("/bytes", null), new Uint8Array([0, 255, 128, 10]));
  }),

  sound("text keeps its byte order mark; what is not UTF-8 is replaced when read as text", async ({ fs }) => {
    await fs.writeFile("/bom", "\ufeffx");
    assert.equal(await fs.readFile("/bom", "utf8"), "\ufeffx");
    await fs.writeFile("/latin", new Uint8Array([0x61, 0xe9]));
    assert.equal(await fs.readFile("/latin", "utf8"), "a\ufffd");
  }),

  sound("what a caller does to its bytes afterwards does not change the file", async ({ fs }) => {
    const given = new Uint8Array([1, 2, 3]);
    await fs.writeFile("/f", given);
    given[0] = 9;
    const read = await fs.readFile("/f");
    read[1] = 9;
    assert.deepEqual(await fs.readFile("/f"), new Uint8Array([1, 2, 3]));
  }),

  sound("flags: wx and ax create only, a appends, w replaces and keeps the mode", async ({ fs }) => {
    await fs.writeFile("/f", "one", { flag: "wx", mode: 0o600 });
    await fails("EEXIST", fs.writeFile("/f", "two", { flag: "wx" }));
    await fails("EEXIST", fs.appendFile("/f", "two", { flag: "ax" }));
    await fs.writeFile("/f", "+two", { flag: "a" });
    await fs.appendFile("/f", "+three");
    assert.equal(await fs.readFile("/f", "utf8"), "one+two+three");
    await fs.writeFile("/f", "new", { mode: 0o777 });
    assert.equal((await fs.stat("/f")).mode, 0o100600);
    await fs.appendFile("/g", "made by append");
    assert.equal(await fs.readFile("/g", "utf8"), "made by append");
    assert.equal((await fs.stat("/g")).mode, 0o100644);
  }),

  sound("stat tells what a node is", async ({ fs }) => {
    await fs.mkdir("/d");
    await fs.writeFile("/d/f", "12345");
    await fs.symlink("f", "/d/l");
    const [root, d, f, l] = await Promise.all([
      fs.stat("/"),
      fs.stat("/d"),
      fs.stat("/d/f"),
      fs.lstat("/d/l"),
    ]);
    assert.deepEqual(
      [root.isDirectory(), d.isDirectory(), f.isFile(), l.isSymbolicLink()],
      [true, true, true, true],
    );
    assert.deepEqual([d.isFile(), f.isSymbolicLink(), l.isDirectory()], [false, false, false]);
    assert.deepEqual([root.nlink, d.nlink, f.nlink, l.nlink], [3, 2, 1, 1]);
    assert.deepEqual([f.size, f.blocks, l.size, f.uid, f.gid], [5, 1, 1, 0, 0]);
    assert.deepEqual([root.mode, d.mode, f.mode, l.mode], [0o40755, 0o40755, 0o100644, 0o120777]);
    assert.equal(new Set([root.ino, d.ino, f.ino, l.ino]).size, 4);
    assert.ok(Number.isSafeInteger(f.ino) && f.ino > 2 ** 32);
    assert.ok(Math.abs(f.mtimeMs - Date.now()) < 60_000);
    assert.equal(f.mtime.getTime(), Math.floor(f.mtimeMs));
    assert.ok(
      f.birthtimeMs > 0 && f.atime instanceof Date && f.ctime instanceof Date && f.birthtime instanceof Date,
    );
    assert.equal((await fs.stat("/d/l")).ino, f.ino);
  }),

  sound("exists says yes or no and never fails for a path", async ({ fs }) => {
    await fs.writeFile("/f", "");
    await fs.symlink("nowhere", "/broken");
    await fs.symlink("loop", "/loop");
    const paths = [
      "/",
      "/f",
      "/none",
      "/f/x",
      "/broken",
      "/loop",
      "relative",
      "",
      "/a\0b",
      `/${"n".repeat(300)}`,
    ];
    const found = await Promise.all(paths.map((path) => fs.exists(path)));
    assert.deepEqual(found, [true, true, false, false, false, false, false, false, false, false]);
  }),

  sound("readdir lists by the bytes of names, also as entries, also all below", async ({ fs }) => {
    for (const name of ["b", "a", "\u00e9", "Z", "\uffff", "\u{1f600}"]) await fs.writeFile(`/${name}`, "");
    await fs.mkdir("/a.d/deep", { recursive: true });
    await fs.writeFile("/a.d/deep/f", "");
    await fs.symlink("a.d", "/link");
    assert.deepEqual(await fs.readdir("/"), ["Z", "a", "a.d", "b", "link", "\u00e9", "\uffff", "\u{1f600}"]);
    const entries = await fs.readdir("/", { withFileTypes: true });
    assert.deepEqual(
      entries
        .filter((entry) => !entry.isFile())
        .map((e) => [e.name, e.isDirectory(), e.isSymbolicLink(), e.parentPath]),
      [
        ["a.d", true, false, "/"],
        ["link", false, true, "/"],
      ],
    );
    const below = await fs.readdir("/", { recursive: true });
    assert.deepEqual(below.slice(-2), ["a.d/deep", "a.d/deep/f"]);
    assert.ok(!below.includes("link/deep"));
    const deep = (await fs.readdir("/a.d", { recursive: true, withFileTypes: true })).at(-1);
    assert.deepEqual([deep?.name, deep?.parentPath], ["f", "/a.d/deep"]);
  }),

  sound("a directory of many entries is listed whole and removed whole", async ({ fs }) => {
    const count = STEP_ENTRIES * 2 + 3;
    await fs.mkdir("/many/sub", { recursive: true });
    for (let i = 0; i < count; i++) await fs.writeFile(`/many/${i}`, i % 2 ? "x" : "");
    assert.equal((await fs.readdir("/many")).length, count + 1);
    await fs.link("/many/7", "/kept");
    await fs.link("/many/8", "/many/sub/8");
    await fs.link("/many/9", "/many/9 again");
    await fs.link("/many/11", "/many/11 again");
    await fs.link("/many/11", "/many/sub/11");
    await fs.rm("/many", { recursive: true });
    assert.deepEqual(await fs.readdir("/"), ["kept"]);
    assert.equal((await fs.stat("/kept")).nlink, 1);
    assert.equal(await fs.readFile("/kept", "utf8"), "x");
  }),

  sound(
    "mkdir makes one directory, or all that are missing, and says which was the first",
    async ({ fs }) => {
      assert.equal(await fs.mkdir("/a"), undefined);
      await fails("EEXIST", fs.mkdir("/a"));
      await fails("ENOENT", fs.mkdir("/x/y"));
      assert.equal(await fs.mkdir("/a/b/c/d", { recursive: true, mode: 0o700 }), "/a/b");
      assert.equal(await fs.mkdir("/a/b/c/d", { recursive: true }), undefined);
      assert.deepEqual([(await fs.stat("/a/b")).mode, (await fs.stat("/a/b/c/d")).mode], [0o40700, 0o40700]);
      await fs.mkdir("/m", 0o711);
      assert.equal((await fs.stat("/m")).mode, 0o40711);
      await fs.writeFile("/f", "");
      await fails("ENOTDIR", fs.mkdir("/f/x/y", { recursive: true }));
      await fails("EEXIST", fs.mkdir("/f", { recursive: true }));
    },
  ),

  sound("rm removes a file, and a directory only when asked", async ({ fs }) => {
    await fs.mkdir("/d/e", { recursive: true });
    await fs.writeFile("/d/e/f", "");
    await fs.writeFile("/f", "");
    await fs.rm("/f");
    await fails("ENOENT", fs.rm("/f"));
    await fs.rm("/f", { force: true });
    await fails("ERR_FS_EISDIR", fs.rm("/d"));
    await fails("ERR_FS_EISDIR", fs.rm("/d", { force: true }));
    await fails("EBUSY", fs.rm("/", { recursive: true, force: true }));
    await fails("EINVAL", fs.rm("/d/e/..", { recursive: true }));
    await fs.rm("/d", { recursive: true });
    assert.deepEqual(await fs.readdir("/"), []);
  }),

  sound(
    "rename moves files and directories, replaces what may be replaced, and is one step",
    async ({ fs }) => {
      await fs.mkdir("/d/sub", { recursive: true });
      await fs.mkdir("/empty");
      await fs.writeFile("/f", "f");
      await fs.writeFile("/g", "g");
      const before = await fs.stat("/f");
      await fs.rename("/f", "/g");
      assert.equal((await fs.stat("/g")).ino, before.ino);
      assert.equal(await fs.readFile("/g", "utf8"), "f");
      await fs.rename("/g", "/d/sub/g");
      await fails("EINVAL", fs.rename("/d", "/d/sub/d"));
      await fails("ENOTEMPTY", fs.rename("/d/sub", "/d"));
      await fails("ENOTEMPTY", fs.rename("/empty", "/d"));
      await fails("EISDIR", fs.rename("/d/sub/g", "/empty"));
      await fails("ENOTDIR", fs.rename("/empty", "/d/sub/g"));
      await fails("ENOENT", fs.rename("/none", "/x"));
      await fails("ENOENT", fs.rename("/empty", "/none/x"));
      await fails("EBUSY", fs.rename("/", "/x"));
      await fs.rename("/d", "/empty");
      assert.deepEqual(await fs.readdir("/", { recursive: true }), ["empty", "empty/sub", "empty/sub/g"]);
      assert.deepEqual([(await fs.stat("/")).nlink, (await fs.stat("/empty")).nlink], [3, 3]);
      await fs.rename("/empty/sub", "/sub");
      assert.deepEqual([(await fs.stat("/")).nlink, (await fs.stat("/empty")).nlink], [4, 2]);
      await fs.rename("/sub", "/sub");
    },
  ),

  sound("paths are found anew after directories and links have moved", async ({ fs }) => {
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("/a/b/f", "first");
    await fs.symlink("a", "/l");
    assert.equal(await fs.readFile("/l/b/f", "utf8"), "first");
    await fs.rename("/a", "/moved");
    await fails("ENOENT", fs.readFile("/a/b/f"));
    await fails("ENOENT", fs.readFile("/l/b/f"));
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("/a/b/f", "second");
    assert.equal(await fs.readFile("/l/b/f", "utf8"), "second");
    await fs.rm("/l");
    await fs.symlink("moved", "/l");
    assert.equal(await fs.readFile("/l/b/f", "utf8"), "first");
    await fs.symlink("a", "/m");
    await fs.rename("/m", "/l");
    assert.equal(await fs.readFile("/l/b/f", "utf8"), "second");
    await fs.rm("/a", { recursive: true });
    await fails("ENOENT", fs.stat("/a/b/f"));
    await fails("ENOENT", fs.stat("/l/b"));
  }),

  sound("copyFile copies content and mode; the copies part ways when one is written", async ({ fs }) => {
    const text = "x".repeat(400_000);
    await fs.writeFile("/f", text, { mode: 0o750 });
    await fs.copyFile("/f", "/g");
    await fails("EEXIST", fs.copyFile("/f", "/g", { exclusive: true }));
    assert.equal((await fs.stat("/g")).mode, 0o100750);
    await fs.appendFile("/f", "y");
    assert.equal(await fs.readFile("/g", "utf8"), text);
    assert.equal(await fs.readFile("/f", "utf8"), `${text}y`);
    await fs.writeFile("/small", "s");
    await fs.copyFile("/small", "/g");
    assert.equal(await fs.readFile("/g", "utf8"), "s");
    await fs.copyFile("/f", "/f");
    await fs.copyFile("/f", "/g");
    await fs.copyFile("/f", "/g");
    assert.equal(await fs.readFile("/g", "utf8"), `${text}y`);
    await fs.mkdir("/d");
    await fails("EISDIR", fs.copyFile("/d", "/e"));
    await fails("EISDIR", fs.copyFile("/f", "/d"));
  }),

  sound("hard links are one file under several names", async ({ fs }) => {
    await fs.writeFile("/a", "one");
    await fs.link("/a", "/b");
    await fs.writeFile("/b", "two");
    await fs.chmod("/b", 0o600);
    const [a, b] = [await fs.stat("/a"), await fs.stat("/b")];
    assert.deepEqual([a.ino, a.nlink, a.mode], [b.ino, 2, 0o100600]);
    assert.equal(await fs.readFile("/a", "utf8"), "two");
    await fs.rename("/a", "/b");
    assert.deepEqual(await fs.readdir("/"), ["a", "b"]);
    await fs.rm("/a");
    assert.deepEqual([await fs.readFile("/b", "utf8"), (await fs.stat("/b")).nlink], ["two", 1]);
    await fs.mkdir("/d");
    await fails("EPERM", fs.link("/d", "/e"));
    await fails("EEXIST", fs.link("/b", "/d"));
    await fails("ENOENT", fs.link("/none", "/e"));
  }),

  sound("times move as POSIX says", async ({ fs }) => {
    const times = async (path: string) => {
      const { mtimeMs, ctimeMs, atimeMs, birthtimeMs } = await fs.lstat(path);
      return { mtimeMs, ctimeMs, atimeMs, birthtimeMs };
    };
    const past = new Date("2001-02-03T04:05:06.789Z");
    const age = async (...paths: string[]) => {
      for (const path of paths) await fs.utimes(path, past, past);
    };
    await fs.mkdir("/d");
    await fs.mkdir("/e");
    await fs.writeFile("/d/f", "x");
    await age("/d", "/e", "/d/f");
    const f = await times("/d/f");
    assert.deepEqual([f.mtimeMs, f.atimeMs], [past.getTime(), past.getTime()]);
    assert.ok(f.ctimeMs > past.getTime() && f.birthtimeMs > past.getTime());

    await fs.writeFile("/d/f", "y");
    assert.ok((await times("/d/f")).mtimeMs > past.getTime(), "writing moves mtime");
    assert.equal((await times("/d")).mtimeMs, past.getTime(), "writing a file leaves its directory alone");
    await age("/d/f");
    const { ctimeMs } = await times("/d/f");
    await fs.readFile("/d/f");
    assert.equal((await times("/d/f")).atimeMs, past.getTime(), "reading moves nothing");
    await fs.chmod("/d/f", 0o600);
    assert.equal((await times("/d/f")).mtimeMs, past.getTime(), "chmod leaves mtime");
    assert.ok((await times("/d/f")).ctimeMs >= ctimeMs, "chmod moves ctime");
    await fs.rename("/d/f", "/e/f");
    assert.equal((await times("/e/f")).mtimeMs, past.getTime(), "rename leaves mtime");
    for (const directory of ["/d", "/e"]) {
      assert.ok((await times(directory)).mtimeMs > past.getTime(), `rename moves mtime of ${directory}`);
    }
    await age("/e");
    await fs.truncate("/e/f", 0);
    assert.equal((await times("/e")).mtimeMs, past.getTime());
    await fs.rm("/e/f");
    assert.ok((await times("/e")).mtimeMs > past.getTime(), "rm moves mtime of the directory");
  }),

  sound("utimes takes seconds, keeps fractions, and reaches before 1970", async ({ fs }) => {
    await fs.writeFile("/f", "");
    for (const ms of [0, 1, -1, -1500.25, 1_700_000_000_123.456, -62_135_596_800_000, 8.64e15]) {
      await fs.utimes("/f", ms / 1000, new Date(ms));
      const { atimeMs, mtimeMs } = await fs.stat("/f");
      assert.ok(
        Math.abs(atimeMs - ms) <= 0.002 * (Math.abs(ms) > 1e15 ? 1000 : 1),
        `atime ${atimeMs} for ${ms}`,
      );
      assert.ok(Math.abs(mtimeMs - atimeMs) < 1, "a Date has whole milliseconds");
    }
    await fs.utimes("/f", "1000000.5", "2e3");
    assert.deepEqual(
      [(await fs.stat("/f")).atimeMs, (await fs.stat("/f")).mtimeMs],
      [1_000_000_500, 2_000_000],
    );
    await fails("ERR_INVALID_ARG_TYPE", fs.utimes("/f", Number.NaN, 0));
    await fails("ERR_INVALID_ARG_TYPE", fs.utimes("/f", 0, Number.POSITIVE_INFINITY));
    await fails("ERR_OUT_OF_RANGE", fs.utimes("/f", new Date(Number.NaN), 0));
    await fails("ERR_OUT_OF_RANGE", fs.utimes("/f", 8.7e12, 0));
    await fails("ERR_INVALID_ARG_TYPE", fs.utimes("/f", "now" as never, 0));
  }),

  sound("bad arguments are Node's errors", async ({ fs }) => {
    await fs.writeFile("/f", "");
    await fails("ERR_INVALID_ARG_TYPE", fs.writeFile("/f", 5 as never));
    await fails("ERR_INVALID_ARG_TYPE", fs.writeFile("/f", undefined as never));
    await fails("ERR_INVALID_ARG_VALUE", fs.writeFile("/f", "", { encoding: "latin1" as never }));
    await fails("ERR_INVALID_ARG_VALUE", fs.writeFile("/f", "", { flag: "r+" as never }));
    await fails("ERR_INVALID_ARG_VALUE", fs.readFile("/f", "base64" as never));
    await fails("ERR_INVALID_ARG_TYPE", fs.chmod("/f", "rwx" as never));
    await fails("ERR_OUT_OF_RANGE", fs.chmod("/f", -1));
    await fails("ERR_OUT_OF_RANGE", fs.mkdir("/d", { mode: 1.5 }));
    await fails("ERR_OUT_OF_RANGE", fs.truncate("/f", 1.5));
    await fails("ERR_INVALID_ARG_TYPE", fs.truncate("/f", "1" as never));
    await fs.truncate("/f", -5);
    assert.deepEqual(await fs.readdir("/"), ["f"]);
  }),
];
