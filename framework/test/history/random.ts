import fc from "fast-check";
import { testSeed } from "../../../.ci/lib/seed.ts";
import type { FileSystem } from "../../src/index.ts";

/** Something a random test does to files, by numbers that choose. */
export interface Step {
  readonly verb: Verb;
  readonly path: string;
  readonly other: string;
  readonly content: number;
  /** Who does it. */
  readonly actor: number;
}

const SIZES = [0, 5, 3000, 40_000, 300_000, 600_000];

export function bytes(content: number): Uint8Array {
  const size = SIZES[content % SIZES.length] ?? 0;
  const made = new Uint8Array(size);
  for (let i = 0; i < size; i++) made[i] = (content * 31 + i * 7 + (i >> 8)) & 0xff;
  return made;
}

const VERBS = {
  write: (fs, { path, content }) => fs.writeFile(path, bytes(content)),
  append: (fs, { path, content }) => fs.appendFile(path, bytes(content % 3)),
  truncate: (fs, { path, content }) => fs.truncate(path, [0, 3, 2000, 35_000, 280_000][content % 5]),
  mkdir: (fs, { path }) => fs.mkdir(path),
  mkdirs: (fs, { path }) => fs.mkdir(path, { recursive: true }),
  remove: (fs, { path }) => fs.rm(path, { recursive: true }),
  unlink: (fs, { path }) => fs.rm(path),
  rename: (fs, { path, other }) => fs.rename(path, other),
  replace: async (fs, { path, content }) => {
    // As editors save.
    await fs.writeFile(`${path}~`, bytes(content));
    await fs.rename(`${path}~`, path);
  },
  copy: (fs, { path, other }) => fs.copyFile(path, other),
  link: (fs, { path, other }) => fs.link(path, other),
  symlink: (fs, { path, other }) => fs.symlink(other, path),
  chmod: (fs, { path, content }) => fs.chmod(path, content % 2 ? 0o700 : 0o640),
  utimes: (fs, { path, content }) => fs.utimes(path, content * 1000, content * 1000),
} satisfies Record<string, (fs: FileSystem, step: Step) => Promise<unknown>>;

export type Verb = keyof typeof VERBS;

/** What has been tried, and how it went: to be printed, so that a test that tries nothing shows. */
export const covered = new Map<string, number>();

/** Does a step. One that cannot be done is as good as none. */
export async function apply(fs: FileSystem, step: Step): Promise<void> {
  let outcome = "ok";
  try {
    await VERBS[step.verb](fs, step);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined || !/^E[A-Z]+$/.test(code) || code.startsWith("ERR_")) {
      if (code !== "ERR_FS_EISDIR") throw error;
    }
    outcome = code;
  }
  const key = `${step.verb} ${outcome}`;
  covered.set(key, (covered.get(key) ?? 0) + 1);
}

/** Random steps of some actors, on few names so that they meet. */
export function steps(
  actors: number,
  options: { without?: readonly Verb[]; below?: string; max?: number } = {},
) {
  const { without = [], below = "", max = 40 } = options;
  const verbs = (Object.keys(VERBS) as Verb[]).filter((verb) => !without.includes(verb));
  const segments = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3, size: "max" });
  const path = segments.map((parts) => `${below}/${parts.join("/")}`);
  const step: fc.Arbitrary<Step> = fc.record({
    // Making comes more often than removing, so that there is something.
    verb: fc.constantFrom(...verbs, ...(["write", "mkdirs", "write", "rename"] satisfies Verb[])),
    path,
    other: path,
    content: fc.nat(29),
    actor: fc.nat(actors - 1),
  });
  return fc.array(step, { minLength: 5, maxLength: max, size: "max" });
}

/** How a random test is run: its seed is printed, and may be given. */
export function parameters(
  name: string,
  runs: number,
): { seed: number; numRuns: number; endOnFailure: boolean } {
  const seed = testSeed();
  const numRuns = Math.ceil(runs * Number(process.env.RUNS_FACTOR ?? 1));
  console.log(`${name}: SEED=${seed}, ${numRuns} runs`);
  return { seed, numRuns, endOnFailure: process.env.NO_SHRINK !== undefined };
}
