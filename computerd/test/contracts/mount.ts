import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Mount, MountDriver } from "../../src/mount/types.ts";
import { run, sh } from "../support/shell.ts";

/** In what a driver differs, and why that is right; the README has these as a table. */
export interface MountTraits {
  /** Owners and special bits can be kept: the daemon is root. */
  owners: boolean;
  /** What processes hold open dies (ESTALE) when it is replaced from outside. */
  stale: boolean;
  /** Writers beyond the tree's limits are refused at once. */
  limits: boolean;
  /** Special files: FIFO and sockets. */
  special: boolean;
  /** Names that are not UTF-8 pass. */
  bytes: boolean;
  /** Times pass to the nanosecond, not only to the millisecond. */
  nanoseconds: boolean;
}

/** What every driver of a mount does. Processes act through the path, the test through the {@link Mount}. */
export function mountContract(driver: MountDriver, traits: MountTraits): void {
  describe(`the mount contract: ${driver.name}`, () => {
    let folder: string;
    let path: string;
    let mount: Mount;

    const inside = (script: string) => sh(script, { cwd: path });
    const open = () => driver.mount({ path, store: join(folder, "store") });
    const bytesOf = async (id: number) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of mount.read(id)) pieces.push(piece);
      return Buffer.concat(pieces);
    };
    const textOf = async (name: string) =>
      (await bytesOf((await mount.find(name))?.id as number)).toString("utf8");

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), "computerd-mount-"));
      path = join(folder, "tree");
      mount = await open();
    });
    afterEach(async () => {
      await mount.close();
      const table = readFileSync("/proc/self/mountinfo", "utf8");
      rmSync(folder, { recursive: true, force: true });
      expect(table).not.toContain(folder);
    });

    test("what processes write can be read from behind", async () => {
      await inside("mkdir -p a/b && printf hello > a/b/c && ln -s b/c a/link && ln a/b/c a/hard");
      await mount.quiesce();
      expect(await textOf("a/b/c")).toBe("hello");
      expect(await mount.find("a/link")).toMatchObject({ kind: "symlink", target: "b/c" });
      const file = await mount.find("/a/b/c");
      expect(file).toMatchObject({ kind: "file", size: 5, nlink: 2 });
      expect((await mount.find("a/hard"))?.id).toBe(file?.id);
      const names = (await mount.list((await mount.find("a"))?.id as number)).map(({ name }) => name);
      expect(names.sort()).toEqual(["b", "hard", "link"]);
      expect(await mount.find("a/none")).toBeUndefined();
      expect(await mount.find("a/b/c/d")).toBeUndefined();
    });

    test("modes and times are kept", async () => {
      await inside(
        "touch f && chmod 4751 f && touch -d '2001-02-03 04:05:06.123456789 UTC' f && mkdir -m 1777 d",
      );
      await mount.quiesce();
      const nanoseconds = traits.nanoseconds ? 123456789 : 123000000;
      expect(await mount.find("f")).toMatchObject({ mode: 0o4751, mtime: [981173106, nanoseconds] });
      expect(await mount.find("d")).toMatchObject({ kind: "directory", mode: 0o1777 });
    });

    // What a driver cannot do by its nature is not a skipped test.
    const when = (trait: boolean) => (trait ? test : () => {});

    when(traits.owners)("owners are kept", async () => {
      await inside("touch f && chown 1234:4321 f");
      await mount.quiesce();
      expect(await mount.find("f")).toMatchObject({ uid: 1234, gid: 4321 });
    });

    when(traits.special)("FIFOs are kept", async () => {
      await inside("mkfifo p");
      await mount.quiesce();
      expect(await mount.find("p")).toMatchObject({ kind: "fifo" });
      expect(await inside("(echo through > p &) ; cat p")).toBe("through\n");
    });

    when(traits.bytes)("names are bytes", async () => {
      await inside(`printf x > "$(printf 'b\\377d\\303\\244')"`);
      await mount.quiesce();
      expect(await mount.find("b\udcffd\u00e4")).toMatchObject({ size: 1 });
      const { version } = await mount.apply({
        nodes: [{ id: 900, kind: "file", content: Buffer.from("y") }],
        names: [{ parent: 1, name: "out\udcfe", node: 900 }],
      });
      expect(version).toBeGreaterThan(0);
      expect(await inside(`cat "$(printf 'out\\376')"`)).toBe("y");
    });

    test("large contents pass whole, both ways", async () => {
      const bytes = randomBytes(5_000_001);
      const hash = createHash("sha256").update(bytes).digest("hex");
      await mount.apply({
        nodes: [{ id: 901, kind: "file", content: bytes }],
        names: [{ parent: 1, name: "large", node: 901 }],
      });
      expect(await inside("sha256sum < large")).toContain(hash);
      await inside("cp large copy && printf end >> copy");
      await mount.quiesce();
      const copy = await bytesOf((await mount.find("copy"))?.id as number);
      expect(copy.equals(Buffer.concat([bytes, Buffer.from("end")]))).toBe(true);
    });

    test("changes from outside are seen at once: made, replaced, moved, removed", async () => {
      const put = (id: number, text: string) => ({ id, kind: "file" as const, content: Buffer.from(text) });
      await mount.apply({
        nodes: [
          put(902, "one"),
          { id: 903, kind: "directory", mode: 0o750 },
          { id: 904, kind: "symlink", target: "d/f" },
        ],
        names: [
          { parent: 1, name: "d", node: 903 },
          { parent: 903, name: "f", node: 902 },
          { parent: 1, name: "l", node: 904 },
        ],
      });
      expect(await inside("cat l; ls; stat -c %a d")).toBe("oned\nl\n750\n");
      await mount.apply({ nodes: [put(902, "two, and longer")], names: [] });
      expect(await inside("cat d/f; stat -c %s l d/f")).toBe("two, and longer3\n15\n");
      await mount.apply({
        nodes: [],
        names: [
          { parent: 903, name: "f", node: null },
          { parent: 1, name: "g", node: 902 },
        ],
      });
      expect(await inside("ls d; cat g; ls")).toBe("two, and longerd\ng\nl\n");
      await mount.apply({
        nodes: [],
        names: [
          { parent: 1, name: "g", node: null },
          { parent: 1, name: "d", node: null },
        ],
      });
      expect(await inside("ls; cat g 2>&1 || true")).toBe("l\ncat: g: No such file or directory\n");
    });

    test("two names change places in one change set", async () => {
      await mount.apply({
        nodes: [
          { id: 905, kind: "file", content: Buffer.from("five") },
          { id: 906, kind: "file", content: Buffer.from("six") },
        ],
        names: [
          { parent: 1, name: "a", node: 905 },
          { parent: 1, name: "b", node: 906 },
        ],
      });
      expect(await inside("cat a b")).toBe("fivesix");
      await mount.apply({
        nodes: [],
        names: [
          { parent: 1, name: "a", node: 906 },
          { parent: 1, name: "b", node: 905 },
        ],
      });
      expect(await inside("cat a b")).toBe("sixfive");
    });

    test("the change log tells net changes, and nothing of what came from outside", async () => {
      await inside("echo kept > kept && mkdir dir");
      const start = await mount.quiesce();
      expect(await mount.changes(start)).toMatchObject({ complete: true, nodes: [], names: [], removed: [] });
      await inside(
        "echo new > new && echo short > short && rm short && mv kept dir/moved && touch dir/t && rm dir/t",
      );
      await mount.apply({
        nodes: [{ id: 907, kind: "file", content: Buffer.from("outside") }],
        names: [{ parent: 1, name: "outside", node: 907 }],
      });
      const end = await mount.quiesce();
      const changes = await mount.changes(start);
      expect(changes).toMatchObject({ from: start, to: end, complete: true, removed: [] });
      const moved = (await mount.find("dir/moved"))?.id;
      const dir = (await mount.find("dir"))?.id;
      const fresh = (await mount.find("new"))?.id;
      expect(new Set(changes.names.map((change) => JSON.stringify(change)))).toEqual(
        new Set(
          [
            { parent: 1, name: "new", node: fresh },
            { parent: 1, name: "kept", node: null },
            { parent: dir, name: "moved", node: moved },
          ].map((change) => JSON.stringify(change)),
        ),
      );
      expect(changes.nodes.find(({ id }) => id === fresh)).toMatchObject({ created: true });
      // Its change time may have moved, no more.
      for (const change of changes.nodes.filter(({ id }) => id === moved))
        expect(change).toMatchObject({ created: false, content: false });
      expect(changes.nodes.some(({ id }) => id === 907)).toBe(false);
      await inside("rm new outside");
      const last = await mount.quiesce();
      expect(await mount.changes(end)).toMatchObject({ to: last, removed: [fresh, 907] });
      expect(await mount.changes(last)).toMatchObject({ nodes: [], names: [] });
    });

    test("what changed inside since the base is left alone, and reported", async () => {
      await mount.apply({
        nodes: [{ id: 908, kind: "file", content: Buffer.from("base") }],
        names: [{ parent: 1, name: "both", node: 908 }],
      });
      const base = await mount.quiesce();
      await inside("printf inside >> both && printf mine > taken");
      await mount.quiesce();
      const { conflicts } = await mount.apply(
        {
          nodes: [
            { id: 908, kind: "file", content: Buffer.from("outside") },
            { id: 909, kind: "file", content: Buffer.from("theirs") },
            { id: 910, kind: "file", content: Buffer.from("free") },
          ],
          names: [
            { parent: 1, name: "taken", node: 909 },
            { parent: 1, name: "free", node: 910 },
          ],
        },
        { base },
      );
      expect(conflicts).toMatchObject([
        { about: "content", node: 908 },
        { about: "name", parent: 1, name: "taken", node: 909 },
      ]);
      expect(await inside("cat both taken free")).toBe("baseinsideminefree");
    });

    test("a directory that is not empty inside is not removed from outside", async () => {
      await mount.apply({
        nodes: [{ id: 911, kind: "directory" }],
        names: [{ parent: 1, name: "full", node: 911 }],
      });
      await inside("echo local > full/file");
      await mount.quiesce();
      const { conflicts } = await mount.apply({
        nodes: [],
        names: [{ parent: 1, name: "full", node: null }],
      });
      expect(conflicts).toMatchObject([{ about: "name", name: "full" }]);
      expect(await inside("cat full/file")).toBe("local\n");
    });

    test("nonsense in a change set is reported and does no harm", async () => {
      const { conflicts } = await mount.apply({
        nodes: [
          { id: 912, kind: "directory" },
          { id: 1, kind: "file", content: Buffer.from("x") },
        ],
        names: [
          { parent: 4242, name: "x", node: 912 },
          { parent: 1, name: "a/b", node: 912 },
          { parent: 1, name: "..", node: 912 },
          { parent: 1, name: "none", node: 4243 },
          { parent: 1, name: "d", node: 912 },
          { parent: 912, name: "self", node: 912 },
        ],
      });
      expect(conflicts.map(({ about, name, node }) => [about, name ?? node])).toEqual([
        ["content", 1],
        ["name", "x"],
        ["name", "a/b"],
        ["name", ".."],
        ["name", "none"],
        ["name", "self"],
      ]);
      expect(await inside("ls")).toBe("d\n");
    });

    test("the tree is there again after close and mount", async () => {
      await inside(
        "mkdir d && echo text > d/f && ln d/f d/g && chmod 600 d/f && ln -s f d/l && truncate -s 1M sparse",
      );
      const before = await inside("cd d && ls -1 && cat f && stat -c '%a %h %Y' f && readlink l");
      await mount.close();
      expect(await sh(`ls ${driver.name === "copy" ? "/nowhere" : path} 2>/dev/null || true`)).toBe("");
      mount = await open();
      expect(await inside("cd d && ls -1 && cat f && stat -c '%a %h %Y' f && readlink l")).toBe(before);
      expect(await inside("stat -c %s sparse && cmp -n 1048576 sparse /dev/zero && echo same")).toBe(
        "1048576\nsame\n",
      );
    });

    test("a store belongs to one mount at a time", async () => {
      const second = driver.mount({ path: join(folder, "other"), store: join(folder, "store") });
      await expect(second).rejects.toMatchObject({ code: "ERR_STORE_LOCKED" });
      expect(await inside("echo still > here && cat here")).toBe("still\n");
    });

    when(traits.limits)("beyond the limits writers are refused, and removing helps", async () => {
      await mount.close();
      mount = await driver.mount({
        path,
        store: join(folder, "limited"),
        limits: { bytes: 1_000_000, nodes: 20 },
      });
      const { code, err } = await run("dd", ["if=/dev/zero", "of=f", "bs=100k", "count=30", "conv=fsync"], {
        cwd: path,
      });
      expect([code, err]).toEqual([1, expect.stringMatching(/quota|No space|Input.output/i)]);
      expect(await inside("rm f && sync . && printf fits > g && cat g")).toBe("fits");
      await expect(inside("for i in $(seq 30); do : > n$i; done")).rejects.toThrow(/quota/i);
      expect(await inside("rm n1 && : > other && ls other")).toBe("other\n");
    });

    when(traits.stale)("what is held open and is replaced or removed outside says ESTALE", async () => {
      await inside("echo old > replaced; echo old > removed");
      await mount.quiesce();
      const node = await mount.find("replaced");
      const script =
        "exec 3<replaced 4<removed; touch ready; while [ -e ready ]; do sleep 0.02; done; cat <&3; cat <&4; cat replaced";
      const reader = run("sh", ["-c", script], { cwd: path });
      for (let tries = 0; tries < 200 && (await mount.find("ready")) === undefined; tries++)
        await new Promise((resolve) => setTimeout(resolve, 10));
      await mount.quiesce();
      await mount.apply({
        nodes: [{ id: node?.id as number, kind: "file", content: Buffer.from("new") }],
        names: [
          { parent: 1, name: "removed", node: null },
          { parent: 1, name: "ready", node: null },
        ],
      });
      const { out, err } = await reader;
      expect(out).toBe("new");
      expect(err.match(/Stale file handle/g)).toHaveLength(2);
    });
  });
}
