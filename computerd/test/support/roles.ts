/**
 * A daemon for `roles.test.ts`: `separate` is the real driver; `merged` does the notifier's and the
 * spawner's work in the loop's thread, as one would without knowing better. Prints `done` when the work is done.
 *
 * usage: node roles.ts separate|merged notify|spawn PATH STORE
 */
import { spawnSync } from "node:child_process";
import { constants, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { attach } from "../../src/mount/kernel/attach.ts";
import { kernelDriver } from "../../src/mount/kernel/driver.ts";
import { encodeNotice } from "../../src/mount/kernel/notices.ts";
import { Session } from "../../src/mount/kernel/session.ts";
import { Store } from "../../src/tree/store/store.ts";

const ROUNDS = 1000;

async function separate(task: string, path: string, store: string): Promise<void> {
  const mount = await kernelDriver.mount({ path, store });
  console.log("mounted");
  await sleep(300);
  for (let round = 0; round < (task === "spawn" ? 20 : ROUNDS); round++) {
    // The main thread is the spawner.
    if (task === "spawn") spawnSync("true", { cwd: path });
    else {
      const nodes = [{ id: 100, kind: "file", content: Buffer.from(`${round}`) } as const];
      await mount.apply({ nodes, names: [{ parent: 1, name: "outside", node: 100 }] });
    }
  }
  console.log("done");
  await mount.close();
}

async function merged(task: string, path: string, store: string): Promise<void> {
  mkdirSync(path, { recursive: true });
  const fd = openSync("/dev/fuse", constants.O_RDWR);
  await attach(fd, path);
  new Worker(new URL(import.meta.url), { workerData: { fd, task, path, store } });
}

/** The loop, which now and then does what another thread should do. */
function loop({ fd, task, path, store }: { fd: number; task: string; path: string; store: string }): void {
  const opened = Store.open(store);
  const none = { blockSize: 4096, blocks: 0, free: 0, available: 0, filesFree: 0 };
  const session = new Session(opened.tree, { sync() {}, writeBack() {}, space: () => none });
  let started = 0;
  console.log("mounted");
  for (let count = 0, work = 0; ; count++) {
    const length = readSync(fd, session.input, 0, session.input.length, null);
    const answer = session.handle(length);
    if (answer > 0) writeSync(fd, session.output, 0, answer);
    started ||= Date.now();
    if (Date.now() - started < 300 || count % 3 !== 0) continue;
    if (task === "spawn") spawnSync("true", { cwd: path });
    else {
      const parent = { slot: 1, generation: 0 };
      try {
        writeSync(fd, encodeNotice({ kind: "entry", parent, name: "outside" }));
      } catch {
        // It was not cached.
      }
    }
    if (++work === ROUNDS) console.log("done");
  }
}

const [, , mode, task = "", path = "", store = ""] = process.argv;
if (!isMainThread) loop(workerData);
else if (mode === "merged") await merged(task, path, store);
else await separate(task, path, store);
