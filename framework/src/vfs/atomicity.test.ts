import { expect, test } from "vitest";
import { noise } from "../../test/contracts/file-system/context.ts";
import { problems } from "../../test/contracts/integrity.ts";
import { TreeFileSystem } from "./file-system.ts";
import { CHUNK_BYTES } from "./layout.ts";
import { openNodeSql } from "./sql/node.ts";
import type { Sql } from "./sql/types.ts";
import { Tree } from "./tree.ts";
import type { FileSystem } from "./types.ts";

/*
 * A verb that fails at any of its statements has changed nothing: not in the database, and not in what the
 * tree remembers. Every statement of every verb is made to fail in turn.
 */

const VERBS: Record<string, (fs: FileSystem) => Promise<unknown>> = {
  "writeFile, new": (fs) => fs.writeFile("/d/new", "text"),
  "writeFile, small over small": (fs) => fs.writeFile("/small", "other"),
  "writeFile, small over large": (fs) => fs.writeFile("/large", "other"),
  "writeFile, large over small": (fs) => fs.writeFile("/small", noise(2 * CHUNK_BYTES, 3)),
  "writeFile, large over large": (fs) => fs.writeFile("/large", noise(3 * CHUNK_BYTES, 3)),
  "appendFile, small": (fs) => fs.appendFile("/small", "more"),
  "appendFile, large": (fs) => fs.appendFile("/large", noise(CHUNK_BYTES, 4)),
  truncate: (fs) => fs.truncate("/large", CHUNK_BYTES + 9),
  "truncate to small": (fs) => fs.truncate("/large", 9),
  "copyFile over": (fs) => fs.copyFile("/large", "/other"),
  "copyFile, new": (fs) => fs.copyFile("/small", "/d/new"),
  mkdir: (fs) => fs.mkdir("/d/new"),
  "mkdir recursive": (fs) => fs.mkdir("/d/a/b/c", { recursive: true }),
  link: (fs) => fs.link("/large", "/d/hard"),
  symlink: (fs) => fs.symlink("small", "/d/link"),
  chmod: (fs) => fs.chmod("/small", 0o600),
  utimes: (fs) => fs.utimes("/small", 1, 2),
  "rm, a file": (fs) => fs.rm("/large"),
  "rm, one of two names": (fs) => fs.rm("/hard"),
  "rm recursive": (fs) => fs.rm("/full", { recursive: true }),
  "rename, a file over another": (fs) => fs.rename("/small", "/large"),
  "rename, a directory over another": (fs) => fs.rename("/full", "/d"),
  "rename, across": (fs) => fs.rename("/full/sub", "/d/sub"),
  "write stream": async (fs) => {
    const writer = fs.createWriteStream("/large").getWriter();
    await writer.write(noise(2 * CHUNK_BYTES + 5, 6));
    await writer.close();
  },
};

test.for(Object.keys(VERBS))("%s happens whole or not at all", async (name) => {
  const verb = VERBS[name] as (typeof VERBS)[string];
  let fired = 0;
  for (let failAt = 0; ; failAt++) {
    const database = openNodeSql();
    const faulty = failing(database);
    const tree = new Tree(faulty.sql, 2 ** 30);
    const fs = new TreeFileSystem(() => tree);
    await layOut(fs);
    const before = await snapshot(fs);
    faulty.failAfter(failAt);
    const failure = await verb(fs).then(
      () => undefined,
      (error: Error) => error,
    );
    const didFire = faulty.stop();
    if (!didFire) {
      expect(failure, "without a fault it succeeds").toBeUndefined();
      expect(await snapshot(fs)).not.toEqual(before);
      database.close();
      break;
    }
    fired++;
    // What only tidies up afterwards may fail: the verb has happened, and what is left goes later.
    if (failure === undefined) {
      while (tree.recover());
      expect(problems(database)).toEqual([]);
      database.close();
      continue;
    }
    expect(failure.message).toBe("injected");
    // What the tree remembers, what the database holds, and that the tree still works.
    expect(await snapshot(fs), `statement ${failAt}, as remembered`).toEqual(before);
    const fresh = new Tree(database, 2 ** 30);
    while (fresh.recover());
    expect(await snapshot(new TreeFileSystem(() => fresh)), `statement ${failAt}, as stored`).toEqual(before);
    expect(problems(database)).toEqual([]);
    await verb(fs);
    while (tree.recover());
    expect(problems(database)).toEqual([]);
    database.close();
  }
  expect(fired).toBeGreaterThanOrEqual(1);
});

test("a full disk is ENOSPC, and everything is as it was", async () => {
  const database = openNodeSql();
  const tree = new Tree(database, 2 ** 30);
  const fs = new TreeFileSystem(() => tree);
  await layOut(fs);
  const before = await snapshot(fs);
  database.exec(`PRAGMA max_page_count = ${Math.ceil(database.databaseSize / 4096) + 8}`);
  const bytes = noise(3 * CHUNK_BYTES, 8);
  const streamed = async () => {
    const writer = fs.createWriteStream("/new").getWriter();
    for (let i = 0; i < 4; i++) await writer.write(noise(CHUNK_BYTES, 10 + i));
    await writer.close();
  };
  for (const write of [() => fs.writeFile("/new", bytes), () => fs.appendFile("/small", bytes), streamed]) {
    await expect(write()).rejects.toMatchObject({ code: "ENOSPC", errno: -28 });
    expect(await snapshot(fs)).toEqual(before);
    expect(problems(database)).toEqual([]);
  }
  await fs.rm("/large");
  await fs.writeFile("/new", noise(CHUNK_BYTES, 9));
  expect(problems(database)).toEqual([]);
  database.close();
});

/** A port whose statements work until told otherwise. */
function failing(database: Sql): { sql: Sql; failAfter(count: number): void; stop(): boolean } {
  let left = Number.POSITIVE_INFINITY;
  let fired = false;
  const sql: Sql = {
    ...database,
    exec(query, ...bindings) {
      if (left-- === 0) {
        fired = true;
        throw new Error("injected");
      }
      return database.exec(query, ...bindings);
    },
  };
  return {
    sql,
    failAfter(count) {
      left = count;
    },
    stop() {
      left = Number.POSITIVE_INFINITY;
      return fired;
    },
  };
}

async function layOut(fs: FileSystem): Promise<void> {
  await fs.mkdir("/d");
  await fs.mkdir("/full/sub", { recursive: true });
  await fs.writeFile("/full/sub/f", "deep");
  await fs.writeFile("/small", "small");
  await fs.writeFile("/large", noise(2 * CHUNK_BYTES + 7, 1));
  await fs.writeFile("/other", noise(2 * CHUNK_BYTES + 7, 2));
  await fs.link("/other", "/hard");
}

async function snapshot(fs: FileSystem): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const name of [".", ...(await fs.readdir("/", { recursive: true }))]) {
    const stats = await fs.lstat(`/${name}`);
    const content = stats.isFile() ? Buffer.from(await fs.readFile(`/${name}`)).toString("latin1") : "";
    found[name] = { ...stats, content: content.length > 99 ? hash(content) : content };
  }
  return found;
}

function hash(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
  return sum;
}
