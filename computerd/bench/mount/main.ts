/**
 * `npm run bench -- mount`: the kernel driver beside a tmpfs and the disk, in one run, taking turns, medians.
 * Root on Linux. `ROUNDS`, `FILES`, `MIB` change the amount of work; `TOOLS=0` and `NPM=0` leave parts out.
 *
 * `pinned`: everything on one CPU, as fsops.py wants it. `unpinned`: as it runs for users. Tools run unpinned.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Daemon } from "./daemon.ts";
import { prepareTools, runTools } from "./tools.ts";

const FSOPS = fileURLToPath(new URL("./fsops.py", import.meta.url));
const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const { ROUNDS = "5", FILES = "1000", MIB = "64", TOOLS = "1", NPM = "1" } = process.env;

type Results = Record<string, number[]>;

const folder = mkdtempSync(join(tmpdir(), "computerd-bench-"));
const memory = mkdtempSync("/dev/shm/computerd-bench-");
const places = { ours: join(folder, "tree"), tmpfs: memory, disk: join(folder, "disk") };
const collected: Record<string, Results> = { ours: {}, tmpfs: {}, disk: {} };
mkdirSync(places.disk);

const start = performance.now();
let daemon = await Daemon.start(places.ours, join(folder, "store"));
spawnSync("ls", [places.ours]);
add("ours", { start_to_first_ls_ms: performance.now() - start });
try {
  await sleep(2000);
  const idle = daemon.cpuSeconds();
  await sleep(5000);
  add("ours", { idle_cpu_percent: ((daemon.cpuSeconds() - idle) / 5) * 100 });

  daemon.pin(0);
  for (let round = 0; round < Number(ROUNDS); round++) {
    for (const [place, path] of Object.entries(places)) add(place, fsops(path, ["taskset", "-c", "0"]));
  }
  await daemon.stop();
  daemon = await Daemon.start(places.ours, join(folder, "store"));
  for (let round = 0; round < Number(ROUNDS); round++) {
    for (const [place, path] of Object.entries(places)) add(place, prefix(fsops(path, [])));
  }
  if (TOOLS === "1") {
    prepareTools(folder);
    for (let round = 0; round < Math.min(3, Number(ROUNDS)); round++) {
      for (const [place, path] of Object.entries(places))
        add(place, runTools(folder, path, TSC, NPM === "1"));
    }
  }
  add("ours", { resident_mib: daemon.residentMib() });
} finally {
  await daemon.stop();
  for (const path of [memory, folder]) rmSync(path, { recursive: true, force: true });
}
const results = Object.fromEntries(
  Object.entries(collected).map(([place, metrics]) => [
    place,
    Object.fromEntries(Object.entries(metrics).map(([name, values]) => [name, round(median(values))])),
  ]),
);
table(results);
console.log(JSON.stringify({ suite: "mount", runs: Number(ROUNDS), results }));

function fsops(path: string, before: string[]): Record<string, number> {
  const [file = "", ...args] = [...before, "python3", FSOPS, path, FILES, MIB];
  const { stdout, stderr } = spawnSync(file, args, { encoding: "utf8" });
  if (readdirSync(path).length > 0 && path === memory) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, number>;
}

function prefix(metrics: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(metrics).map(([name, value]) => [`unpinned_${name}`, value]));
}

function add(place: string, metrics: Record<string, number>): void {
  const into = collected[place] as Results;
  for (const [name, value] of Object.entries(metrics)) {
    into[name] ??= [];
    into[name].push(value);
  }
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}

function table(all: Record<string, Record<string, number>>): void {
  const names = Object.keys(all.ours ?? {});
  console.log(
    `${"".padEnd(32)}${["ours", "tmpfs", "disk", "ours/tmpfs", "ours/disk"].map((h) => h.padStart(12)).join("")}`,
  );
  for (const name of names) {
    const [ours, tmpfs, disk] = ["ours", "tmpfs", "disk"].map((place) => all[place]?.[name]);
    const cells = [ours, tmpfs, disk, ratio(ours, tmpfs), ratio(ours, disk)];
    console.log(`${name.padEnd(32)}${cells.map((cell) => String(cell ?? "").padStart(12)).join("")}`);
  }
}

function ratio(a: number | undefined, b: number | undefined): string {
  return a === undefined || b === undefined || b === 0 ? "" : (a / b).toFixed(3);
}
