import { describe, expect, test } from "vitest";
import { TreeFileSystem } from "../vfs/file-system.ts";
import { openNodeSql } from "../vfs/sql/node.ts";
import { Tree } from "../vfs/tree.ts";
import { find } from "./find.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { STEP_WORK } from "./steps.ts";

/** A tree, and a count of the steps that searching it takes. */
function open() {
  const tree = new Tree(openNodeSql(), 2 ** 30);
  const fs = new TreeFileSystem(() => tree);
  const steps = { count: 0, largest: 0 };
  const observer = {
    step(work: number) {
      steps.count += 1;
      steps.largest = Math.max(steps.largest, work);
    },
  };
  return { fs, steps, observer, get: () => tree };
}

/** One unit of work may begin just before a step is full: how much of a step it may be. */
const SLACK = 2;

describe("what explodes in engines that backtrack", () => {
  test.each([
    "(x+x+)+y",
    "(x*)*y",
    "(x|x)*y",
    "(a?){300}a{300}",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)=",
    "(a|b|x)*x.{16}y",
  ])("the pattern %s takes steps in proportion to the file", async (pattern) => {
    const { fs, steps, observer, get } = open();
    await fs.writeFile("/small", `${"x".repeat(20_000)}\n`);
    await fs.writeFile("/large", `${"x".repeat(80_000)}\n`);
    expect((await grep(get, pattern, { path: "/small" }, observer)).matches).toEqual([]);
    const small = steps.count;
    steps.count = 0;
    expect((await grep(get, pattern, { path: "/large" }, observer)).matches).toEqual([]);
    expect(steps.count).toBeLessThanOrEqual(4 * small + 6);
    expect(steps.largest).toBeLessThan(SLACK * STEP_WORK);
  });

  test.each(["*a*a*a*a*a*a*a*a*a*b", "+(a|aa)+(a|aa)+(a|aa)b", "!(a)!(a)!(a)b", "?*?*?*?*?*?*?*?*b"])(
    "the glob %s",
    async (pattern) => {
      const { fs, steps, observer, get } = open();
      for (let i = 0; i < 20; i++) await fs.writeFile(`/${"a".repeat(235 + i)}`, "");
      expect(await Array.fromAsync(glob(get, pattern, {}, observer))).toEqual([]);
      expect(steps.count).toBeLessThan(5);
    },
  );

  test("a glob that nests repetitions is refused when it takes too much", async () => {
    const { fs, get } = open();
    await fs.writeFile(`/${"a".repeat(255)}`, "");
    const pattern = `${"+(".repeat(7)}!(b)${")".repeat(7)}c`;
    const result = await Array.fromAsync(glob(get, pattern)).catch(({ code }) => code);
    expect([[], "ERR_BAD_ARGUMENT"]).toContainEqual(result);
  });

  test("a .gitignore full of stars", async () => {
    const { fs, steps, observer, get } = open();
    await fs.writeFile("/.gitignore", `${"*a".repeat(60)}b\n`.repeat(100));
    for (let i = 0; i < 20; i++) await fs.writeFile(`/${"a".repeat(200 + i)}`, "");
    expect((await find(get, { gitignore: true }, observer)).entries.length).toBe(21);
    expect(steps.count).toBeLessThan(50);
  });
});

describe("a line of 100 MB", () => {
  test("is searched in bounded steps, and shown in part", { timeout: 120_000 }, async () => {
    const { fs, steps, observer, get } = open();
    const writer = fs.createWriteStream("/line").getWriter();
    const part = new TextEncoder().encode("x".repeat(1024 * 1024));
    for (let i = 0; i < 100; i++) await writer.write(part);
    await writer.write(new TextEncoder().encode("needle in it\nand behind"));
    await writer.close();
    for (const [pattern, column] of [
      ["ne{2}dle", 104_857_601],
      ["needle", 104_857_601],
      ["^x+ne", 1],
    ] as const) {
      Object.assign(steps, { count: 0, largest: 0 });
      const { matches, limits } = await grep(get, pattern, { maxLineLength: 60 }, observer);
      expect(matches.map((match) => [match.line, match.column])).toEqual([[1, column]]);
      expect(matches[0]?.text).toContain("needle");
      expect(matches[0]?.text.length).toBeLessThanOrEqual(60);
      expect(limits).toEqual(["lineLength"]);
      expect(steps.count).toBeGreaterThan(20);
      expect(steps.largest).toBeLessThan(SLACK * STEP_WORK);
    }
    expect((await grep(get, "behind")).matches.map(({ line }) => line)).toEqual([2]);
  });
});

describe("10,000 levels of nesting", () => {
  test("are walked by node; paths that no verb takes are shown as they are", {
    timeout: 60_000,
  }, async () => {
    const { fs, steps, observer, get } = open();
    // A path leads some 2,000 levels down: the tree is put together from below.
    const level = "/d".repeat(1000);
    await fs.mkdir(level, { recursive: true });
    await fs.writeFile(`${level}/file`, "needle");
    for (let i = 1; i < 10; i++) {
      await fs.rename("/d", "/top");
      await fs.mkdir(level, { recursive: true });
      await fs.rename("/top", `${level}/d`);
    }
    expect((await grep(get, "needle", {}, observer)).matches.map((match) => match.path.length)).toEqual([
      20_005,
    ]);
    const found = await find(get, { include: "file" }, observer);
    expect(found.entries.map((entry) => entry.path)).toEqual([`${"/d".repeat(10_000)}/file`]);
    expect(await Array.fromAsync(glob(get, "**/file", {}, observer))).toEqual([`${"d/".repeat(10_000)}file`]);
    // All of them: the answer's size is bounded, and the cursor leads on.
    let pages = 0;
    let entries = 0;
    for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages++) {
      const page = await find(get, { limit: 10_000, ...(cursor !== undefined && { cursor }) }, observer);
      entries += page.entries.length;
      cursor = page.cursor;
      if (cursor !== undefined) expect(page.limits).toEqual(["size"]);
      if (pages === 2) break;
    }
    expect(entries).toBeGreaterThan(1000);
    expect(steps.largest).toBeLessThan(SLACK * STEP_WORK);
  });
});

describe("a storm of symbolic links", () => {
  test("is not followed by default; followed, it is cut where it loops or is too much", {
    timeout: 60_000,
  }, async () => {
    const { fs, steps, observer, get } = open();
    for (let i = 0; i < 10; i++) {
      await fs.mkdir(`/d${i}`);
      await fs.writeFile(`/d${i}/file`, "needle");
    }
    for (let i = 0; i < 10; i++) for (let j = 0; j < 10; j++) await fs.symlink(`/d${j}`, `/d${i}/l${j}`);
    await fs.symlink("/", "/d0/root");
    await fs.symlink("loop", "/loop");
    expect((await grep(get, "needle")).matches.length).toBe(10);
    expect((await find(get)).entries.length).toBe(10 + 10 + 100 + 2);
    expect((await Array.fromAsync(glob(get, "**/file"))).length).toBe(10);
    // Ten factorial ways: the answer ends, says why, and how to go on.
    const followed = await find(get, { followSymlinks: true, include: "none" }, observer);
    expect([followed.entries, followed.limits]).toEqual([[], ["work"]]);
    expect(followed.cursor).toBeDefined();
    const page = await grep(get, "needle", { followSymlinks: true, limit: 50 }, observer);
    expect([page.matches.length, page.limits]).toEqual([50, ["results"]]);
    expect(steps.largest).toBeLessThan(SLACK * STEP_WORK);
  });
});
