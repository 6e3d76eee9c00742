/**
 * `npm run bench -- codegen`: how long it takes to generate the quickstart: as a command from cold, in a
 * process the first time, and in a warm one after a change to the agent and after none.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const RUNS = 7;
const WARM_RUNS = 30;
const ROOT = path.join(import.meta.dirname, "../../..");
const BIN = path.join(ROOT, "codegen/bin/computer.mjs");
// What users run, so the built package, not its sources.
const { Generator } = (await import(
  path.join(ROOT, "codegen/dist/index.js")
)) as typeof import("../../src/index.ts");

const dir = realpathSync(mkdtempSync(path.join(tmpdir(), "codegen-bench-")));
const agent = path.join(dir, "src/reader.ts");
try {
  symlinkSync(path.join(ROOT, "node_modules"), path.join(dir, "node_modules"));
  for (const name of ["src", "tsconfig.json", "package.json"]) {
    cpSync(path.join(ROOT, "examples/quickstart", name), path.join(dir, name), { recursive: true });
  }
  const source = readFileSync(agent, "utf8");
  const results: Record<"cold" | "first" | "unchanged" | "changed", number[]> = {
    cold: [],
    first: [],
    unchanged: [],
    changed: [],
  };
  for (let run = 0; run < RUNS; run++) {
    rmSync(path.join(dir, "generated"), { recursive: true, force: true });
    results.cold.push(
      await measure(() => {
        const { status, stderr } = spawnSync(process.execPath, [BIN, "codegen", "--project", dir]);
        if (status !== 0) throw new Error(String(stderr));
      }),
    );
    rmSync(path.join(dir, "generated"), { recursive: true, force: true });
    results.first.push(await measure(() => good(new Generator(dir))));
  }
  const generator = new Generator(dir);
  await good(generator);
  for (let run = 0; run < WARM_RUNS; run++) {
    results.unchanged.push(await measure(() => good(generator)));
    writeFileSync(agent, source.replace("Puts a text", `Puts text number ${run}`));
    results.changed.push(await measure(() => good(generator)));
  }
  const ours = {
    cold_command_ms: median(results.cold),
    first_in_process_ms: median(results.first),
    warm_unchanged_ms: median(results.unchanged),
    warm_changed_ms: median(results.changed),
  };
  console.table(ours);
  console.log(JSON.stringify({ suite: "codegen", runs: RUNS, results: { ours } }));
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function good(generator: InstanceType<typeof Generator>): Promise<void> {
  const { diagnostics } = await generator.generate();
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
}

async function measure(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) * 10) / 10;
}
