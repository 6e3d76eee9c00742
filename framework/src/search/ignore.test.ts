import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Workspace } from "../workspace/workspace.ts";

const name = fc.constantFrom("a", "b", "c.log", "d.log", "build", ".env", "x y");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const rule = fc
  .tuple(
    fc.constantFrom("", "", "", "!"),
    fc.constantFrom("", "", "/", "**/", "a/"),
    fc.constantFrom(
      "*",
      "a",
      "b",
      "*.log",
      "build",
      "[ab]",
      "?",
      "c.*",
      "a/**",
      "**/b",
      "a/*/b",
      ".*",
      "x\\ y",
      "*\\ y",
      "#a",
    ),
    fc.constantFrom("", "", "/", "/**", " "),
  )
  .map((parts) => parts.join(""));
const rules = fc.array(rule, { maxLength: 4 }).map((lines) => lines.join("\n"));

test("leaves out what git leaves out", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "ignore-"));
  let ignored = 0;
  try {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { minLength: 1, maxLength: 10 }),
        rules,
        rules,
        async (paths, outer, inner) => {
          const root = join(folder, String(run++));
          mkdirSync(root);
          await using workspace = await Workspace.memory();
          const files = [...paths.map((file) => [file, "x"]), [".gitignore", outer], ["a/.gitignore", inner]];
          let kept = 0;
          for (const [file = "", text = ""] of files) {
            try {
              mkdirSync(join(root, dirname(file)), { recursive: true });
              writeFileSync(join(root, file), text);
            } catch {
              continue;
            }
            await workspace.fs.mkdir(`/${dirname(file)}`, { recursive: true });
            await workspace.fs.writeFile(`/${file}`, text);
            kept += 1;
          }
          execFileSync("git", ["init", "-q"], { cwd: root });
          const git = ["-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-standard"];
          const theirs = execFileSync("git", git, { cwd: root, encoding: "utf8" })
            .split("\0")
            .filter(Boolean);
          const { entries } = await workspace.fs.find({ type: "file", gitignore: true });
          expect(entries.map((entry) => entry.path.slice(1))).toEqual(theirs.sort());
          ignored += kept - theirs.length;
        },
      ),
      { numRuns: 100 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(ignored).toBeGreaterThan(20);
});

test("heeds the rules above the place that is searched, and leaves out .git", async () => {
  const { fs } = await Workspace.memory();
  await fs.mkdir("/repo/src", { recursive: true });
  await fs.mkdir("/repo/.git");
  await fs.writeFile("/repo/.gitignore", "*.log\n/src/gen\n");
  for (const file of ["src/a.ts", "src/b.log", "src/gen", ".git/HEAD"])
    await fs.writeFile(`/repo/${file}`, "x");
  const found = async (path: string) =>
    (await fs.find({ path, gitignore: true, type: "file" })).entries.map((entry) => entry.path);
  expect(await found("/repo/src")).toEqual(["/repo/src/a.ts"]);
  expect(await found("/repo")).toEqual(["/repo/.gitignore", "/repo/src/a.ts"]);
});

test("says when rules were too many to be heeded", async () => {
  const { fs } = await Workspace.memory();
  await fs.writeFile("/.gitignore", "a\n".repeat(6000));
  expect((await fs.find({ gitignore: true })).limits).toEqual(["gitignore"]);
});
