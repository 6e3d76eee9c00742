import { nodeLab } from "../../test/history/node-storage.ts";
import type { Lab } from "../../test/history/tools.ts";
import { startWorkerd } from "../../test/workerd/harness.ts";

/*
 * What history costs: rows written per operation in a Durable Object, in four situations, and, in Node, how long a
 * snapshot takes in a small and in a large tree, and how long and with how much memory the walks take in the large
 * one. `ENTRIES` sets its size, 200,000 by default.
 */
const ENTRIES = Number(process.env.ENTRIES ?? 200_000);
const ours: Record<string, number> = {};

await using workerd = await startWorkerd({
  entry: new URL("./rows-worker.ts", import.meta.url).pathname,
  objects: ["RowsObject"],
});
const situations = {
  off: "history off",
  idle: "nothing pinned",
  snapshot: "after a snapshot",
  run: "in a run",
};
const table: Record<string, Record<string, number>> = {};
for (const [situation, words] of Object.entries(situations)) {
  const response = await workerd.fetch(`/?situation=${situation}`);
  const rows = (await response.json()) as Record<string, number>;
  table[words] = rows;
  for (const [name, count] of Object.entries(rows)) ours[`rows_written_${name}_${situation}`] = count;
}
console.log("rows written per operation, in a Durable Object");
console.table(table);

// In memory: on a disk a snapshot takes as long as the disk takes to sync, whatever the size.
await using small = await nodeLab();
await fill(small, 10);
ours.snapshot_10_entries_ms = await snapshots(small);
await using large = await nodeLab();
await fill(large, ENTRIES);
ours[`snapshot_${ENTRIES}_entries_ms`] = await snapshots(large);
await walks(large);

console.log(JSON.stringify({ suite: "history", runs: 1, results: { ours } }));

/** Directories of 1,000 files. Filled by forking batches would be faster, but this is what is used. */
async function fill({ workspace: { fs } }: Lab, entries: number): Promise<void> {
  for (let i = 0; i < entries; i++) {
    if (i % 1000 === 0) await fs.mkdir(`/d${i / 1000}`);
    else await fs.writeFile(`/d${Math.floor(i / 1000)}/${i}`, "x");
  }
}

/** The median of 21. */
async function snapshots({ workspace: { fs, history } }: Lab): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 21; i++) {
    await fs.writeFile("/changed", `${i}`);
    const start = performance.now();
    await history.snapshot(`s${i}`);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[10] ?? 0;
}

async function walks(place: Lab): Promise<void> {
  const { fs, history } = place.workspace;
  await history.snapshot("before");
  const half = ENTRIES / 2000;
  await measured("change_half_in_a_run", async () => {
    await place.run(async (files) => {
      for (let d = 0; d < half; d++) await files.rm(`/d${d}`, { recursive: true });
      await files.rename(`/d${half}`, "/moved");
    });
  });
  await measured("diff", async () => {
    let count = 0;
    for await (const _ of history.diff("before")) count++;
    console.log(`  ${count} changes`);
  });
  await using copy = await nodeLab();
  await measured("fork", () => history.fork(copy.workspace, { at: "before" }));
  await measured("restore", () => history.restore("before"));
  const [latest] = await history.runs();
  await measured("undo_of_restore", () => history.undo(latest?.runId ?? ""));
  await measured("rm_all", async () => {
    for (const name of await fs.readdir("/")) await fs.rm(`/${name}`, { recursive: true });
  });
  for (const { name } of await history.list()) await history.remove(name);
  place.sql.exec("UPDATE vfs_run SET end_ms = 0");
  await measured("prune", () => history.prune());
}

/** Time, the longest that others had to wait, and memory (heap and buffers) at its highest above where it began; for that, `node --expose-gc`. */
async function measured(name: string, work: () => Promise<unknown>): Promise<void> {
  globalThis.gc?.();
  const memory = () => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const base = memory();
  let peak = base;
  let longest = 0;
  let last = performance.now();
  let collected = last;
  let going = true;
  const watch = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    // What lives, not what waits to be collected.
    if (now - collected > 500) {
      globalThis.gc?.();
      peak = Math.max(peak, memory());
      collected = performance.now();
    }
    last = performance.now();
    if (going) setImmediate(watch);
  };
  setImmediate(watch);
  const start = performance.now();
  await work();
  going = false;
  ours[`${name}_s`] = (performance.now() - start) / 1000;
  ours[`${name}_longest_step_ms`] = longest;
  ours[`${name}_peak_mib`] = (peak - base) / 2 ** 20;
  console.log(
    `${name}: ${ours[`${name}_s`]?.toFixed(2)} s, longest step ${longest.toFixed(1)} ms, ` +
      `memory up to ${ours[`${name}_peak_mib`]?.toFixed(0)} MiB above ${(base / 2 ** 20).toFixed(0)} MiB`,
  );
}
