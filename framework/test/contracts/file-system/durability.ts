import assert from "node:assert/strict";
import { CHUNK_BYTES, STEP_ENTRIES } from "../../../src/vfs/layout.ts";
import { noise, sameBytes, sound } from "./context.ts";

/** What is there after the tree was let go of and opened again; nothing to do where nothing lasts. */
export const durabilityCases = [
  sound("what was acknowledged is there after opening again", async ({ fs, reopen }) => {
    if (reopen === undefined) return;
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("/a/b/small", "small", { mode: 0o640 });
    await fs.writeFile("/a/b/large", noise(3 * CHUNK_BYTES + 1));
    await fs.symlink("b/small", "/a/l");
    await fs.link("/a/b/small", "/hard");
    await fs.utimes("/hard", 1.5, 2.5);
    const before = await fs.stat("/hard");
    const { fs: again } = await reopen();
    assert.deepEqual(await again.readdir("/", { recursive: true }), [
      "a",
      "hard",
      "a/b",
      "a/l",
      "a/b/large",
      "a/b/small",
    ]);
    assert.equal(await again.readFile("/a/l", "utf8"), "small");
    sameBytes(await again.readFile("/a/b/large"), noise(3 * CHUNK_BYTES + 1));
    assert.deepEqual({ ...(await again.stat("/hard")) }, { ...before });
  }),

  sound("numbers of nodes are never used again", async ({ fs, reopen }) => {
    const seen = new Set<number>();
    const make = async (files: typeof fs) => {
      for (let i = 0; i < 20; i++) {
        await files.writeFile("/f", "");
        const { ino } = await files.stat("/f");
        assert.ok(!seen.has(ino), `${ino} was used before`);
        seen.add(ino);
        await files.rm("/f");
      }
    };
    await make(fs);
    if (reopen !== undefined) await make((await reopen()).fs);
  }),

  sound("revisions grow with every change, also after opening again", async ({ fs, sql, reopen }) => {
    const highest = (from: typeof sql) =>
      from.exec<{ rev: number }>("SELECT max(rev) AS rev FROM vfs_node")[0]?.rev ?? 0;
    await fs.writeFile("/f", "");
    const first = highest(sql);
    await fs.chmod("/f", 0o600);
    assert.ok(highest(sql) > first);
    if (reopen === undefined) return;
    const again = await reopen();
    const kept = highest(again.sql);
    await again.fs.chmod("/f", 0o644);
    assert.ok(highest(again.sql) > kept);
  }),

  sound(
    "chunks of streams that were cut off are swept when the tree is opened",
    async ({ fs, sql, reopen }) => {
      if (reopen === undefined) return;
      await fs.writeFile("/read", noise(3 * CHUNK_BYTES, 5));
      const reader = fs.createReadStream("/read").getReader();
      await reader.read();
      await fs.rm("/read");
      await fs.writeFile("/kept", noise(CHUNK_BYTES, 1));
      const writer = fs.createWriteStream("/f").getWriter();
      await writer.write(noise(5 * CHUNK_BYTES, 1));
      assert.equal(sql.exec("SELECT 1 FROM vfs_bytes").length, 8);
      const again = await reopen();
      assert.deepEqual(await again.fs.readdir("/"), ["kept"]);
      assert.equal(again.sql.exec("SELECT 1 FROM vfs_bytes").length, 1);
      await assert.rejects(writer.close(), { code: "ERR_WORKSPACE_CLOSED" });
      await assert.rejects(reader.read(), { code: "ERR_WORKSPACE_CLOSED" });
    },
  ),

  sound("a removal that was cut off is finished after opening again", async ({ fs, reopen }) => {
    if (reopen === undefined) return;
    for (const directory of ["/d", "/d/e", "/d/e/f"]) {
      await fs.mkdir(directory);
      for (let i = 0; i < STEP_ENTRIES + 5; i++) await fs.writeFile(`${directory}/${i}`, "x");
    }
    const removing = fs.rm("/d", { recursive: true });
    const again = await reopen();
    await removing;
    assert.deepEqual(await again.fs.readdir("/"), []);
    while (again.sql.exec("SELECT 1 FROM vfs_node").length > 1)
      await new Promise((resume) => setTimeout(resume, 1));
  }),
];
