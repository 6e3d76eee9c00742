import assert from "node:assert/strict";
import { CHUNK_BYTES, INLINE_BYTES, STEP_BYTES } from "../../../src/vfs/layout.ts";
import { fails, noise, sameBytes, sound } from "./context.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Open files. */
export const handleCases = [
  sound("an open file reads and writes where it is told, and where it was left", async ({ fs }) => {
    await using file = await fs.open("/f", "w+", 0o600);
    assert.equal((await fs.stat("/f")).mode & 0o777, 0o600);
    assert.deepEqual(await file.write("hello "), { bytesWritten: 6, buffer: "hello " });
    await file.write(new TextEncoder().encode("..world.."), 2, 5);
    await file.write("J", 0);
    assert.equal(await fs.readFile("/f", "utf8"), "Jello world");
    const buffer = new Uint8Array(8).fill(0x2e);
    assert.equal((await file.read(buffer, 1, 4, 6)).bytesRead, 4);
    assert.equal(text(buffer), ".worl...");
    assert.equal((await file.read({ position: 10 })).bytesRead, 1);
    assert.equal((await file.read({ position: 11 })).bytesRead, 0);
    assert.equal((await file.read(buffer, { length: 0 })).bytesRead, 0);
    await file.write("!");
    assert.equal((await file.stat()).size, 12);
    await fails("ERR_OUT_OF_RANGE", file.read(buffer, 0, 9));
    await fails("ERR_OUT_OF_RANGE", file.read(buffer, 9));
    await fails("ERR_OUT_OF_RANGE", file.write("x", -5));
    await file.truncate(3);
    assert.equal(await fs.readFile("/f", "utf8"), "Jel");
    assert.equal(await file.readFile("utf8"), "", "what is left from position 12 on");
    await file.write("x");
    assert.equal(await fs.readFile("/f", "utf8"), `Jel${"\0".repeat(9)}x`);
  }),

  sound("flags are those of node:fs", async ({ fs }) => {
    await fs.mkdir("/d");
    await fs.writeFile("/f", "text");
    await fs.symlink("f", "/l");
    await fs.symlink("made", "/dangling");
    const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_TRUNC, O_DIRECTORY, O_NOFOLLOW, O_RDWR } = fs.constants;
    const opened = async (path: string, flags: string | number) => (await fs.open(path, flags)).close();
    for (const flags of ["r", "rs", "r+", "rs+", O_RDONLY, O_RDWR]) {
      await fails("ENOENT", fs.open("/none", flags));
      await opened("/l", flags);
    }
    await fails("EEXIST", fs.open("/f", "wx"));
    await fails("EEXIST", fs.open("/dangling", "ax+"));
    await fails("EEXIST", fs.open("/f", O_CREAT | O_EXCL | O_WRONLY));
    await fails("EISDIR", fs.open("/d", "r+"));
    await fails("EISDIR", fs.open("/d", O_CREAT));
    await fails("EISDIR", fs.open("/new/", "w"));
    await fails("ENOTDIR", fs.open("/f/", "r"));
    await fails("ENOTDIR", fs.open("/f", O_DIRECTORY));
    await fails("ELOOP", fs.open("/l", O_NOFOLLOW));
    await fails("ELOOP", fs.open("/l", O_NOFOLLOW | O_CREAT | O_WRONLY));
    for (const flags of ["", "rw", "wr", "wa+", "toString", "R"]) {
      await fails("ERR_INVALID_ARG_VALUE", fs.open("/f", flags));
    }
    await fails("ERR_INVALID_ARG_VALUE", fs.open("/f", 3));
    await fails("ERR_INVALID_ARG_TYPE", fs.open("/f", {} as never));
    assert.equal(await fs.readFile("/f", "utf8"), "text");
    await opened("/f", O_RDWR | O_TRUNC);
    assert.equal(await fs.readFile("/f", "utf8"), "");
    await opened("/dangling", "w");
    assert.deepEqual(await fs.readdir("/"), ["d", "dangling", "f", "l", "made"]);
    await using directory = await fs.open("/d");
    assert.ok((await directory.stat()).isDirectory());
    await fails("EISDIR", directory.read());
    await fails("EISDIR", directory.readFile());
  }),

  sound("a file opened to append writes at its end, wherever it is told to", async ({ fs }) => {
    await fs.writeFile("/f", "one");
    await using a = await fs.open("/f", "a+");
    await using b = await fs.open("/f", "a");
    await a.write("two", 0);
    await b.appendFile("three");
    await a.writeFile("four");
    assert.equal(await fs.readFile("/f", "utf8"), "onetwothreefour");
    assert.equal((await a.read({ position: 3, length: 3, buffer: new Uint8Array(3) })).bytesRead, 3);
  }),

  sound("a handle that may not, cannot; a closed one neither", async ({ fs }) => {
    await fs.writeFile("/f", "text");
    const reader = await fs.open("/f", "r");
    const writer = await fs.open("/f", "w");
    await fails("EBADF", reader.write("x"));
    await fails("EINVAL", reader.truncate(0));
    await fails("EBADF", writer.read());
    await fails("EBADF", writer.readFile());
    assert.ok(reader.fd !== writer.fd && reader.fd > 2);
    await reader.close();
    await reader.close();
    await writer.close();
    for (const call of [
      () => reader.read(),
      () => reader.stat(),
      () => reader.sync(),
      () => reader.chmod(0o600),
      () => writer.write("x"),
      () => writer.truncate(),
    ]) {
      await fails("EBADF", call());
    }
    assert.equal(reader.fd, -1);
  }),

  sound("an open file is the same file whatever becomes of its name", async ({ fs }) => {
    await fs.mkdir("/d/e", { recursive: true });
    for (const size of [10, INLINE_BYTES + 1, 3 * CHUNK_BYTES]) {
      const bytes = noise(size, size);
      for (const [path, remove] of [
        ["/f", () => fs.unlink("/f")],
        ["/f", () => fs.rm("/f")],
        ["/f", () => fs.writeFile("/other", "x").then(() => fs.rename("/other", "/f"))],
        ["/d/e/f", () => fs.rm("/d", { recursive: true })],
      ] as const) {
        await fs.mkdir("/d/e", { recursive: true });
        await fs.writeFile(path, bytes);
        const file = await fs.open(path, "r+");
        const second = await fs.open(path, "r");
        await remove();
        assert.equal((await file.stat()).nlink, 0);
        await file.write("new", 1);
        const expected = bytes.slice();
        expected.set(new TextEncoder().encode("new"), 1);
        await file.close();
        sameBytes(await second.readFile(), expected);
        await second.close();
      }
      await fs.rm("/f", { force: true });
    }
    await fs.writeFile("/g", "text");
    const file = await fs.open("/g", "r+");
    await fs.rename("/g", "/h");
    await fs.link("/h", "/i");
    await file.chmod(0o640);
    await file.utimes(1, 2);
    await file.chown(3, -1);
    await file.chown(-1, 4);
    await file.datasync();
    const { mode, atimeMs, mtimeMs, uid, gid, nlink } = await fs.stat("/h");
    assert.deepEqual([mode & 0o777, atimeMs, mtimeMs, uid, gid, nlink], [0o640, 1000, 2000, 3, 4, 2]);
    await fs.unlink("/h");
    await fs.unlink("/i");
    assert.equal(await file.readFile("utf8"), "text");
    await file.close();
  }),

  sound("parts of large content are read and written at every edge", async ({ fs }) => {
    const edges = [
      0,
      1,
      INLINE_BYTES,
      CHUNK_BYTES - 1,
      CHUNK_BYTES,
      CHUNK_BYTES + 1,
      2 * CHUNK_BYTES,
      5 * CHUNK_BYTES,
    ];
    for (const size of [0, 5, INLINE_BYTES, INLINE_BYTES + 1, 2 * CHUNK_BYTES + 7]) {
      for (const at of edges) {
        for (const length of [1, 100, CHUNK_BYTES, CHUNK_BYTES + 3]) {
          const before = noise(size, size + 1);
          await fs.writeFile("/f", before);
          await using file = await fs.open("/f", "r+");
          const part = noise(length, at + 7);
          await file.write(part, 0, length, at);
          const expected = new Uint8Array(Math.max(size, at + length));
          expected.set(before);
          expected.set(part, at);
          const what = `${length} bytes at ${at} of ${size}`;
          sameBytes(await fs.readFile("/f"), expected, what);
          const { buffer, bytesRead } = await file.read(
            new Uint8Array(length + 9),
            0,
            length + 9,
            Math.max(0, at - 4),
          );
          sameBytes(
            buffer.subarray(0, bytesRead),
            expected.slice(Math.max(0, at - 4), Math.max(0, at - 4) + length + 9),
            what,
          );
        }
      }
    }
  }),

  sound("a small write rewrites only the chunk that it touches", async ({ fs, sql }) => {
    await fs.writeFile("/f", noise(8 * CHUNK_BYTES));
    const extents = () =>
      sql.exec<{ idx: number; rev: number }>("SELECT idx, rev FROM vfs_extent ORDER BY idx");
    const before = extents();
    await using file = await fs.open("/f", "r+");
    await file.write("x", 3 * CHUNK_BYTES + 5);
    const changed = extents().filter(({ rev }, i) => rev !== before[i]?.rev);
    assert.deepEqual(
      changed.map(({ idx }) => idx),
      [3],
    );
    await file.write(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES, 2 * CHUNK_BYTES);
    assert.equal(extents().length, 7, "zeros are a hole");
  }),

  sound("a large write goes in steps, and others get their turn", async ({ fs }) => {
    const bytes = noise(3 * STEP_BYTES + 5);
    await using file = await fs.open("/f", "w+");
    let turns = 0;
    const watch = setInterval(() => turns++, 0);
    const writing = file.write(bytes);
    await fs.writeFile("/meanwhile", "x");
    assert.equal((await writing).bytesWritten, bytes.length);
    clearInterval(watch);
    assert.ok(turns > 0);
    sameBytes((await file.read(new Uint8Array(bytes.length), 0, bytes.length, 0)).buffer, bytes);
  }),

  sound("at most 1,024 files are open at the same time", async ({ fs }) => {
    await fs.writeFile("/f", "x");
    const files = await Promise.all(Array.from({ length: 1024 }, () => fs.open("/f")));
    await fails("EMFILE", fs.open("/f"));
    await fails("EMFILE", fs.open("/new", "w"));
    assert.equal(await fs.exists("/new"), false);
    await files.pop()?.close();
    await (await fs.open("/f")).close();
    await Promise.all(files.map((file) => file.close()));
  }),

  sound(
    "a file that was open and removed when the tree was let go of is gone after",
    async ({ fs, sql, reopen }) => {
      if (reopen === undefined) return;
      await fs.writeFile("/f", noise(3 * CHUNK_BYTES));
      const file = await fs.open("/f", "r+");
      await fs.unlink("/f");
      assert.equal(sql.exec("SELECT 1 FROM vfs_node WHERE nlink = 0").length, 1);
      const { fs: again } = await reopen();
      await fails("ERR_WORKSPACE_CLOSED", file.read());
      await again.mkdir("/d");
      await again.rm("/d", { recursive: true });
    },
  ),
];
