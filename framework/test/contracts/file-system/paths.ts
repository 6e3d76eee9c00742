import assert from "node:assert/strict";
import { fails, sound } from "./context.ts";

/** What paths lead to. The parity test compares far more of this with Node on a disk. */
export const pathCases = [
  sound("errors are Node's: code, errno, syscall, path, dest, message", async ({ fs }) => {
    const missing = await fails("ENOENT", fs.readFile("/x"));
    assert.equal(missing.message, "ENOENT: no such file or directory, open '/x'");
    assert.deepEqual([missing.errno, missing.syscall, missing.path], [-2, "open", "/x"]);
    const moved = await fails("ENOENT", fs.rename("/x", "/y"));
    assert.equal(moved.message, "ENOENT: no such file or directory, rename '/x' -> '/y'");
    assert.equal((moved as { dest?: string }).dest, "/y");
    const directory = await fails("EISDIR", fs.readFile("/"));
    assert.equal(directory.message, "EISDIR: illegal operation on a directory, read");
    assert.equal((await fails("ENOENT", fs.readdir("/x"))).syscall, "scandir");
    assert.equal((await fails("EINVAL", fs.readlink("/"))).syscall, "readlink");
  }),

  sound("impossible paths are refused", async ({ fs }) => {
    await fails("ENOENT", fs.stat(""));
    assert.match((await fails("EINVAL", fs.writeFile("relative", ""))).message, /must begin with '\/'/);
    await fails("EINVAL", fs.stat("../etc"));
    const nul = await fails("ERR_INVALID_ARG_VALUE", fs.stat("/a\0b"));
    assert.ok(nul instanceof TypeError);
    await fails("ERR_INVALID_ARG_VALUE", fs.symlink("a\0b", "/l"));
    await fails("ERR_INVALID_ARG_TYPE", fs.stat(7 as never));
    await fails("ERR_INVALID_ARG_TYPE", fs.stat(undefined as never));
    await fails("ERR_INVALID_ARG_TYPE", fs.rename("/", null as never));
    await fails("ENOENT", fs.symlink("", "/l"));
    assert.deepEqual(await fs.readdir("/"), []);
  }),

  sound("a slash after a file to be made is refused before its name is looked at", async ({ fs }) => {
    await fs.symlink("loop", "/loop");
    for (const path of ["/loop/", `/${"n".repeat(256)}/`, "/new/"]) {
      await fails("EISDIR", fs.writeFile(path, ""));
      await fails("EISDIR", fs.open(path, "wx"));
    }
    await fails("ENOENT", fs.writeFile("/none/new/", ""));
    await fs.unlink("/loop");
    assert.deepEqual(await fs.readdir("/"), []);
  }),

  sound("names have 255 bytes, paths 4095", async ({ fs }) => {
    const longest = ["n".repeat(255), "\u00e9".repeat(127), "\u{1f600}".repeat(63)];
    for (const name of longest) {
      await fs.writeFile(`/${name}`, name);
      assert.equal(await fs.readFile(`/${name}`, "utf8"), name);
    }
    for (const name of ["n".repeat(256), "\u00e9".repeat(128), "\u{1f600}".repeat(64)]) {
      await fails("ENAMETOOLONG", fs.writeFile(`/${name}`, ""));
      await fails("ENAMETOOLONG", fs.stat(`/${name}`));
      await fails("ENOENT", fs.stat(`/none/${name}`));
    }
    await fs.mkdir("/d");
    assert.ok((await fs.stat(`${"/".repeat(4094)}d`)).isDirectory());
    await fails("ENAMETOOLONG", fs.stat(`${"/".repeat(4095)}d`));
    await fails("ENAMETOOLONG", fs.stat(`/${"\u00e9/".repeat(1366)}`));
    await fails("ENAMETOOLONG", fs.stat(`/${"x".repeat(10_000_000)}`));
    await fails("ENAMETOOLONG", fs.symlink("x".repeat(4096), "/l"));
    await fs.symlink("x".repeat(4095), "/l");
    assert.equal((await fs.readlink("/l")).length, 4095);
    assert.deepEqual((await fs.readdir("/")).length, 5);
  }),

  sound("symbolic links lead on, in the middle and at the end, 40 of them", async ({ fs }) => {
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("/a/b/f", "here");
    await fs.symlink("/a", "/abs");
    await fs.symlink("../a/b", "/a/rel");
    await fs.symlink("b/f", "/a/end");
    for (const path of ["/abs/b/f", "/a/rel/f", "/abs/rel/f", "/a/end", "/abs/end", "/abs/rel/../b/./f"]) {
      assert.equal(await fs.readFile(path, "utf8"), "here");
      assert.equal(await fs.realpath(path), "/a/b/f");
    }
    await fs.writeFile("/abs/end", "written through");
    assert.equal(await fs.readFile("/a/b/f", "utf8"), "written through");
    await fs.symlink("a/b/f", "/1");
    for (let i = 2; i <= 41; i++) await fs.symlink(String(i - 1), `/${i}`);
    assert.equal(await fs.readFile("/40", "utf8"), "written through");
    await fails("ELOOP", fs.readFile("/41"));
    await fails("ELOOP", fs.writeFile("/41", ""));
    assert.ok((await fs.lstat("/41")).isSymbolicLink());
    await fs.symlink("self/x", "/self");
    await fails("ELOOP", fs.stat("/self"));
  }),

  sound("a broken link is made whole by writing, and not by wx", async ({ fs }) => {
    await fs.symlink("target", "/l");
    await fails("ENOENT", fs.readFile("/l"));
    await fails("EEXIST", fs.writeFile("/l", "", { flag: "wx" }));
    await fs.writeFile("/l", "text");
    assert.equal(await fs.readFile("/target", "utf8"), "text");
    await fs.symlink("none/target", "/m");
    await fails("ENOENT", fs.writeFile("/m", ""));
  }),

  sound("'..' goes to the real parent, and no further than the root", async ({ fs }) => {
    await fs.mkdir("/a/b/c", { recursive: true });
    await fs.mkdir("/x");
    await fs.writeFile("/a/b/f", "in b");
    await fs.symlink("/a/b/c", "/x/l");
    assert.equal(await fs.readFile("/x/l/../f", "utf8"), "in b");
    assert.equal(await fs.realpath("/x/l/.."), "/a/b");
    assert.equal(await fs.realpath("/../../.."), "/");
    assert.equal(await fs.realpath("/../a/../a"), "/a");
    await fs.symlink("../../../../a", "/x/up");
    assert.equal(await fs.realpath("/x/up"), "/a");
    await fails("ENOENT", fs.stat("/none/../a"));
    await fails("ENOTDIR", fs.stat("/a/b/f/.."));
  }),

  sound("a slash at the end means a directory", async ({ fs }) => {
    await fs.mkdir("/d");
    await fs.writeFile("/f", "");
    await fs.symlink("d", "/l");
    await fails("ENOTDIR", fs.stat("/f/"));
    await fails("ENOTDIR", fs.lstat("/f/"));
    await fails("EISDIR", fs.writeFile("/f/", ""));
    await fails("EISDIR", fs.writeFile("/new/", ""));
    await fails("ENOENT", fs.symlink("x", "/new/"));
    await fails("ENOTDIR", fs.rename("/f", "/new/"));
    assert.ok((await fs.lstat("/l/")).isDirectory());
    assert.ok((await fs.lstat("/l")).isSymbolicLink());
    await fs.mkdir("/new/");
    await fs.rename("/new/", "/renamed/");
    assert.deepEqual(await fs.readdir("/"), ["d", "f", "l", "renamed"]);
    await fails("ENOTDIR", fs.rm("/l/", { recursive: true }));
    await fs.rm("/l");
    assert.ok(await fs.exists("/d"));
  }),
];
