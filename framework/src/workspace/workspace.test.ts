import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problems } from "../../test/contracts/integrity.ts";
import { crashContent, crashPath } from "../../test/crash/content.ts";
import { openNodeSql } from "../vfs/sql/node.ts";
import { Workspace } from "./workspace.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "workspace-"));
  file = join(folder, "agent.db");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a workspace in memory", () => {
  test("keeps files until it is closed", async () => {
    const workspace = await Workspace.memory();
    await workspace.fs.writeFile("/hello.txt", "hello");
    expect(await workspace.fs.readFile("/hello.txt", "utf8")).toBe("hello");
    await workspace.close();
    await workspace.close();
    const { fs, runtime } = workspace;
    const code = "ERR_WORKSPACE_CLOSED";
    await expect(fs.stat("/")).rejects.toMatchObject({ code });
    await expect(fs.writeFile("/f", "")).rejects.toMatchObject({ code });
    await expect(fs.exists("/f")).rejects.toMatchObject({ code });
    await expect(fs.createReadStream("/hello.txt").getReader().read()).rejects.toMatchObject({ code });
    expect(() => runtime.exec("ls")).toThrow(expect.objectContaining({ code }));
  });

  test("is closed at the end of its scope", async () => {
    let escaped: Workspace;
    {
      await using workspace = await Workspace.memory();
      escaped = workspace;
    }
    await expect(escaped.fs.stat("/")).rejects.toMatchObject({ code: "ERR_WORKSPACE_CLOSED" });
  });

  test("is apart from every other", async () => {
    await using one = await Workspace.memory();
    await using two = await Workspace.memory();
    await one.fs.writeFile("/f", "one");
    expect(await two.fs.readdir("/")).toEqual([]);
  });
});

