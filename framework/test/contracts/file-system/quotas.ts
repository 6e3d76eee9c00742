import assert from "node:assert/strict";
import { CHUNK_BYTES, STEP_BYTES } from "../../../src/vfs/layout.ts";
import { fails, noise, sound } from "./context.ts";

/** How much there may be. */
export const quotaCases = [
  sound("a quota of bytes is kept to, by every way of writing", async ({ withQuota }) => {
    const { fs, usage, sql } = await withQuota({ bytes: 1_000_000 });
    await fs.writeFile("/f", noise(600_000));
    await fs.writeFile("/small", "x".repeat(1000));
    const chunks = () => sql.exec("SELECT count(*) AS n, total(refs) AS refs FROM vfs_chunk")[0];
    const before = [await usage(), chunks()];
    const streamed = async (bytes: Uint8Array, flag?: "a") =>
      new Blob([bytes as Uint8Array<ArrayBuffer>])
        .stream()
        .pipeTo(fs.createWriteStream("/f", flag === undefined ? {} : { flag }));
    const file = await fs.open("/f", "r+");
    for (const write of [
      () => fs.writeFile("/g", noise(399_001)),
      () => fs.writeFile("/g", noise(3 * STEP_BYTES)),
      () => fs.writeFile("/f", noise(1_000_000)),
      () => fs.appendFile("/f", noise(399_001)),
      () => fs.truncate("/f", 999_001),
      () => fs.copyFile("/f", "/g"),
      () => fs.cp("/f", "/g"),
      () => fs.symlink("t".repeat(4000), "/g").then(() => fs.writeFile("/h", noise(396_000))),
      () => fs.rm("/g", { force: true }).then(() => streamed(noise(999_001))),
      () => streamed(noise(399_001), "a"),
      () =>
        fs.writeMany([
          { path: "/g", data: noise(200_000) },
          { path: "/h", data: noise(200_000) },
        ]),
      () => file.write(noise(3), 0, 3, 1_000_000),
      () => file.write(noise(5_000_000)),
      () => file.truncate(2_000_000),
    ]) {
      await fails("EDQUOT", write());
    }
    await file.close();
    assert.deepEqual([await usage(), chunks()], before, "nothing was written");
    await fs.writeFile("/g", noise(399_000));
    assert.deepEqual([(await usage()).bytes, (await usage()).free.bytes], [1_000_000, 0]);
    await fs.writeFile("/g", noise(399_000, 2));
    await fs.rename("/g", "/f");
    await fs.writeFile("/small", "");
    assert.deepEqual([(await usage()).bytes, (await usage()).entries], [399_000, 2]);
  }),

  sound("a quota of entries is kept to", async ({ withQuota }) => {
    const { fs, usage } = await withQuota({ entries: 5 });
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("/a/f", "x");
    await fails(
      "EDQUOT",
      fs.mkdir("/c/d/e", { recursive: true }).then(() => fs.mkdir("/c/d/e/f")),
    );
    await fails("EDQUOT", fs.cp("/a", "/z", { recursive: true }));
    await fs.rm("/z", { recursive: true, force: true });
    await fs.symlink("x", "/l");
    await fs.writeFile("/g", "");
    for (const make of [
      () => fs.writeFile("/h", ""),
      () => fs.mkdir("/h"),
      () => fs.symlink("x", "/h"),
      () => fs.mkdtemp("/h"),
      () => fs.open("/h", "w"),
      () => fs.copyFile("/g", "/h"),
    ]) {
      await fails("EDQUOT", make());
    }
    await fs.link("/g", "/hard");
    await fs.rename("/g", "/hard2");
    await fs.writeFile("/hard", "still");
    assert.equal((await usage()).entries, 5);
    await fs.rm("/a", { recursive: true });
    assert.equal((await usage()).entries, 2);
    await fs.writeFile("/h", "");
  }),

  sound("a quota of bytes per file is EFBIG", async ({ withQuota }) => {
    const { fs } = await withQuota({ fileBytes: 100 });
    await fs.writeFile("/f", "x".repeat(100));
    for (const write of [
      () => fs.writeFile("/f", "x".repeat(101)),
      () => fs.writeFile("/new", "x".repeat(101)),
      () => fs.appendFile("/f", "x"),
      () => fs.truncate("/f", 101),
      () => fs.writeFile("/f", new Uint8Array(10 * STEP_BYTES)),
    ]) {
      await fails("EFBIG", write());
    }
    const writer = fs.createWriteStream("/f").getWriter();
    writer.closed.catch(() => {});
    await writer.write(new Uint8Array(100));
    await fails("EFBIG", writer.write(new Uint8Array(1)));
    assert.equal((await fs.stat("/f")).size, 100);
    assert.deepEqual(await fs.readdir("/"), ["f"]);
  }),

  sound(
    "what is beyond a quota already can still be read and made less",
    async ({ fs, withQuota, reopen }) => {
      await fs.writeFile("/f", noise(2 * CHUNK_BYTES));
      if (reopen === undefined) return;
      const limited = await withQuota({ bytes: 1000, entries: 1 });
      assert.equal((await limited.usage()).free.bytes, 0);
      await fails("EDQUOT", limited.fs.writeFile("/g", ""));
      await fails("EDQUOT", limited.fs.appendFile("/f", "x"));
      await limited.fs.truncate("/f", CHUNK_BYTES);
      await limited.fs.chmod("/f", 0o600);
      await limited.fs.writeFile("/f", "less");
      assert.equal(await limited.fs.readFile("/f", "utf8"), "less");
    },
  ),

  sound("usage and statfs tell the same, also of what is open and removed", async ({ withQuota }) => {
    const { fs, usage } = await withQuota({ bytes: 10_000_000, entries: 100 });
    await fs.mkdir("/d");
    await fs.writeFile("/d/f", noise(CHUNK_BYTES + 1));
    await fs.link("/d/f", "/hard");
    await fs.symlink("abc", "/l");
    const told = await usage();
    assert.deepEqual([told.bytes, told.entries], [CHUNK_BYTES + 4, 3]);
    const { bsize, blocks, bfree, bavail, files, ffree } = await fs.statfs("/d");
    assert.deepEqual(
      [blocks - bfree, bavail, files - ffree, files],
      [Math.ceil(told.bytes / bsize), bfree, told.entries, 100],
    );
    assert.equal(bfree, Math.floor(told.free.bytes / bsize));
    await fails("ENOENT", fs.statfs("/none"));
    const file = await fs.open("/hard");
    await fs.unlink("/hard");
    await fs.unlink("/d/f");
    assert.equal((await usage()).bytes, CHUNK_BYTES + 4);
    await file.close();
    assert.deepEqual([(await usage()).bytes, (await usage()).entries], [3, 2]);
  }),

  sound("counts are right however late they are asked for", async ({ fs, reopen, withQuota }) => {
    await fs.writeMany(Array.from({ length: 300 }, (_, i) => ({ path: `/${i}`, data: "x".repeat(i) })));
    if (reopen === undefined) return;
    const { fs: again, sql, usage } = await withQuota({});
    await again.writeFile("/299", "");
    await again.unlink("/298");
    const counting = usage();
    await again.writeFile("/new", "12345");
    const [rows] = sql.exec("SELECT count(*) - 1 AS entries, sum(size) AS bytes FROM vfs_node");
    await counting;
    const { bytes, entries } = await usage();
    assert.deepEqual({ bytes, entries }, { ...rows });
  }),
];
