import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { DevServer, eventually, freePort, TestProject } from "./support/dev-server.ts";
import { groupOf, type Process } from "./support/processes.ts";

/** Larger than a chunk, so that a write is more than one row; each byte tells which write it is of. */
const SIZE = 600_000;

function runtimes(project: TestProject): Process[] {
  return groupOf(project.dir).filter(({ command }) => command.includes("workerd serve"));
}

/** The runtime that holds the objects has an inspector; the other one is wrangler's proxy. */
function isProxy({ command }: Process): boolean {
  return !command.includes("--inspector-addr");
}

test("kill -9 of the runtime amid writes loses none that was acknowledged, and the service comes back", async () => {
  using project = new TestProject();
  await using server = new DevServer(project, await freePort());
  const url = await server.ready();
  const file = (name: string) => `${url}/agents/reader/writer/files/${name}`;
  const acknowledged = new Map<string, number>();
  const attempted = new Set<string>();
  let unanswered = 0;
  let writing = true;

  const write = async (lane: number) => {
    for (let count = 0; writing; count++) {
      // Some names again and again, so that overwriting is put to the test, too.
      const name = `${lane}/${count % 7}`;
      const mark = (lane * 31 + count) % 256;
      attempted.add(name);
      const answered = await fetch(file(name), { method: "PUT", body: new Uint8Array(SIZE).fill(mark) })
        .then(async (response) => {
          await response.arrayBuffer();
          return response.ok;
        })
        .catch(() => false);
      if (answered) acknowledged.set(name, mark);
      // Whether one without an answer took effect is not known.
      else {
        acknowledged.delete(name);
        unanswered++;
        await sleep(20);
      }
    }
  };
  const lanes = [0, 1, 2, 3].map(write);

  let kills = 0;
  for (; kills < 4; kills++) {
    const before = acknowledged.size;
    await eventually(
      () => acknowledged.size,
      (size) => size > Math.min(before, 20),
      10_000,
    );
    await sleep(150 + kills * 37);
    for (const { pid } of runtimes(project).filter((each) => !isProxy(each))) process.kill(pid, "SIGKILL");
    // The service answers again.
    const back = await eventually(
      () =>
        fetch(url).then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status === 200,
    );
    expect(back).toBe(200);
  }
  await sleep(300);
  // The last one hits writes that nobody repeats.
  for (const { pid } of runtimes(project)) process.kill(pid, "SIGKILL");
  writing = false;
  await Promise.all(lanes);

  expect(acknowledged.size).toBeGreaterThan(0);
  // The kills did hit writes.
  expect(unanswered).toBeGreaterThan(0);
  for (const name of attempted) {
    const mark = acknowledged.get(name);
    const response = await eventually(
      () => fetch(file(name)),
      ({ status }) => status !== 503,
    );
    const bytes = new Uint8Array(await response.arrayBuffer());
    // One that was never acknowledged may not be there, but is not there in part.
    if (mark === undefined && response.status === 404) continue;
    const expected = mark ?? bytes[0];
    expect({
      name,
      status: response.status,
      size: bytes.length,
      other: bytes.findIndex((byte) => byte !== expected),
    }).toEqual({ name, status: 200, size: SIZE, other: -1 });
  }
});

test("brings the service back when wrangler's proxy, or wrangler itself, is killed", async () => {
  using project = new TestProject();
  await using server = new DevServer(project, await freePort());
  const url = await server.ready();
  const target = `${url}/agents/reader/writer/files/kept`;
  expect((await fetch(target, { method: "PUT", body: "kept" })).ok).toBe(true);
  const read = () =>
    fetch(target, { signal: AbortSignal.timeout(20_000) }).then(
      async (response) => (response.ok ? await response.text() : `status ${response.status}`),
      (error) => String(error),
    );

  process.kill(runtimes(project).find(isProxy)?.pid ?? 0, "SIGKILL");
  expect(await eventually(read, (text) => text === "kept")).toBe("kept");

  for (const { pid } of runtimes(project)) process.kill(pid, "SIGKILL");
  expect(await eventually(read, (text) => text === "kept")).toBe("kept");

  const wrangler = groupOf(project.dir).find(({ pid, group }) => pid === group);
  process.kill(wrangler?.pid ?? 0, "SIGKILL");
  await server.prints(/wrangler was ended by SIGKILL/);
  expect(await eventually(read, (text) => text === "kept")).toBe("kept");
});