describe("a workspace in a file", () => {
  test("is there when it is opened again", async () => {
    {
      await using workspace = await Workspace.open(file);
      await workspace.fs.writeFile("/f", "kept");
    }
    await using workspace = await Workspace.open(file);
    expect(await workspace.fs.readFile("/f", "utf8")).toBe("kept");
  });

  test("is locked while it is open, in the same process", async () => {
    const workspace = await Workspace.open(file);
    await expect(Workspace.open(file)).rejects.toMatchObject({ code: "ERR_WORKSPACE_LOCKED" });
    await workspace.fs.writeFile("/f", "");
    await workspace.close();
    await (await Workspace.open(file)).close();
  });

  test("gives the disk back what was deleted", async () => {
    {
      await using workspace = await Workspace.open(file);
      await workspace.fs.writeFile("/big", crypto.getRandomValues(new Uint8Array(65536)));
      for (let i = 0; i < 8; i++) await workspace.fs.writeFile(`/big${i}`, noise(1 << 20));
      for (let i = 0; i < 8; i++) await workspace.fs.rm(`/big${i}`);
    }
    expect((await stat(file)).size).toBeLessThan(1 << 20);
  });

  test("is erased for good", async () => {
    const workspace = await Workspace.open(file, { quota: { bytes: 1000 } });
    await workspace.fs.writeFile("/f", "text");
    expect(await workspace.usage()).toMatchObject({ bytes: 4, entries: 1, limits: { bytes: 1000 } });
    expect((await workspace.check()).problems).toEqual([]);
    await workspace.destroy();
    expect(await readdir(folder)).toEqual([]);
    await expect(workspace.fs.stat("/")).rejects.toMatchObject({ code: "ERR_WORKSPACE_CLOSED" });
    await expect(workspace.destroy()).rejects.toMatchObject({ code: "ERR_WORKSPACE_CLOSED" });
    await expect(workspace.usage()).rejects.toMatchObject({ code: "ERR_WORKSPACE_CLOSED" });
    await using anew = await Workspace.open(file);
    expect(await anew.fs.readdir("/")).toEqual([]);
  });

  test("takes only a quota that is one", async () => {
    for (const quota of [{ bytes: -1 }, { entries: 1.5 }, { fileBytes: "1" }, { files: 3 }] as object[]) {
      await expect(Workspace.open(file, { quota })).rejects.toMatchObject({ code: "ERR_BAD_ARGUMENT" });
    }
    await (await Workspace.open(file)).close();
  });

  test("must have a folder", async () => {
    await expect(Workspace.open(join(folder, "none", "agent.db"))).rejects.toMatchObject({
      code: "ERR_BAD_ARGUMENT",
    });
    await expect(Workspace.open(folder)).rejects.toMatchObject({ code: "ERR_BAD_ARGUMENT" });
  });

  /** Opening must fail with a code and leave every byte of every file as it was. */
  async function refused(code: string, what?: string) {
    const state = async () => {
      const names = (await readdir(folder)).sort();
      return Promise.all(
        names.map(async (name) => [name, (await readFile(join(folder, name))).toString("base64")]),
      );
    };
    const before = await state();
    const error = await Workspace.open(file).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error, what).toMatchObject({ code });
    expect(
      (await state()).map(([name]) => name),
      what,
    ).toEqual(before.map(([name]) => name));
    expect(await state(), what).toEqual(before);
    return error as Error;
  }

  /** A workspace's file that something was done to. */
  async function harmed(harm: string) {
    await rm(file, { force: true });
    {
      await using workspace = await Workspace.open(file);
      await workspace.fs.writeFile("/f", "text");
    }
    const victim = new DatabaseSync(file);
    victim.exec(harm);
    victim.close();
  }

  test("of a newer release is left alone", async () => {
    await harmed("UPDATE vfs_meta SET value = 99 WHERE key = 'version'");
    expect((await refused("ERR_WORKSPACE_NEWER")).message).toContain("99");
    // Newer in its tables too.
    await harmed("UPDATE vfs_meta SET value = 99 WHERE key = 'version'; DROP TABLE vfs_extent");
    await refused("ERR_WORKSPACE_NEWER");
  });

  test("that is open elsewhere is left alone", async () => {
    await using workspace = await Workspace.open(file);
    await workspace.fs.writeFile("/f", "text");
    await refused("ERR_WORKSPACE_LOCKED");
    await workspace.fs.writeFile("/f", "goes on");
  });

  test("that is damaged says so, and is left alone", async () => {
    const code = "ERR_WORKSPACE_DAMAGED";
    await writeFile(file, "this is no database at all, but it is long enough to have a header ".repeat(100));
    await refused(code, "text");
    await writeFile(file, "short");
    await refused(code, "a short text");

    await rm(file);
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE other (x)");
    database.close();
    await refused(code, "a database of others");

    for (const harm of [
      "DROP TABLE vfs_extent",
      "DROP TABLE vfs_pin",
      "DROP TABLE vfs_meta",
      "DELETE FROM vfs_meta WHERE key = 'version'",
      "UPDATE vfs_meta SET value = 'two' WHERE key = 'version'",
      "UPDATE vfs_meta SET value = 0 WHERE key = 'version'",
      "DELETE FROM vfs_meta WHERE key = 'epoch'",
      "DELETE FROM vfs_meta WHERE key = 'id'",
      "DELETE FROM vfs_node WHERE id = 1",
    ]) {
      await harmed(harm);
      await refused(code, harm);
    }
    await harmed("SELECT 1");
    const whole = await readFile(file);
    await writeFile(file, whole.subarray(0, whole.length / 2));
    await refused(code, "the first half of a file");
  });

  test("whose rows contradict each other says so when it comes to them", async () => {
    {
      await using workspace = await Workspace.open(file);
      for (const name of ["node", "content", "chunk"])
        await workspace.fs.writeFile(`/${name}`, noise(300_000, name.length));
      await workspace.fs.writeFile("/content", "small");
    }
    const database = new DatabaseSync(file);
    database.exec(`
      DELETE FROM vfs_node WHERE id = (SELECT node FROM vfs_dirent WHERE name = CAST('node' AS BLOB));
      DELETE FROM vfs_content; DELETE FROM vfs_bytes`);
    database.close();
    await using workspace = await Workspace.open(file);
    const code = "ERR_WORKSPACE_DAMAGED";
    await expect(workspace.fs.stat("/node")).rejects.toMatchObject({ code });
    await expect(workspace.fs.exists("/node")).rejects.toMatchObject({ code });
    await expect(workspace.fs.readFile("/content")).rejects.toMatchObject({ code });
    await expect(workspace.fs.readFile("/chunk")).rejects.toMatchObject({ code });
    expect((await workspace.fs.stat("/")).isDirectory()).toBe(true);
  });

  test("with overwritten pages fails with a code, not with other content", async () => {
    {
      await using workspace = await Workspace.open(file);
      for (let i = 0; i < 300; i++) await workspace.fs.writeFile(`/file-${i}`, `content ${i}`.repeat(20));
    }
    const bytes = await readFile(file);
    bytes.fill(0x5a, 4096 * 2, 4096 * 8);
    await writeFile(file, bytes);
    const run = async () => {
      await using workspace = await Workspace.open(file);
      for (const name of await workspace.fs.readdir("/")) await workspace.fs.readFile(`/${name}`);
    };
    await expect(run()).rejects.toMatchObject({ code: "ERR_WORKSPACE_DAMAGED" });
  });
});

