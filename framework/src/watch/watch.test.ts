import { describe, expect, test } from "vitest";
import { Workspace } from "../workspace/workspace.ts";
import type { WatchEvent } from "./types.ts";

/** What happens under a path while work is done. */
async function during(path: string, work: (workspace: Workspace) => Promise<unknown>, workspace?: Workspace) {
  const at = workspace ?? (await Workspace.memory());
  const events = at.watch(path);
  await work(at);
  await at.fs.writeFile("/end", "");
  return told(events);
}

/** Events up to the one for `/end`, in short. */
async function told(events: AsyncIterable<WatchEvent>): Promise<string[]> {
  const all: string[] = [];
  for await (const event of events) {
    if (event.kind === "missed") all.push("missed");
    else if (event.path === "/end") break;
    else all.push([event.kind, event.oldPath, event.path].filter(Boolean).join(" "));
  }
  return all;
}

describe("watch", () => {
  test("tells each kind of change, once", async () => {
    const events = await during("/", async ({ fs }) => {
      await fs.mkdir("/a/b", { recursive: true });
      await fs.writeFile("/a/f", "1");
      await fs.writeFile("/a/f", "2");
      await fs.appendFile("/a/f", "3");
      await fs.truncate("/a/f", 1);
      await fs.chmod("/a/f", 0o600);
      await fs.utimes("/a/f", 1, 1);
      await fs.chmod("/a", 0o700);
      await fs.link("/a/f", "/a/g");
      await fs.symlink("f", "/a/l");
      await fs.writeFile("/a/l", "through");
      await fs.rename("/a/g", "/a/b/g");
      await fs.rename("/a/b", "/c");
      await fs.rm("/a/f");
      await fs.rm("/c", { recursive: true });
      await fs.copyFile("/a/l", "/x").catch(() => {});
    });
    expect(events).toEqual([
      "created /a",
      "created /a/b",
      "created /a/f",
      "modified /a/f",
      "modified /a/f",
      "modified /a/f",
      "attributes /a/f",
      "attributes /a/f",
      "attributes /a",
      "created /a/g",
      "created /a/l",
      "modified /a/f",
      "renamed /a/g /a/b/g",
      "renamed /a/b /c",
      "removed /a/f",
      "removed /c",
    ]);
  });

  test("tells what was replaced by a rename as renamed, streams once, and nothing of what failed", async () => {
    const events = await during("/", async ({ fs }) => {
      await fs.writeFile("/a", "1");
      await fs.writeFile("/b", "2");
      await fs.rename("/a", "/b");
      const writer = fs.createWriteStream("/big").getWriter();
      for (let i = 0; i < 5; i++) await writer.write(new Uint8Array(300_000).fill(i + 1));
      await writer.close();
      await fs.mkdir("/b").catch(() => {});
      await fs.rename("/b", "/b");
      await fs.rm("/big");
    });
    expect(events).toEqual(["created /a", "created /b", "renamed /a /b", "created /big", "removed /big"]);
  });

  test("is about a path: below it, its own entries only, and what takes it away", async () => {
    const workspace = await Workspace.memory();
    await workspace.fs.mkdir("/in/deep", { recursive: true });
    await workspace.fs.mkdir("/out");
    await workspace.fs.symlink("/in", "/link");
    const all = workspace.watch("/in");
    const flat = workspace.watch("/link/", { recursive: false });
    const file = workspace.watch("/in/x");
    const { fs } = workspace;
    await fs.writeFile("/in/x", "");
    await fs.writeFile("/in/deep/y", "");
    await fs.writeFile("/out/z", "");
    await fs.writeFile("/input", "");
    await fs.rename("/out/z", "/in/z");
    await fs.rename("/in", "/gone");
    await workspace.close();
    const end = ["created /in/x", "created /in/deep/y", "renamed /out/z /in/z", "renamed /in /gone"];
    expect(await told(all)).toEqual(end);
    expect(await told(flat)).toEqual(end.filter((event) => !event.includes("deep")));
    expect(await told(file)).toEqual(["created /in/x", "renamed /in /gone"]);
  });

  test("goes on from a revision, or says what is not remembered", async () => {
    await using workspace = await Workspace.memory();
    const { fs } = workspace;
    await fs.writeFile("/before", "");
    const early = workspace.revision;
    await fs.writeFile("/unseen", "");
    workspace.watch("/");
    const start = workspace.revision;
    await fs.writeFile("/a", "");
    const middle = workspace.revision;
    await fs.writeFile("/b", "");
    await fs.writeFile("/end", "");
    expect(await told(workspace.watch("/", { since: start }))).toEqual(["created /a", "created /b"]);
    expect(await told(workspace.watch("/", { since: middle }))).toEqual(["created /b"]);
    expect(await told(workspace.watch("/", { since: early }))).toEqual([
      "missed",
      "created /a",
      "created /b",
    ]);
    const [missed] = await Array.fromAsync({ length: 1 }, () =>
      workspace.watch("/", { since: early }).next(),
    );
    expect(missed?.value).toEqual({ kind: "missed", since: early, revision: start });
    const ahead = await workspace.watch("/", { since: 10 ** 9 }).next();
    expect(ahead.value?.kind).toBe("missed");
  });

  test("tells a slow reader that it missed something, and then what came later", async () => {
    await using workspace = await Workspace.memory();
    const events = workspace.watch("/");
    for (let i = 0; i < 5000; i++) await workspace.fs.writeFile("/f", String(i));
    const { value } = await events.next();
    expect(value?.kind).toBe("missed");
    const next = await events.next();
    expect(next.value?.revision).toBe((value?.revision ?? 0) + 1);
    await workspace.fs.writeFile("/end", "");
    expect((await told(events)).every((event) => event === "modified /f")).toBe(true);
  });

  test("tells a revision that changes too much as missed", async () => {
    await using workspace = await Workspace.memory();
    const events = workspace.watch("/");
    // Ever longer paths: the characters that are remembered are bounded too.
    for (let i = 0; i < 600; i++)
      await workspace.fs.mkdir(`/${`${"n".repeat(250)}/`.repeat(15)}${i}`, { recursive: true });
    expect((await events.next()).value?.kind).toBe("missed");
  });

  test("knows paths of what was opened before anybody watched, and of what is deep", async () => {
    await using workspace = await Workspace.memory();
    const { fs } = workspace;
    const deep = `/${"d/".repeat(500)}`;
    await fs.mkdir(deep, { recursive: true });
    await fs.writeFile(`${deep}f`, "1");
    expect(await during("/", async () => fs.writeFile(`${deep}f`, "2"), workspace)).toEqual([
      `modified ${deep}f`,
    ]);
  });

  test("serves many, ends by return, abort and close, also while it waits", async () => {
    const workspace = await Workspace.memory();
    const watchers = Array.from({ length: 500 }, () => workspace.watch("/"));
    const waiting = watchers.map((watcher) => watcher.next());
    await workspace.fs.writeFile("/a", "");
    const events = await Promise.all(waiting);
    expect(new Set(events.map(({ value }) => value?.kind))).toEqual(new Set(["created"]));

    const returned = workspace.watch("/");
    const pending = returned.next();
    await returned.return?.();
    expect((await pending).done).toBe(true);

    const controller = new AbortController();
    const aborted = workspace.watch("/", { signal: controller.signal });
    const failing = aborted.next();
    controller.abort(new Error("enough"));
    await expect(failing).rejects.toThrow("enough");
    expect((await aborted.next()).done).toBe(true);

    const last = workspace.watch("/").next();
    await workspace.close();
    expect((await last).done).toBe(true);
    expect(() => workspace.watch("/")).toThrow(/closed/);
  });

  test.each([
    ["relative", {}],
    ["/", { since: -1 }],
    ["/", { since: 1.5 }],
    ["/", { recursive: "yes" as unknown as boolean }],
  ])("refuses %j %j", async (path, options) => {
    await using workspace = await Workspace.memory();
    expect(() => workspace.watch(path, options)).toThrow();
  });
});
