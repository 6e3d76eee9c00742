import assert from "node:assert/strict";
import { CHUNK_BYTES, INLINE_BYTES, STEP_BYTES } from "../../../src/vfs/layout.ts";
import { collect, concat, fails, noise, sameBytes, sound } from "./context.ts";

/** Read and write streams. */
export const streamCases = [
  sound("a read stream delivers the file, or the part that was asked for", async ({ fs }) => {
    for (const size of [0, 10, INLINE_BYTES, INLINE_BYTES + 1, 3 * CHUNK_BYTES + 5]) {
      const bytes = noise(size);
      await fs.writeFile("/f", bytes);
      sameBytes(await collect(fs.createReadStream("/f")), bytes, `${size}`);
      for (const [start, end] of [
        [0, 0],
        [3, 7],
        [CHUNK_BYTES - 1, CHUNK_BYTES],
        [5, size + 100],
        [size, size],
        [size + 9, size + 10],
      ]) {
        if (start === undefined || end === undefined) continue;
        const part = await collect(fs.createReadStream("/f", { start, end }));
        sameBytes(part, bytes.subarray(start, end + 1), `${size}: ${start} to ${end}`);
      }
    }
  }),

  sound("a read stream fails like readFile", async ({ fs }) => {
    await fs.mkdir("/d");
    await fs.writeFile("/f", "x");
    await fails("ENOENT", collect(fs.createReadStream("/none")));
    await fails("EISDIR", collect(fs.createReadStream("/d")));
    await fails("EINVAL", collect(fs.createReadStream("relative")));
    await fails("ERR_OUT_OF_RANGE", collect(fs.createReadStream("/f", { start: -1 })));
    await fails("ERR_OUT_OF_RANGE", collect(fs.createReadStream("/f", { start: 2, end: 1 })));
  }),

  sound("a read stream delivers one version, whatever happens to the file meanwhile", async ({ fs, sql }) => {
    const bytes = noise(5 * CHUNK_BYTES);
    const changes = [
      () => fs.writeFile("/f", "replaced"),
      () => fs.rm("/f"),
      () => fs.truncate("/f", CHUNK_BYTES),
      () => fs.appendFile("/f", "more"),
      () => fs.copyFile("/g", "/f"),
      () => fs.rename("/g", "/f"),
    ];
    for (const change of changes) {
      await fs.writeFile("/g", noise(2 * CHUNK_BYTES, 9));
      await fs.writeFile("/f", bytes);
      const reader = fs.createReadStream("/f").getReader();
      const parts = [(await reader.read()).value ?? new Uint8Array()];
      await change();
      for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value);
      sameBytes(concat(parts), bytes, String(change));
    }
    await fs.rm("/f", { force: true });
    await fs.rm("/g", { force: true });
    assert.equal(sql.exec("SELECT 1 FROM vfs_bytes").length, 0);
  }),

  sound("a read stream that is given up holds nothing", async ({ fs, sql }) => {
    await fs.writeFile("/f", noise(5 * CHUNK_BYTES));
    const stream = fs.createReadStream("/f");
    const reader = stream.getReader();
    await reader.read();
    await fs.rm("/f");
    assert.ok(sql.exec("SELECT 1 FROM vfs_bytes").length > 0);
    await reader.cancel();
    assert.equal(sql.exec("SELECT 1 FROM vfs_bytes").length, 0);
  }),

  sound("a write stream becomes the file when it is closed, not before", async ({ fs }) => {
    for (const sizes of [
      [],
      [0],
      [5],
      [INLINE_BYTES, 1],
      [CHUNK_BYTES, CHUNK_BYTES],
      [1, CHUNK_BYTES, 3 * STEP_BYTES, 7],
    ]) {
      const parts = sizes.map((size, i) => noise(size, i + 1));
      await fs.writeFile("/f", "before");
      const writer = fs.createWriteStream("/f").getWriter();
      for (const part of parts) await writer.write(part);
      assert.equal(await fs.readFile("/f", "utf8"), "before");
      await writer.close();
      sameBytes(await fs.readFile("/f"), concat(parts), String(sizes));
    }
    const writer = fs.createWriteStream("/new", { mode: 0o600 }).getWriter();
    await writer.write(new TextEncoder().encode("text"));
    assert.equal(await fs.exists("/new"), false);
    await writer.close();
    assert.equal((await fs.stat("/new")).mode, 0o100600);
  }),

  sound("an aborted write stream leaves the file as it was, and no bytes", async ({ fs, sql }) => {
    await fs.writeFile("/f", "before");
    const writer = fs.createWriteStream("/f").getWriter();
    await writer.write(noise(3 * CHUNK_BYTES));
    assert.equal(sql.exec("SELECT 1 FROM vfs_bytes").length, 3);
    await writer.abort();
    assert.equal(await fs.readFile("/f", "utf8"), "before");
    assert.equal(sql.exec("SELECT 1 FROM vfs_bytes").length, 0);
  }),

  sound("a write stream fails like writeFile, at the start or at the end", async ({ fs, sql }) => {
    await fs.mkdir("/d");
    const write = async (path: string, flag?: "wx") => {
      const writer = fs.createWriteStream(path, flag && { flag }).getWriter();
      await writer.write(noise(2 * CHUNK_BYTES));
      await writer.close();
    };
    await fails("ENOENT", write("/none/f"));
    await fails("EISDIR", write("/d"));
    await fs.writeFile("/f", "");
    await fails("EEXIST", write("/f", "wx"));

    const late = fs.createWriteStream("/late", { flag: "wx" }).getWriter();
    await late.write(noise(2 * CHUNK_BYTES));
    await fs.writeFile("/late", "was faster");
    await fails("EEXIST", late.close());
    assert.equal(await fs.readFile("/late", "utf8"), "was faster");

    const orphan = fs.createWriteStream("/d/f").getWriter();
    await orphan.write(noise(2 * CHUNK_BYTES));
    await fs.rm("/d", { recursive: true });
    await fails("ENOENT", orphan.close());
    const wrong = fs.createWriteStream("/wrong").getWriter();
    await fails("ERR_INVALID_ARG_TYPE", wrong.write("text" as never));
    assert.equal(sql.exec("SELECT 1 FROM vfs_bytes").length, 0);
  }),

  sound("an appending stream adds to what is there when it is closed", async ({ fs }) => {
    const sizes = [0, 10, INLINE_BYTES + 1, CHUNK_BYTES, 2 * CHUNK_BYTES + 9];
    for (const from of sizes) {
      for (const more of sizes) {
        for (const meanwhile of [undefined, "someone else"]) {
          await fs.writeFile("/f", noise(from, 1));
          const writer = fs.createWriteStream("/f", { flag: "a" }).getWriter();
          await writer.write(noise(more, 2));
          if (meanwhile !== undefined) await fs.appendFile("/f", meanwhile);
          await writer.close();
          const between = new TextEncoder().encode(meanwhile ?? "");
          sameBytes(
            await fs.readFile("/f"),
            concat([noise(from, 1), between, noise(more, 2)]),
            `${from} ${more}`,
          );
        }
      }
    }
  }),

  sound("two writers and a pipe: the last to close wins, whole", async ({ fs }) => {
    const [a, b] = [noise(3 * CHUNK_BYTES, 1), noise(2 * CHUNK_BYTES + 1, 2)];
    const [first, second] = [fs.createWriteStream("/f").getWriter(), fs.createWriteStream("/f").getWriter()];
    await Promise.all([first.write(a), second.write(b)]);
    await second.close();
    sameBytes(await fs.readFile("/f"), b);
    await first.close();
    sameBytes(await fs.readFile("/f"), a);
    await fs.createReadStream("/f").pipeTo(fs.createWriteStream("/g"));
    await fs.createReadStream("/g").pipeTo(fs.createWriteStream("/g"));
    sameBytes(await fs.readFile("/g"), a);
  }),
];