describe("another process", () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  /** Starts the writer; `acknowledged` grows as it says so. */
  function startWriter(from: number) {
    const script = new URL("../../test/crash/writer.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, ["--conditions=@computer/source", script, file, String(from)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    const acknowledged: number[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => acknowledged.push(Number(line)));
    return { child, acknowledged };
  }

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise((resume) => setTimeout(resume, 2));
  }

  test("has the lock until it dies, and loses nothing that it acknowledged", {
    timeout: 60_000,
  }, async () => {
    const all: number[] = [];
    for (const [round, count] of [5, 40, 77].entries()) {
      const from = all.length === 0 ? 0 : (all.at(-1) ?? 0) + 1;
      const { child, acknowledged } = startWriter(from);
      await until(() => acknowledged.length >= count || child.exitCode !== null);
      await expect(Workspace.open(file)).rejects.toMatchObject({ code: "ERR_WORKSPACE_LOCKED" });
      child.kill("SIGKILL");
      await once(child, "close");
      all.push(...acknowledged);

      await using workspace = await Workspace.open(file);
      const latest = new Map(all.map((index) => [crashPath(index), index]));
      const names = await workspace.fs.readdir("/out");
      for (const [path, index] of latest) {
        const actual = Buffer.from(await workspace.fs.readFile(path));
        // One more may have been written, but not acknowledged any more.
        const next = (all.at(-1) ?? 0) + 1;
        const whole = [index, ...(crashPath(next) === path ? [next] : [])].some((i) =>
          actual.equals(crashContent(i)),
        );
        expect(whole, `round ${round}: ${path}`).toBe(true);
      }
      expect(names.length - latest.size).toBeLessThanOrEqual(1);
    }
    // What the crashes left over goes once it is open; a removal ends when all of it has gone.
    {
      await using workspace = await Workspace.open(file);
      await workspace.fs.mkdir("/last");
      await workspace.fs.rm("/last", { recursive: true });
    }
    const sql = openNodeSql(file);
    expect(problems(sql)).toEqual([]);
    sql.close();
  });
});

describe("a workspace over a storage", () => {
  test("is the only one", async () => {
    expect(() => new Workspace({ storage: {} as never })).toThrow(
      expect.objectContaining({ code: "ERR_BAD_ARGUMENT" }),
    );
    expect(() => new Workspace({} as never)).toThrow(expect.objectContaining({ code: "ERR_BAD_ARGUMENT" }));
  });
});

function noise(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  bytes[0] = seed;
  return bytes;
}
