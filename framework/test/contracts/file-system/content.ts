import assert from "node:assert/strict";
import { CHUNK_BYTES, INLINE_BYTES, STEP_BYTES } from "../../../src/vfs/layout.ts";
import { concat, fails, noise, sameBytes, sound, type TreeContext } from "./context.ts";

const SIZES = [0, 1, INLINE_BYTES, INLINE_BYTES + 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES + 77];

/** Content of every size, and what it takes up. */
export const contentCases = [
  sound("content of every size is read back, and replaced by every other", async ({ fs }) => {
    for (const from of SIZES) {
      for (const to of SIZES) {
        await fs.writeFile("/f", noise(from, 1));
        sameBytes(await fs.readFile("/f"), noise(from, 1), `${from}`);
        await fs.writeFile("/f", noise(to, 2));
        sameBytes(await fs.readFile("/f"), noise(to, 2), `${from} -> ${to}`);
      }
    }
  }),

  sound("appending adds to content of every size", async ({ fs }) => {
    for (const from of SIZES) {
      for (const more of [0, 1, INLINE_BYTES, CHUNK_BYTES - 1, CHUNK_BYTES, 2 * CHUNK_BYTES]) {
        await fs.writeFile("/f", noise(from, 1));
        await fs.appendFile("/f", noise(more, 2));
        sameBytes(await fs.readFile("/f"), concat([noise(from, 1), noise(more, 2)]), `${from} + ${more}`);
        assert.equal((await fs.stat("/f")).size, from + more);
      }
    }
  }),

  sound("truncating cuts, or adds zeros; what was cut off does not come back", async ({ fs }) => {
    for (const from of SIZES) {
      for (const to of SIZES) {
        await fs.writeFile("/f", noise(from, 3));
        await fs.truncate("/f", to);
        const expected = new Uint8Array(to);
        expected.set(noise(from, 3).subarray(0, to));
        sameBytes(await fs.readFile("/f"), expected, `${from} -> ${to}`);
        await fs.truncate("/f", from);
        const again = new Uint8Array(from);
        again.set(expected.subarray(0, from));
        sameBytes(await fs.readFile("/f"), again, `${from} -> ${to} -> ${from}`);
      }
    }
  }),

  sound("appending to a large file writes its last chunk only", async ({ fs, sql }) => {
    await fs.writeFile("/f", noise(8 * CHUNK_BYTES + 100));
    const before = new Set(sql.exec<{ id: number }>("SELECT id FROM vfs_bytes").map(({ id }) => id));
    await fs.appendFile("/f", "more");
    const added = sql.exec<{ id: number }>("SELECT id FROM vfs_bytes").filter(({ id }) => !before.has(id));
    assert.equal(before.size, 9);
    assert.equal(added.length, 1);
  }),

  sound("holes take up nothing and read as zeros", async ({ fs, sql }) => {
    await fs.writeFile("/f", "start");
    const size = 5 * 1024 * 1024 * 1024;
    await fs.truncate("/f", size);
    assert.equal((await fs.stat("/f")).size, size);
    await fs.appendFile("/f", "end");
    const tail = fs.createReadStream("/f", { start: size - 2, end: size + 10 });
    assert.equal(await new Response(tail).text(), "\0\0end");
    assert.equal(await new Response(fs.createReadStream("/f", { end: 6 })).text(), "start\0\0");
    await fails("ERR_FS_FILE_TOO_LARGE", fs.readFile("/f"));
    await fails("EFBIG", fs.truncate("/f", Number.MAX_SAFE_INTEGER));
    await fs.writeFile("/zeros", new Uint8Array(20 * CHUNK_BYTES));
    assert.ok(sql.exec("SELECT 1 FROM vfs_extent").length <= 2);
    await fs.copyFile("/f", "/copy");
    await fs.truncate("/f", 5);
    assert.equal(await fs.readFile("/f", "utf8"), "start");
  }),

  sound("equal content is kept once, and goes with its last use", async ({ fs, sql }) => {
    const bytes = noise(4 * CHUNK_BYTES);
    const chunks = () => sql.exec("SELECT 1 FROM vfs_bytes").length;
    await fs.writeFile("/a", bytes);
    await fs.writeFile("/b", bytes);
    await fs.copyFile("/a", "/c");
    await fs.writeFile("/twice", concat([bytes, bytes]));
    assert.equal(chunks(), 4);
    await fs.rm("/twice");
    await fs.rm("/a");
    await fs.truncate("/b", 2 * CHUNK_BYTES);
    assert.equal(chunks(), 4);
    await fs.rm("/c");
    assert.equal(chunks(), 2);
    await fs.writeFile("/other", "");
    await fs.rename("/other", "/b");
    assert.equal(chunks(), 0);
  }),

  sound(
    "a large file is written in steps, others have their turn, and it shows all at once",
    async ({ fs }) => {
      const bytes = noise(8 * STEP_BYTES + 5);
      await fs.writeFile("/f", "old");
      const writing = fs.writeFile("/f", bytes);
      const seen: number[] = [];
      let done = false;
      void writing.then(() => {
        done = true;
      });
      while (!done) {
        seen.push((await fs.stat("/f")).size);
        await new Promise((resume) => setTimeout(resume, 0));
      }
      await writing;
      assert.ok(seen.includes(3), "others had no turn");
      assert.ok(
        seen.every((size) => size === 3 || size === bytes.length),
        "it showed in part",
      );
      sameBytes(await fs.readFile("/f"), bytes);
    },
  ),

  sound("a large write that cannot be leaves nothing behind", async ({ fs, sql }) => {
    const bytes = noise(2 * STEP_BYTES);
    await fails("ENOENT", fs.writeFile("/none/f", bytes));
    await fs.mkdir("/d");
    const refused = fails("ENOENT", fs.writeFile("/d/f", bytes));
    await fs.rm("/d", { recursive: true });
    await refused;
    assert.equal(sql.exec("SELECT 1 FROM vfs_bytes").length, 0);
  }),

  sound(
    "a very large file is removed in steps: gone at once, its bytes a little later",
    async ({ fs, sql }) => {
      const part = noise(4 * 1024 * 1024);
      for (const path of ["/a", "/d/b", "/d/c"]) {
        await fs.mkdir("/d", { recursive: true });
        const writer = fs.createWriteStream(path).getWriter();
        for (let i = 0; i < 12; i++) {
          part[0] = (part[0] ?? 0) + 1;
          await writer.write(part);
        }
        await writer.close();
        await fs.truncate(path, 2 ** 42);
      }
      await fs.copyFile("/a", "/copy");
      await Promise.all([fs.rm("/a"), fs.rm("/d", { recursive: true })]);
      assert.deepEqual(await fs.readdir("/"), ["copy"]);
      assert.equal((await fs.stat("/copy")).size, 2 ** 42);
      await fs.writeFile("/new", "");
      await fs.rename("/new", "/copy");
      assert.equal(sql.exec("SELECT 1 FROM vfs_bytes").length, 0);
    },
  ),

  sound("many at once: every call is whole, in the order of the calls", async ({ fs }) => {
    await Promise.all(Array.from({ length: 200 }, (_, i) => fs.writeFile("/f", `version ${i}`)));
    assert.equal(await fs.readFile("/f", "utf8"), "version 199");
    await Promise.all(Array.from({ length: 200 }, (_, i) => fs.appendFile("/log", `${i}\n`)));
    assert.equal(await fs.readFile("/log", "utf8"), Array.from({ length: 200 }, (_, i) => `${i}\n`).join(""));
  }),

  sound(
    "1,000 overwrites of 1 MiB and a delete leave the storage about as it was",
    async ({ fs, sql }: TreeContext) => {
      await fs.writeFile("/other", noise(100_000));
      const start = sql.databaseSize;
      const bytes = noise(1024 * 1024);
      let highest = 0;
      for (let i = 0; i < 1000; i++) {
        for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
          bytes[at + (i % CHUNK_BYTES)] = (bytes[at] ?? 0) ^ i ^ (i >> 8);
        await fs.writeFile("/f", bytes);
        highest = Math.max(highest, sql.databaseSize);
      }
      sameBytes(await fs.readFile("/f"), bytes);
      await fs.rm("/f");
      assert.ok(highest <= start + 3 * 1024 * 1024, `grew from ${start} to ${highest}`);
      assert.ok(sql.databaseSize <= start + 64 * 1024, `from ${start} to ${sql.databaseSize}`);
    },
  ),
];
