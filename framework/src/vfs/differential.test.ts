import * as disk from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testSeed } from "../../../.ci/lib/seed.ts";
import { FAULTS } from "../../test/differential/faults.ts";
import { isDirectory, Operations, type Step, steps } from "../../test/differential/operations.ts";
import { listing, onDisk, type Verbs } from "../../test/differential/trees.ts";
import { check } from "../check/index.ts";
import { TreeFileSystem } from "./file-system.ts";
import { openNodeSql } from "./sql/node.ts";
import { Tree } from "./tree.ts";

/*
 * Random sequences of operations on a real file system, through node:fs, and on a tree: the same answer or error from
 * each, and the same tree at the end. What is done otherwise on purpose is in the README, and in `operations.ts`.
 */

const RUNS = Number(process.env.RUNS ?? 80);
const DEPTH = 80;

let root: string;
beforeAll(async () => {
  process.umask(0);
  root = await disk.mkdtemp(join(tmpdir(), "differential-"));
});
afterAll(async () => {
  await disk.rm(root, { recursive: true, force: true });
});

let count = 0;

/** Runs a sequence on both; throws at the first difference. */
async function compare(
  sequence: readonly Step[],
  wrap: (fs: TreeFileSystem) => Verbs = (fs) => fs,
  covered = new Map<string, number>(),
): Promise<void> {
  const base = join(root, `t${count++}`);
  await disk.mkdir(base, { mode: 0o755 });
  const tree = new Tree(openNodeSql(), 2 ** 30);
  const real = new Operations(onDisk(base));
  const ours = new Operations(wrap(new TreeFileSystem(() => tree)));
  try {
    for (const step of sequence) {
      const expected = await real.run(step);
      const actual = await ours.run(step);
      const outcome = /^E[A-Z_]*/.exec(expected)?.[0] ?? "ok";
      const key = `${step.verb} ${outcome}`;
      covered.set(key, (covered.get(key) ?? 0) + 1);
      expect(actual, JSON.stringify(step)).toBe(expected);
      // What a copy that failed on the way has copied depends on the order in which a disk lists.
      if (step.verb === "cp" && outcome !== "ok" && (await isDirectory(real.fs, step.path))) return;
    }
    await real.closeAll();
    await ours.closeAll();
    expect(await listing(ours.fs)).toBe(await listing(real.fs));
    const report = await check(() => tree, { content: false });
    expect(report.problems).toEqual([]);
  } finally {
    await real.closeAll();
    await disk.rm(base, { recursive: true, force: true });
    tree.close();
  }
}

test("random operations do what they do on disk", { timeout: 300_000 }, async () => {
  const covered = new Map<string, number>();
  // One seed is always the same, so that what is asked of the mix below does not hang on chance.
  const seeds = [3, testSeed()];
  for (const seed of seeds) {
    await fc.assert(
      fc.asyncProperty(steps(DEPTH), async (sequence) => compare(sequence, undefined, covered)),
      { numRuns: RUNS, seed },
    );
  }
  const total = [...covered.values()].reduce((sum, times) => sum + times, 0);
  const byVerb = Object.groupBy([...covered.keys()].sort(), (key) => key.slice(0, key.indexOf(" ")));
  const mix = Object.entries(byVerb).map(([verb, keys]) => {
    const outcomes = (keys ?? []).map((key) => `${key.slice(verb.length + 1)} ${covered.get(key)}`);
    return `  ${verb}: ${outcomes.join(", ")}`;
  });
  console.log(
    `seeds ${seeds.join(", ")} (SEED=n sets the second): ${total} operations in ${seeds.length * RUNS} sequences of up to ${DEPTH}; outcomes by verb:\n${mix.join("\n")}`,
  );
  // The mix reaches every verb, and its failures.
  expect(Object.keys(byVerb).sort()).toEqual([...Operations.verbs].sort());
  for (const verb of Operations.verbs) expect(covered.get(`${verb} ok`), verb).toBeGreaterThan(0);
  const codes = new Set([...covered.keys()].map((key) => key.slice(key.indexOf(" ") + 1)));
  for (const code of [
    "EACCES",
    "EBADF",
    "EEXIST",
    "EINVAL",
    "EISDIR",
    "ELOOP",
    "ENAMETOOLONG",
    "ENOENT",
    "ENOTDIR",
    "ENOTEMPTY",
    "EPERM",
  ])
    expect([...codes], code).toContain(code);
});

describe("an injected fault is found", () => {
  test.for(Object.keys(FAULTS))("%s", { timeout: 300_000 }, async (name) => {
    const wrap = FAULTS[name] as (typeof FAULTS)[string];
    const result = await fc.check(
      fc.asyncProperty(steps(DEPTH), async (sequence) => compare(sequence, wrap)),
      { numRuns: RUNS * 4, seed: 1, endOnFailure: true },
    );
    expect(result.failed, `${name} went unnoticed in ${result.numRuns} sequences`).toBe(true);
  });
});
