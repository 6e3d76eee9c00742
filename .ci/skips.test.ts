import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "./lib/packages.ts";

let folder: string;
beforeAll(() => {
  // Below the root, so that vitest is found; in a folder that git ignores.
  mkdirSync(join(ROOT, ".computer"), { recursive: true });
  folder = mkdtempSync(join(ROOT, ".computer/skips-"));
  const reporter = JSON.stringify(join(ROOT, ".ci/skips.ts"));
  writeFileSync(
    join(folder, "vitest.config.ts"),
    `import { SkipReporter } from ${reporter};
     export default { test: { reporters: [new SkipReporter()] } };`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs vitest over one file of tests. */
function run(tests: string, ci = false) {
  const requires = JSON.stringify(join(ROOT, ".ci/lib/requires.ts"));
  const head = `import { expect, test } from "vitest"; import { requires } from ${requires};`;
  writeFileSync(join(folder, "some.test.ts"), `${head}\n${tests}\n`);
  const { CI, VITEST, VITEST_MODE, VITEST_WORKER_ID, VITEST_POOL_ID, ...env } = process.env;
  const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--root", folder];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    env: ci ? { ...env, CI: "true" } : env,
  });
  return { status, lines: stdout.trimEnd().split("\n") };
}

const LACKING = 'test("mounts", (context) => requires(context, "a moon", "too cloudy"));';

test("names every skipped test and why, and closes with the count", () => {
  const { status, lines } = run(`test("a", () => {}); test.skip("b", () => {}); ${LACKING}`);
  expect(lines).toContain("  some.test.ts > b: no reason given");
  expect(lines).toContain("  some.test.ts > mounts: this machine lacks a moon (too cloudy)");
  expect(lines.at(-1)).toBe("1 passed, 0 failed, 2 skipped");
  expect(status).toBe(0);
});

test("under CI what the machine lacks fails the run, any other skip does not", () => {
  expect(run(`test("a", () => {}); ${LACKING}`, true).status).toBe(1);
  expect(
    run('test("a", () => {}); test("b", (context) => context.skip("of no use here"));', true).status,
  ).toBe(0);
});

test("failures are counted, a file that does not load too", () => {
  const failing = run('test("a", () => {}); test("b", () => expect(1).toBe(2));');
  expect(failing).toMatchObject({ status: 1 });
  expect(failing.lines.at(-1)).toBe("1 passed, 1 failed, 0 skipped");
  const broken = run('throw new Error("no");');
  expect(broken).toMatchObject({ status: 1 });
  expect(broken.lines.at(-1)).toBe("0 passed, 1 failed, 0 skipped");
});
