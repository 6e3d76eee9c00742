import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { glob as nodeGlob } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Workspace } from "../workspace/workspace.ts";

const name = fc.constantFrom("a", "b", "ab", "a.ts", "b.ts", ".h", ".h.ts", "A", "a!", "a-b", "[x]");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const segment = fc.oneof(
  { weight: 1, arbitrary: name.filter((one) => !/[[\]!]/.test(one)) },
  fc.constantFrom(
    "*",
    "**",
    "?",
    "*.ts",
    "a*",
    "*b",
    "[ab]",
    "[!a]*",
    "[a-c]?*",
    ".*",
    "{a,b}",
    "{a,b}*",
    "?(a)b",
    "@(a|b).ts",
  ),
);
const pattern = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("/"))
  // Of a file, Node says that `a/**` finds it, and `*/**` does not.
  .filter((glob) => !/[^*?\]/](\/\*\*)+$/.test(glob))
  // Node then finds what is in hidden directories too, but only where these match the same segment.
  .filter((glob) => !/\*\*\/(.*\/)?\./.test(glob));

/** The same files on disk and in a workspace. */
async function twins(paths: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "glob-"));
  const workspace = await Workspace.memory();
  for (const file of paths) {
    // What is a file already cannot be a folder.
    try {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), "");
    } catch {
      continue;
    }
    await workspace.fs.mkdir(`/${dirname(file)}`, { recursive: true });
    await workspace.fs.writeFile(`/${file}`, "");
  }
  return { folder, workspace };
}

describe("glob", () => {
  test("finds what Node's glob finds on a real disk, in order", async () => {
    let matched = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { minLength: 6, maxLength: 16 }),
        fc.array(pattern, { minLength: 4, maxLength: 8 }),
        async (paths, patterns) => {
          const { folder, workspace } = await twins(paths);
          try {
            for (const one of patterns) {
              const theirs = (await Array.fromAsync(nodeGlob(one, { cwd: folder }))).sort(byBytes);
              const ours = await Array.fromAsync(workspace.fs.glob(one));
              expect({ one, found: ours }).toEqual({ one, found: theirs });
              matched += ours.length;
            }
          } finally {
            rmSync(folder, { recursive: true });
            await workspace.close();
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(matched).toBeGreaterThan(200);
  });

  test("goes through a link that the pattern names, and through no other", async () => {
    const { folder, workspace } = await twins(["out/o.ts", "a/x.ts"]);
    symlinkSync("../out", join(folder, "a/link"));
    await workspace.fs.symlink("../out", "/a/link");
    await workspace.fs.symlink(".", "/a/self");
    for (const one of ["a/link/*", "*/link/*.ts", "a/*/o.ts", "**/*.ts", "*/*/*.ts"]) {
      const theirs = (await Array.fromAsync(nodeGlob(one, { cwd: folder }))).sort(byBytes);
      expect(await Array.fromAsync(workspace.fs.glob(one))).toEqual(theirs);
    }
    const followed = await Array.fromAsync(workspace.fs.glob("a/**/*.ts", { followSymlinks: true }));
    expect(followed).toEqual(["a/link/o.ts", "a/x.ts"]);
    rmSync(folder, { recursive: true });
  });

  test("takes a directory to be relative to, absolute patterns, exclusions and file types", async () => {
    const { folder, workspace } = await twins(["src/a.ts", "src/b.ts", "src/gen/c.ts", "d.ts"]);
    rmSync(folder, { recursive: true });
    const { fs } = workspace;
    expect(await Array.fromAsync(fs.glob("**/*.ts", { cwd: "/src" }))).toEqual(["a.ts", "b.ts", "gen/c.ts"]);
    expect(await Array.fromAsync(fs.glob(["/src/*.ts", "*.ts"]))).toEqual(["d.ts", "/src/a.ts", "/src/b.ts"]);
    expect(await Array.fromAsync(fs.glob("**/*.ts", { exclude: ["src/gen"] }))).toEqual([
      "d.ts",
      "src/a.ts",
      "src/b.ts",
    ]);
    const asked: string[] = [];
    const exclude = (path: string) => asked.push(path) > 0 && path === "src";
    expect(await Array.fromAsync(fs.glob("**/*.ts", { exclude }))).toEqual(["d.ts"]);
    expect(asked).not.toContain("src/a.ts");
    const [entry] = await Array.fromAsync(fs.glob("src/gen/*", { withFileTypes: true }));
    expect([entry?.name, entry?.parentPath, entry?.isFile()]).toEqual(["c.ts", "/src/gen", true]);
  });

  test("refuses what it cannot match", async () => {
    const { fs } = await Workspace.memory();
    const code = (pattern: string) => Array.fromAsync(fs.glob(pattern)).catch(({ code }) => code);
    expect(await code("a/../b")).toBe("ERR_BAD_ARGUMENT");
    expect(await code("{1..2000}")).toBe("ERR_BAD_ARGUMENT");
    expect(await code("{a,b}".repeat(20))).toBe("ERR_BAD_ARGUMENT");
    expect(await code("x".repeat(5000))).toBe("ERR_BAD_ARGUMENT");
    expect(await code("a\0b")).toBe("ERR_BAD_ARGUMENT");
  });
});

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
