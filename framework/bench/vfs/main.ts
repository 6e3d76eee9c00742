/**
 * `npm run bench -- vfs`: the files of a workspace inside a Durable Object on workerd, beside the peer's.
 * Both do the same operations in one run, taking turns; figures are medians over the rounds.
 *
 *     BENCH_ROUNDS=5 BENCH_FILES=2000 npm run bench -- vfs
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWorkerd, type Workerd } from "../../test/workerd/workerd.ts";
import { OPERATIONS } from "./operations.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const FILES = Number(process.env.BENCH_FILES ?? 2000);
const PEER = { "@cloudflare/computer": "0.8.0", "just-bash": "3.4.2" };

type Rates = Record<string, number>;

const folder = await mkdtemp(join(tmpdir(), "bench-vfs-"));
const workers = new Map<string, Workerd>();
try {
  workers.set("ours", await start("ours"));
  if (await installPeer()) workers.set("peer", await start("peer"));

  const rounds = new Map<string, Rates[]>([...workers.keys()].map((side) => [side, []]));
  for (let round = 0; round < ROUNDS; round++) {
    const sides = round % 2 === 0 ? [...workers] : [...workers].reverse();
    for (const [side, worker] of sides) {
      const rates = await measure(worker, `round-${round}`);
      rounds.get(side)?.push(rates);
      console.log(
        `${side} ${round + 1}/${ROUNDS}: ${Object.entries(rates)
          .map(([name, rate]) => `${name} ${rate}`)
          .join(", ")}`,
      );
    }
  }
  for (const [side, worker] of workers) await printRows(side, worker);
  console.log(
    "ours: a create writes 4 rows: entry, node, content, and the folder, whose times move. An overwrite writes 2: node " +
      "and content. Nothing else is indexed, counted or logged per change. 256 KiB of a large file are 4 rows and an index entry.",
  );
  const results = Object.fromEntries([...rounds].map(([side, all]) => [side, medians(all)]));
  console.log(JSON.stringify({ suite: "vfs", runs: ROUNDS, results }));
} finally {
  for (const worker of workers.values()) await worker.dispose();
  await rm(folder, { recursive: true, force: true });
}

function start(side: "ours" | "peer"): Promise<Workerd> {
  return startWorkerd({
    entry: new URL(`./${side}.ts`, import.meta.url).pathname,
    objects: ["BenchObject"],
    flags: ["experimental"],
    nodePaths: [join(folder, "node_modules")],
  });
}

async function installPeer(): Promise<boolean> {
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: PEER }));
  const { status, stderr } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) console.log(`without the peer, which could not be installed: ${stderr.trim()}`);
  return status === 0;
}

async function measure(worker: Workerd, id: string): Promise<Rates> {
  const rates: Rates = {};
  await call(worker, "prepare", id);
  for (const [name, { count }] of Object.entries(OPERATIONS)) {
    const start = performance.now();
    await call(worker, name, id);
    rates[name] = Math.round(count(FILES) / ((performance.now() - start) / 1000));
  }
  return rates;
}

/** Rows read and written per operation, which are billed. Not part of the measured rounds. */
async function printRows(side: string, worker: Workerd): Promise<void> {
  await call(worker, "prepare", "rows", "&rows");
  for (const [name, { count }] of Object.entries(OPERATIONS)) {
    const { read, written } = await call(worker, name, "rows", "&rows");
    const per = (rows: number) => (rows / count(FILES)).toFixed(2);
    console.log(`${side} rows per operation, ${name}: ${per(read)} read, ${per(written)} written`);
  }
}

async function call(
  worker: Workerd,
  name: string,
  id: string,
  more = "",
): Promise<{ read: number; written: number }> {
  const response = await worker.fetch(`/${name}?id=${id}&n=${FILES}${more}`);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { read: number; written: number };
}

function medians(all: readonly Rates[]): Rates {
  return Object.fromEntries(
    Object.keys(OPERATIONS).map((name) => {
      const sorted = all.map((rates) => rates[name] ?? 0).sort((a, b) => a - b);
      return [name, sorted[Math.floor(sorted.length / 2)] ?? 0];
    }),
  );
}
