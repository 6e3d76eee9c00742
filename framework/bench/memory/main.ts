/**
 * `npm run bench -- memory`: what the isolate of a workspace's Durable Object holds at most, heap and array buffers
 * together, while verbs go over a large tree. Sampled through the inspector, all the time.
 *
 *     BENCH_ENTRIES=100000 BENCH_MIB=256 npm run bench -- memory
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWorkerd, type Workerd } from "../../test/workerd/workerd.ts";
import { HeapSampler } from "./heap.ts";
import { STEPS } from "./steps.ts";

const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 100_000);
const MEBIBYTES = Number(process.env.BENCH_MIB ?? 256);

/** MiB that a step may hold, and entries that one request makes. */
const LIMIT = 64;
const FILL = 10_000;

const mib = (bytes: number): number => Math.round((bytes / 2 ** 20) * 10) / 10;

const folder = await mkdtemp(join(tmpdir(), "bench-memory-"));
const start = () =>
  startWorkerd({
    entry: new URL("./object.ts", import.meta.url).pathname,
    objects: ["MemoryObject"],
    inspect: true,
    persist: folder,
  });
const call = async (workerd: Workerd, step: string, more = ""): Promise<unknown> => {
  const response = await workerd.fetch(`/${step}?id=memory&entries=${ENTRIES}&mebibytes=${MEBIBYTES}${more}`);
  if (!response.ok) throw new Error(`${step}: ${response.status} ${await response.text()}`);
  return response.json();
};
const results: Record<string, number> = {};

try {
  await makeTree();
  await measureSteps();
  console.log(JSON.stringify({ suite: "memory", runs: 1, results: { ours: results } }));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function makeTree(): Promise<void> {
  await using workerd = await start();
  await call(workerd, "none");
  using sampler = await HeapSampler.connect(workerd);
  let most = 0;
  for (let from = 0, more: unknown = true; more === true; from += FILL) {
    const filling = call(workerd, "fill", `&from=${from}&count=${FILL}`).then((answer) => {
      more = answer;
    });
    most = Math.max(most, (await sampler.during(filling)).most);
  }
  results.fill_mib = mib(most);
  console.log(`fill: ${2 * ENTRIES} files, ${MEBIBYTES} MiB in large ones; at most ${mib(most)} MiB`);
}

/** In a process that has not done anything else: garbage of what came before would be counted too. */
async function measureSteps(): Promise<void> {
  await using workerd = await start();
  await call(workerd, "none");
  using sampler = await HeapSampler.connect(workerd);
  for (const { name } of STEPS) {
    const begun = performance.now();
    const { heap, stores, most, samples } = await sampler.during(call(workerd, name));
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    const verdict = mib(most) > LIMIT ? `: MORE THAN ${LIMIT}` : "";
    console.log(
      `${name}: at most ${mib(most)} MiB (heap ${mib(heap)}, buffers ${mib(stores)}), ${samples} samples in ${seconds} s${verdict}`,
    );
    results[`${name}_mib`] = mib(most);
  }
}
