import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Workspace } from "../workspace/workspace.ts";
import type { GrepMatch, GrepOptions } from "./types.ts";

const name = fc.constantFrom("a", "b", "a.ts", "a!", "a-b", "x y", ".h");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const word = fc.constantFrom("foo", "bar", "Foo", "import x", "é", "", " ", "a.b", "x".repeat(700));
const text = fc
  .tuple(
    fc.array(
      fc.array(word, { maxLength: 3 }).map((words) => words.join(" ")),
      { maxLength: 30 },
    ),
    fc.boolean(),
  )
  .map(([lines, closed]) => lines.join("\n") + (closed && lines.length > 0 ? "\n" : ""));
/** In the syntax that RE2 and `grep -E` share. */
const pattern = fc.constantFrom(
  "foo",
  "fo+",
  "^$",
  "^foo",
  "bar$",
  "foo.*bar",
  "(foo|bar) ",
  "[A-Z]oo",
  "a.b",
  "a\\.b",
  "x{3}",
  "é",
  "^import",
  "o b",
);

describe("grep", () => {
  test("finds what grep -rn finds on a real disk; pages put together are the whole", {
    timeout: 60_000,
  }, async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(path, text), { minLength: 1, maxLength: 8 }),
        pattern,
        fc.record({ ignoreCase: fc.boolean(), fixed: fc.boolean(), limit: fc.integer({ min: 1, max: 40 }) }),
        async (files, sought, options) => {
          const folder = mkdtempSync(join(tmpdir(), "grep-"));
          await using workspace = await Workspace.memory();
          for (const [file, content] of files) {
            try {
              mkdirSync(join(folder, dirname(file)), { recursive: true });
              writeFileSync(join(folder, file), content);
            } catch {
              continue;
            }
            await workspace.fs.mkdir(`/${dirname(file)}`, { recursive: true });
            await workspace.fs.writeFile(`/${file}`, content);
          }
          const flags = `-rnZ${options.fixed ? "F" : "E"}${options.ignoreCase ? "i" : ""}`;
          const env = { ...process.env, LC_ALL: "C.UTF-8" };
          const { stdout } = spawnSync("grep", [flags, "--", sought, "."], {
            cwd: folder,
            env,
            encoding: "utf8",
          });
          rmSync(folder, { recursive: true });
          const theirs = stdout
            .split("\n")
            .filter(Boolean)
            .map((line) => {
              const [, file = "", number = ""] = /^\.(.*)\0(\d+):/.exec(line) ?? [];
              return `${file}:${number}`;
            });
          const ours = await pages(workspace, sought, options);
          expect(ours.map(({ path, line }) => `${path}:${line}`).sort()).toEqual(theirs.sort());
          const order = ours.map(({ path }) => path);
          expect(order).toEqual(order.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
          found += ours.length;
        },
      ),
      { numRuns: 100 },
    );
    expect(found).toBeGreaterThan(80);
  });

  test("tells where the match is, and shows the lines around it", async () => {
    const { fs } = await Workspace.memory();
    await fs.writeFile("/a", "one\ntwo\nthree four\nfive\nsix");
    expect((await fs.grep("f[ou]+r", { before: 1, after: 5 })).matches).toEqual([
      {
        path: "/a",
        line: 3,
        column: 7,
        length: 4,
        text: "three four",
        offset: 0,
        before: ["two"],
        after: ["five", "six"],
      },
    ]);
  });

  test("shows lines around a match across the parts that a large file is read in", async () => {
    const { fs } = await Workspace.memory();
    const lines = Array.from({ length: 60_000 }, (_, i) => `line number ${i}`);
    await fs.writeFile("/big", lines.join("\n"));
    for (const sought of ["number 12345$", "number 1234[5]$", "NUMBER 12345"]) {
      const options = { context: 20, ignoreCase: sought.startsWith("N") };
      const [match] = (await fs.grep(sought, options)).matches;
      expect(match?.before).toEqual(lines.slice(12_325, 12_345));
      expect(match?.after).toEqual(lines.slice(12_346, 12_366));
    }
    // Every line, so also those at the edges of what is read at a time.
    const all = await pages(undefined, "number", { context: 2, limit: 10_000 }, fs);
    expect(all.length).toBe(60_000);
    const wrong = all.filter(({ line, before, after }) => {
      const at = line - 1;
      return (
        before?.join() !== lines.slice(Math.max(0, at - 2), at).join() ||
        after?.join() !== lines.slice(at + 1, at + 3).join()
      );
    });
    expect(wrong).toEqual([]);
  });

  test("skips binary files and counts them", async () => {
    const { fs } = await Workspace.memory();
    await fs.writeFile("/text", "needle");
    await fs.writeFile("/small", "needle\0");
    await fs.writeFile("/large", `${"x".repeat(5000)}\0${"needle\n".repeat(10_000)}`);
    for (const sought of ["needle", "ne+dle"]) {
      const { matches, files, binary } = await fs.grep(sought);
      expect([matches.map(({ path }) => path), files, binary]).toEqual([["/text"], 1, 2]);
    }
  });

  test("bounds matches of a file, and says so", async () => {
    const { fs } = await Workspace.memory();
    await fs.writeFile("/a", "x\n".repeat(10));
    await fs.writeFile("/b", "x\n");
    const { matches, limits, cursor } = await fs.grep("x", { limitPerFile: 3 });
    expect([matches.length, limits, cursor]).toEqual([4, ["perFile"], undefined]);
    expect((await pages(undefined, "x", { limitPerFile: 3, limit: 2 }, fs)).length).toBe(4);
  });

  test("chooses files by globs and links, as asked", async () => {
    const { fs } = await Workspace.memory();
    await fs.mkdir("/src/lib", { recursive: true });
    for (const file of ["/src/a.ts", "/src/a.js", "/src/lib/b.ts", "/top.ts"]) await fs.writeFile(file, "x");
    await fs.symlink("../top.ts", "/src/link.ts");
    await fs.symlink("/src", "/src/lib/loop");
    const found = async (options: GrepOptions) =>
      (await fs.grep("x", options)).matches.map(({ path }) => path);
    expect(await found({ include: "*.ts" })).toEqual(["/src/a.ts", "/src/lib/b.ts", "/top.ts"]);
    expect(await found({ path: "/src", include: "lib/**" })).toEqual(["/src/lib/b.ts"]);
    expect(await found({ exclude: ["lib", "*.js"] })).toEqual(["/src/a.ts", "/top.ts"]);
    expect(await found({ path: "/src/a.js" })).toEqual(["/src/a.js"]);
    expect(await found({ path: "/src", followSymlinks: true, exclude: "*.js" })).toEqual([
      "/src/a.ts",
      "/src/lib/b.ts",
      "/src/link.ts",
    ]);
  });

  test("goes on where it stopped after the tree has changed", async () => {
    const { fs } = await Workspace.memory();
    for (const file of ["/a", "/c", "/e"]) await fs.writeFile(file, "x\nx\nx\n");
    const first = await fs.grep("x", { limit: 4 });
    await fs.rm("/a");
    await fs.writeFile("/b", "x\n");
    await fs.writeFile("/c", "y\nx\nx\nx\n");
    await fs.writeFile("/d", "x\n");
    const second = await fs.grep("x", { limit: 100, cursor: first.cursor as string });
    // Of the file that it stopped in, what stands from that line on.
    expect(second.matches.map(({ path, line }) => `${path}:${line}`)).toEqual([
      "/c:2",
      "/c:3",
      "/c:4",
      "/d:1",
      "/e:1",
      "/e:2",
      "/e:3",
    ]);
  });

  test("ends when it is aborted, or the workspace is closed", async () => {
    const workspace = await Workspace.memory();
    await workspace.fs.writeFile("/a", "x".repeat(5_000_000));
    const controller = new AbortController();
    const aborted = workspace.fs.grep("x+y", { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    const closed = workspace.fs.grep("x+y");
    await workspace.close();
    await expect(closed).rejects.toMatchObject({ code: "ERR_WORKSPACE_CLOSED" });
  });

  test.each([
    ["(", {}],
    ["a(?=b)", {}],
    ["(a)\\1", {}],
    ["a\nb", {}],
    ["x".repeat(5000), {}],
    ["(\\w{500}){500}", {}],
    ["x", { limit: 0 }],
    ["x", { context: 21 }],
    ["x", { cursor: "nonsense" }],
    ["x", { include: "../x" }],
  ])("refuses %j %j", async (sought, options) => {
    const { fs } = await Workspace.memory();
    await expect(fs.grep(sought, options)).rejects.toMatchObject({ code: "ERR_BAD_ARGUMENT" });
  });
});

async function pages(
  workspace: Workspace | undefined,
  sought: string,
  options: GrepOptions,
  fs = (workspace as Workspace).fs,
): Promise<GrepMatch[]> {
  const all: GrepMatch[] = [];
  let cursor: string | undefined;
  do {
    const page = await fs.grep(sought, { ...options, ...(cursor !== undefined && { cursor }) });
    all.push(...page.matches);
    cursor = page.cursor;
    if (cursor !== undefined) expect(page.matches.length).toBeGreaterThan(0);
  } while (cursor !== undefined);
  return all;
}
