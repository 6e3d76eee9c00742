import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { kernelMount, requiresFuse } from "../../../test/support/kernel.ts";
import { run, sh } from "../../../test/support/shell.ts";
import type { NodePut } from "../../tree/changes.ts";

/** `ROUNDS=5000` for a thorough look at races. */
const ROUNDS = Number(process.env.ROUNDS ?? 300);
const PATIENCE_MS = 60_000 + ROUNDS * 100;

const file = (id: number, text: string): NodePut => ({ id, kind: "file", content: Buffer.from(text) });

/** Watches paths by `fs.watch` in a process of its own, which prints one event per line. */
async function watcher(cwd: string, paths: string[]) {
  const script = `const fs = require("node:fs");
    for (const path of ${JSON.stringify(paths)})
      fs.watch(path, (kind, name) => console.log(path + " " + kind + " " + name));
    console.log("ready");`;
  const child = spawn(process.execPath, ["-e", script], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (data) => {
    said += data;
  });
  const until = async (what: string) => {
    for (let tries = 0; tries < 500 && !said.includes(what); tries++) await sleep(10);
    return said.includes(what) ? what : said;
  };
  await until("ready");
  return { until, said: () => said, [Symbol.dispose]: () => void child.kill("SIGKILL") };
}

describe("changes from outside", () => {
  beforeEach(requiresFuse);

  test("watchers hear of what is made, replaced and removed, and see no temporary names", async () => {
    await using tree = await kernelMount();
    await tree.mount.apply({
      nodes: [{ id: 50, kind: "directory" }, file(51, "old"), file(52, "x"), { id: 54, kind: "directory" }],
      names: [
        { parent: 1, name: "dir", node: 50 },
        { parent: 50, name: "file", node: 51 },
        { parent: 50, name: "goes", node: 52 },
        { parent: 50, name: "sub", node: 54 },
      ],
    });
    using events = await watcher(tree.path, ["dir", "dir/file"]);
    await tree.mount.apply({ nodes: [file(53, "new")], names: [{ parent: 50, name: "made", node: 53 }] });
    expect(await events.until("dir rename made")).toBe("dir rename made");
    await tree.mount.apply({ nodes: [file(51, "new")], names: [] });
    expect(await events.until("dir rename file")).toBe("dir rename file");
    expect(await events.until("dir/file rename file")).toBe("dir/file rename file");
    await tree.mount.apply({
      nodes: [
        { id: 55, kind: "directory" },
        { id: 56, kind: "symlink", target: "file" },
      ],
      names: [
        { parent: 50, name: "goes", node: null },
        { parent: 50, name: "sub", node: null },
        { parent: 50, name: "folder", node: 55 },
        { parent: 50, name: "link", node: 56 },
      ],
    });
    for (const name of ["goes", "sub", "folder", "link"])
      expect(await events.until(`dir rename ${name}`)).toBe(`dir rename ${name}`);
    const names = [...events.said().matchAll(/^dir \w+ (.*)$/gm)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(["made", "file", "goes", "sub", "folder", "link"]));
    expect(await tree.inside("cat dir/file; readlink dir/link; ls dir")).toBe(
      "newfile\nfile\nfolder\nlink\nmade\n",
    );
    // Playing is no change: neither content nor times nor the log.
    expect(await tree.mount.changes(await tree.mount.quiesce())).toMatchObject({ nodes: [], names: [] });
  });

  test("watchers hear of changed permissions", async () => {
    await using tree = await kernelMount();
    await tree.mount.apply({ nodes: [file(60, "x")], names: [{ parent: 1, name: "f", node: 60 }] });
    using events = await watcher(tree.path, ["."]);
    await tree.mount.apply({ nodes: [{ id: 60, kind: "file", mode: 0o711 }], names: [] });
    expect(await events.until(". change f")).toBe(". change f");
    expect(await tree.inside("stat -c %a f")).toBe("711\n");
  });

  test("all names of a hard link lead to the new content", async () => {
    await using tree = await kernelMount();
    await tree.inside("echo old > a; ln a b; mkdir d; ln a d/c; cat a b d/c; stat a b d/c > /dev/null");
    const id = (await tree.mount.find("a"))?.id as number;
    await tree.mount.apply({ nodes: [file(id, "new\n")], names: [] });
    expect(await tree.inside("cat a b d/c; stat -c %h a")).toBe("new\nnew\nnew\n3\n");
  });

  test("a dead handle says ESTALE, never ENOENT, and a mapping of it ends", async () => {
    await using tree = await kernelMount();
    await tree.inside("mkdir d; echo text > d/f");
    const script = `
import os, mmap, sys, time
fd = os.open("d/f", os.O_RDWR); dirfd = os.open("d", os.O_RDONLY)
print("held", flush=True)
sys.stdin.readline()
for name, call in [("read", lambda: os.pread(fd, 4, 0)), ("fstat", lambda: os.fstat(fd)),
    ("list", lambda: os.listdir(dirfd)), ("make", lambda: os.open("x", os.O_CREAT | os.O_WRONLY, dir_fd=dirfd))]:
  try: call(); print(name, "worked")
  except OSError as e: print(name, e.errno)
`;
    const child = spawn("python3", ["-c", script], { cwd: tree.path, stdio: ["pipe", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (data) => {
      said += data;
    });
    for (let tries = 0; tries < 500 && !said.includes("held"); tries++) await sleep(10);
    await tree.mount.apply({
      nodes: [],
      names: [
        { parent: (await tree.mount.find("d"))?.id as number, name: "f", node: null },
        { parent: 1, name: "d", node: null },
      ],
    });
    child.stdin.end("go\n");
    await new Promise((resolve) => child.on("close", resolve));
    expect(said).toBe("held\nread 116\nfstat 116\nlist 116\nmake 116\n");
  });

  test(
    "races with local changes: no hang, no stale listing, no lost write",
    async () => {
      await using tree = await kernelMount();
      const { mount, path } = tree;
      await tree.inside("mkdir shared");
      const dir = (await mount.find("shared"))?.id as number;
      // Two writers inside, one of them appending to a file that is replaced from outside all the time.
      const writers = [
        run(
          "sh",
          [
            "-c",
            "i=0; while [ ! -e ../stop ]; do : > local$((i % 50)); rm -f local$(((i + 25) % 50)); i=$((i+1)); done; echo $i",
          ],
          { cwd: `${path}/shared`, timeoutMs: PATIENCE_MS },
        ),
        run("sh", ["-c", "i=0; while [ ! -e ../stop ]; do echo line$i >> own; i=$((i+1)); done; echo $i"], {
          cwd: `${path}/shared`,
          timeoutMs: PATIENCE_MS,
        }),
      ];
      let id = 1000;
      for (let round = 0; round < ROUNDS; round++) {
        const names = [];
        const nodes: NodePut[] = [];
        for (let k = 0; k < 5; k++) {
          nodes.push(file(++id, `round ${round}`));
          names.push({ parent: dir, name: `remote${k}`, node: id });
        }
        await mount.apply({ nodes, names });
        if (round % 60 === 0) {
          const listed = await sh("ls | grep remote; cat remote3", { cwd: `${path}/shared` });
          expect(listed).toBe(`remote0\nremote1\nremote2\nremote3\nremote4\nround ${round}`);
        }
      }
      await tree.inside("touch stop");
      const [made, appended] = await Promise.all(writers);
      expect([made?.late, appended?.late]).toEqual([false, false]);
      const lines = (await tree.inside("cat shared/own")).trimEnd().split("\n");
      expect(lines).toEqual(Array.from({ length: Number(appended?.out) }, (_, line) => `line${line}`));
    },
    PATIENCE_MS,
  );

  test(
    "a file that both sides change: what was acknowledged to either is in it in the end",
    async () => {
      await using tree = await kernelMount();
      const { mount, path } = tree;
      await tree.inside("echo start > both");
      const id = (await mount.find("both"))?.id as number;
      // An error means that the line may not be there: it is written again, to the file as it is then.
      const script = `
import os
fd = os.open("both", os.O_WRONLY | os.O_APPEND); line = 0; errors = 0
while not os.path.exists("stop"):
    try:
        os.write(fd, b"inside %d\\n" % line); os.fsync(fd); line += 1
    except OSError:
        errors += 1
        try: os.close(fd)
        except OSError: pass
        fd = os.open("both", os.O_WRONLY | os.O_APPEND)
print(line, errors)`;
      const writer = run("python3", ["-c", script], { cwd: path, timeoutMs: PATIENCE_MS });
      const content = async () => {
        const pieces: Uint8Array[] = [];
        for await (const piece of mount.read(id)) pieces.push(piece);
        return Buffer.concat(pieces);
      };
      let applied = 0;
      let refused = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const { version: base } = await mount.status();
        const next = Buffer.concat([await content(), Buffer.from(`outside ${applied}\n`)]);
        const { conflicts } = await mount.apply(
          { nodes: [{ id, kind: "file", content: next }], names: [] },
          { base },
        );
        if (conflicts.length === 0) applied++;
        else refused++;
        await sleep(round % 8);
      }
      await tree.inside("touch stop");
      const { out, err, late } = await writer;
      expect([late, err]).toEqual([false, ""]);
      const [lines = 0] = out.split(" ").map(Number);
      const last = new Set((await tree.inside("cat both")).split("\n"));
      for (let line = 0; line < lines; line++) expect(last).toContain(`inside ${line}`);
      for (let line = 0; line < applied; line++) expect(last).toContain(`outside ${line}`);
      // Both happened, or this showed nothing.
      expect([lines > 10, applied > 10], `${out} ${applied} applied, ${refused} refused`).toEqual([
        true,
        true,
      ]);
    },
    PATIENCE_MS,
  );
});
