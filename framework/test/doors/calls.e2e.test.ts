import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type NotesClient } from "../fixtures/notes/client.ts";
import { type Served, serve } from "./serve.ts";

let served: Served;
beforeAll(async () => {
  served = await serve({ COMPUTER_MODE: "development" });
});
afterAll(() => served[Symbol.asyncDispose]());

/** A tool's answer by plain HTTP, as JSON says it. */
async function post(id: string, tool: string, args: unknown): Promise<unknown> {
  const response = await fetch(`${served.url}/agents/notes/${id}/tools/${tool}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(args),
  });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(), (body as { error: object }).error);
  return body;
}

describe.each(["websocket", "batch"] as const)("the client over %s", (transport) => {
  const use = async (id: string, work: (notes: NotesClient) => Promise<void>) => {
    using computer = connect({ url: served.url, transport });
    using notes = computer.notes(`${transport}-${id}`);
    await work(notes);
  };

  test("calls every tool", () =>
    use("all", async (notes) => {
      const due = new Date("2026-05-01T10:00:00.500Z");
      expect(await notes.add("plan", "buy two pens", due)).toEqual({
        path: "/notes/plan.txt",
        words: 3,
        due,
      });
      expect(await notes.add("bare", "")).toEqual({ path: "/notes/bare.txt", words: 0 });
      const data = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      const attached = await notes.attach("all.bin", data);
      expect(attached).toEqual({ size: 256, last: 255, copy: data });
      expect(attached.copy.constructor).toBe(Uint8Array);
      expect(await notes.list()).toEqual(["bare.txt", "plan.txt"]);
      expect(await notes.list(1)).toEqual(["bare.txt"]);
      expect(await notes.area({ kind: "square", side: 3 })).toBe(9);
      expect(await notes.area({ kind: "circle", radius: 0 })).toBe(0);
      expect(await notes.tag([{ name: "a", color: "red" }, { name: "b" }])).toBe("a:red,b:none");
      expect(await notes.whoAmI()).toBe(`${transport}-all`);
      expect(await notes.nothing()).toBeUndefined();
    }));

  test("a failing tool says why, with its code and path", () =>
    use("fail", async (notes) => {
      await expect(notes.fail("error")).rejects.toMatchObject({
        name: "ComputerError",
        code: "ERR_TOOL_FAILED",
        message: "the notes are wet",
      });
      await expect(notes.fail("text")).rejects.toMatchObject({
        code: "ERR_TOOL_FAILED",
        message: "just text",
      });
      const file = { code: "ENOENT", path: "/no/such/file", syscall: "open", errno: -2 };
      await expect(notes.fail("file")).rejects.toMatchObject(file);
      const how = notes.fail as unknown as (how: unknown) => Promise<never>;
      const bad = { name: "ComputerError", code: "ERR_BAD_ARGUMENT", path: "/how" };
      await expect(how("later")).rejects.toMatchObject(bad);
      expect(await notes.whoAmI()).toBe(`${transport}-fail`);
    }));

  test("in development an error leads to the line that threw it", () =>
    use("stack", async (notes) => {
      const error = await notes.fail("error").catch((thrown: unknown) => thrown as Error);
      expect((error as Error).cause).toMatchObject({ stack: expect.stringContaining("Notes.fail") });
    }));

  test("the files of one id are not those of another", () =>
    use("one", async (one) => {
      await use("two", async (two) => {
        await one.add("mine", "a b");
        expect(await two.list()).toEqual([]);
        expect(await two.workspace.fs.exists("/notes")).toBe(false);
        expect(await one.workspace.fs.readFile("/notes/mine.txt", "utf8")).toBe("a b");
      });
    }));

  test("the verbs of the file system", () =>
    use("fs", async ({ workspace: { fs } }) => {
      expect(await fs.mkdir("/a/b", { recursive: true })).toBe("/a");
      await fs.writeFile("/a/b/c", "one");
      await fs.appendFile("/a/b/c", "two");
      await fs.symlink("b/c", "/a/link");
      await fs.link("/a/b/c", "/a/hard");
      await fs.copyFile("/a/b/c", "/a/copy");
      await fs.rename("/a/copy", "/a/moved");
      await fs.truncate("/a/moved", 2);
      await fs.chmod("/a/moved", 0o600);
      await fs.utimes("/a/moved", new Date(1000), 2.0005);
      expect(await fs.readFile("/a/link", "utf8")).toBe("onetwo");
      expect(await fs.readFile("/a/moved")).toEqual(new TextEncoder().encode("on"));
      expect([await fs.readlink("/a/link"), await fs.realpath("/a/link")]).toEqual(["b/c", "/a/b/c"]);
      const moved = await fs.stat("/a/moved");
      expect([moved.isFile(), moved.isDirectory(), moved.mode & 0o777, moved.size]).toEqual([
        true,
        false,
        0o600,
        2,
      ]);
      expect([moved.atime, moved.mtimeMs]).toEqual([new Date(1000), 2000.5]);
      expect((await fs.lstat("/a/link")).isSymbolicLink()).toBe(true);
      expect((await fs.readdir("/a")).sort()).toEqual(["b", "hard", "link", "moved"]);
      const entries = await fs.readdir("/", { withFileTypes: true, recursive: true });
      expect(entries.map((entry) => [entry.parentPath, entry.name, entry.isDirectory()])).toContainEqual([
        "/a",
        "b",
        true,
      ]);
      await expect(fs.rm("/a")).rejects.toMatchObject({ code: "ERR_FS_EISDIR" });
      await fs.rm("/a", { recursive: true });
      expect(await fs.exists("/a")).toBe(false);
      await expect(fs.stat("/a")).rejects.toMatchObject({ code: "ENOENT", syscall: "stat", path: "/a" });
      await expect(fs.writeFile("relative", "")).rejects.toMatchObject({ code: "EINVAL" });
      await expect(fs.writeFile("/x\0y", "")).rejects.toMatchObject({ code: "ERR_INVALID_ARG_VALUE" });
      await expect(fs.writeFile(`/${"n".repeat(300)}`, "")).rejects.toMatchObject({ code: "ENAMETOOLONG" });
    }));

  test("the further verbs, a quota's figures, a listing", () =>
    use("verbs", async ({ workspace }) => {
      const { fs } = workspace;
      await fs.writeMany(
        [
          { path: "/d/a", data: "a" },
          { path: "/d/e/b", data: new Uint8Array([98]), mode: 0o600 },
        ],
        {
          parents: true,
        },
      );
      expect(await fs.readMany(["/d/a", "/d/e/b"], "utf8")).toEqual(["a", "b"]);
      expect(await fs.readMany(["/d/e/b"])).toEqual([new Uint8Array([98])]);
      await fs.access("/d/a", fs.constants.R_OK | fs.constants.W_OK);
      await expect(fs.access("/d/a", fs.constants.X_OK)).rejects.toMatchObject({ code: "EACCES" });
      await fs.cp("/d", "/copy", { recursive: true });
      await expect(fs.cp("/d", "/copy")).rejects.toMatchObject({ code: "ERR_FS_EISDIR" });
      await expect(fs.cp("/d", "/x", { filter: () => true })).rejects.toMatchObject({
        code: "ERR_UNSUPPORTED",
      });
      await fs.chown("/copy/a", 5, -1);
      await fs.symlink("a", "/copy/l");
      await fs.lchown("/copy/l", -1, 6);
      await fs.lutimes("/copy/l", 1, "2");
      expect([(await fs.stat("/copy/a")).uid, (await fs.lstat("/copy/l")).gid]).toEqual([5, 6]);
      expect((await fs.lstat("/copy/l")).mtimeMs).toBe(2000);
      const listed: string[] = [];
      for await (const entry of await fs.opendir("/copy", { recursive: true }))
        listed.push(`${entry.parentPath}/${entry.name}`);
      expect(listed.sort()).toEqual(["/copy/a", "/copy/e", "/copy/e/b", "/copy/l"]);
      expect(await fs.mkdtemp("/d/tmp-")).toMatch(/^\/d\/tmp-.{6}$/);
      await fs.unlink("/copy/l");
      await expect(fs.rmdir("/copy")).rejects.toMatchObject({ code: "ENOTEMPTY" });
      await fs.rmdir(
        (await fs.readdir("/d")).map((name) => `/d/${name}`).find((path) => /tmp-/.test(path)) ?? "",
      );
      const [usage, room] = [await workspace.usage(), await fs.statfs("/")];
      expect([usage.entries, room.files - room.ffree]).toEqual([8, 8]);
    }));

  test("an open file", () =>
    use("open", async ({ workspace: { fs } }) => {
      if (transport === "batch") {
        await expect(fs.open("/f", "w")).rejects.toMatchObject({ code: "ERR_UNSUPPORTED" });
        return;
      }
      const big = new Uint8Array(2_500_000).map((_, i) => i * 7);
      const file = await fs.open("/f", "w+", 0o640);
      expect((await file.write(big)).bytesWritten).toBe(big.length);
      await file.write("edit", 1_000_000);
      await fs.unlink("/f");
      const { buffer, bytesRead } = await file.read(new Uint8Array(big.length), 0, big.length, 0);
      expect(bytesRead).toBe(big.length);
      expect(new TextDecoder().decode(buffer.subarray(1_000_000, 1_000_004))).toBe("edit");
      await file.truncate(10);
      await file.chmod(0o600);
      await file.utimes(1, 2);
      const { size, mode, nlink, mtimeMs } = await file.stat();
      expect([size, mode & 0o777, nlink, mtimeMs]).toEqual([10, 0o600, 0, 2000]);
      await file.close();
      await expect(file.read()).rejects.toMatchObject({ code: "EBADF" });
      await expect(fs.open("/none", "r")).rejects.toMatchObject({ code: "ENOENT", path: "/none" });
      await fs.writeFile("/g", "\ufefftext");
      await using reader = await fs.open("/g");
      expect(await reader.readFile("utf8")).toBe("\ufefftext");
      await expect(reader.write("x")).rejects.toMatchObject({ code: "EBADF" });
    }));

  test("names that are not UTF-8 come through", () =>
    use("names", async ({ workspace: { fs } }) => {
      const names = ["caf\u00e9", "cafe\u0301", "\udcff", "\ud800", "a\udc80b"];
      for (const name of names) await fs.writeFile(`/${name}`, name.length.toString());
      expect((await fs.readdir("/")).sort()).toEqual([...names].sort());
      for (const name of names) expect(await fs.readFile(`/${name}`, "utf8")).toBe(name.length.toString());
    }));

  test("an event arrives before the command ends", () =>
    use("live", async ({ workspace: { runtime } }) => {
      const run = runtime.exec("say first\nwait 400\nsay last\noops no\nexit 3");
      const seen: [string, number][] = [];
      const start = Date.now();
      for await (const event of run) seen.push([event.type, Date.now() - start]);
      expect(seen.map(([type]) => type)).toEqual(["stdout", "stdout", "stderr", "end"]);
      const [first, last] = [seen[0]?.[1] ?? 0, seen[1]?.[1] ?? 0];
      // The worker waits 400 ms between the two.
      expect(last - first).toBeGreaterThan(300);
      expect(await run.result()).toMatchObject({
        stdout: "first\nlast\n",
        stderr: "no\n",
        exitCode: 3,
        status: "exited",
      });
      expect(run.id).not.toBe("");
      expect((await run.result()).runId).toBe(run.id);
      // A late reader sees all of it too.
      const again = [];
      for await (const event of run.events(1)) again.push(event.seq);
      expect(again).toEqual([1, 2, 3]);
    }));

  test("a run's output comes as the bytes it was, and its options go along", () =>
    use("bytes", async ({ workspace: { runtime } }) => {
      const { stdout } = await runtime.exec("raw 00ff80c3\nraw a9").bytes();
      expect([...stdout]).toEqual([0, 255, 128, 0xc3, 0xa9]);
      expect(await runtime.exec("stdin", { stdin: "fed" }).result()).toMatchObject({ stdout: "fed" });
      expect(await runtime.exec("env", { env: { A: "1" } }).result()).toMatchObject({ stdout: '{"A":"1"}' });
      expect(await runtime.exec("flood 300000", { maxOutputBytes: 1000 }).result()).toMatchObject({
        limits: [{ limit: "maxOutputBytes", value: 1000 }],
        droppedBytes: 299_000,
      });
      expect(await runtime.exec("wait 60000", { timeoutMs: 100 }).result()).toMatchObject({
        status: "timeout",
      });
    }));

  test("a run can be killed, by call and by signal", () =>
    use("kill", async ({ workspace: { runtime } }) => {
      const run = runtime.exec("say on\nwait 60000");
      for await (const event of run) if (event.type === "stdout") break;
      await run.kill();
      expect(await run.result()).toMatchObject({ status: "killed", stdout: "on\n" });
      const controller = new AbortController();
      const signalled = runtime.exec("wait 60000", { signal: controller.signal });
      controller.abort();
      expect(await signalled.result()).toMatchObject({ status: "killed" });
      await run.kill();
    }));

  test("a run that cannot be says so", () =>
    use("norun", async ({ workspace: { runtime } }) => {
      const none = runtime.exec("say hi", { backend: "sehll" }).result();
      await expect(none).rejects.toMatchObject({
        code: "ERR_UNKNOWN_BACKEND",
        message: expect.stringContaining("scripted"),
      });
      const odd = runtime.exec(7 as unknown as string).result();
      await expect(odd).rejects.toMatchObject({ code: "ERR_BAD_ARGUMENT", path: "/source" });
      expect(await runtime.backends()).toEqual([
        { name: "scripted", kind: "scripted", description: "Runs a few scripted commands, for tests." },
      ]);
    }));
});

test("plain HTTP calls every tool", async () => {
  const note = { path: "/notes/plan.txt", words: 2, due: "2026-05-01T08:00:00.000Z" };
  expect(await post("http", "add", { title: "plan", text: "a b", due: "2026-05-01T10:00:00+02:00" })).toEqual(
    note,
  );
  expect(await post("http", "attach", { name: "b", data: "AAH/" })).toEqual({
    size: 3,
    last: 255,
    copy: "AAH/",
  });
  expect(await post("http", "list", {})).toEqual(["plan.txt"]);
  expect(await post("http", "area", { shape: { kind: "square", side: 2 } })).toBe(4);
  expect(await post("http", "tag", { tags: [{ name: "x" }] })).toBe("x:none");
  expect(await post("http", "whoAmI", {})).toBe("http");
  expect(await post("http", "nothing", {})).toBeNull();
  expect(await post("http", "leak", {})).toEqual({ kept: "yes" });
  await expect(post("http", "fail", { how: "error" })).rejects.toMatchObject({ code: "ERR_TOOL_FAILED" });
  expect(await post("other", "list", {})).toEqual([]);
});

test("an id is any text", async () => {
  using computer = connect({ url: served.url });
  for (const id of ["Ann Lee", "ünï-日本", "a%2Fb", "..%2e", "x".repeat(256)]) {
    using notes = computer.notes(id);
    expect(await notes.whoAmI()).toBe(id);
  }
});

test("`/` says what is here, as JSON and as a page", async () => {
  const root = await (await fetch(served.url)).json();
  expect(root).toMatchObject({ name: "notes-worker", version: "1.2.3", agents: [{ name: "notes" }, {}] });
  const page = await fetch(served.url, { headers: { accept: "text/html,*/*" } });
  expect(page.headers.get("content-type")).toContain("text/html");
  expect(await page.text()).toContain("Keeps notes");
});
