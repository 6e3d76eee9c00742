import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { crashPath } from "../crash/content.ts";
import { startWorkerd, type Workerd } from "./workerd.ts";

const worker = {
  entry: new URL("./workspace-worker.ts", import.meta.url).pathname,
  objects: ["WorkspaceObject"],
};

let persist: string;
let workerd: Workerd;
beforeAll(async () => {
  persist = await mkdtemp(join(tmpdir(), "workspace-object-"));
  workerd = await startWorkerd({ ...worker, persist });
});
afterAll(async () => {
  await workerd.dispose();
  await rm(persist, { recursive: true, force: true });
});

const ask = async (path: string, id: string): Promise<unknown> =>
  (await workerd.fetch(`${path}${path.includes("?") ? "&" : "?"}id=${id}`)).json();

test("the homes of Node say that they need Node", async () => {
  for (const path of ["/memory", "/open"])
    expect(await ask(path, "node")).toMatchObject({ code: "ERR_UNSUPPORTED" });
});

test("a storage has one workspace, of a schema that the code knows, and whole", async () => {
  expect(await ask("/second", "second")).toMatchObject({ code: "ERR_WORKSPACE_LOCKED" });
  expect(await ask("/newer", "newer")).toMatchObject({ code: "ERR_WORKSPACE_NEWER" });
  expect(await ask("/damaged", "damaged")).toMatchObject({ code: "ERR_WORKSPACE_DAMAGED" });
});

test("what is erased is gone, but for the tables of others", async () => {
  const storedBytes = 10 * 1024 ** 3 - 256 * 1024 ** 2;
  expect(await ask("/destroy", "destroy")).toEqual([[{ name: "other" }], [], { storedBytes }]);
});

test("workerd killed amid a stream of writes: every acknowledged write is there, whole", async () => {
  let next = 0;
  for (const count of [20, 61]) {
    const acknowledged: number[] = [];
    // Batches of three, so that the numbers which share a file are never under way together.
    const write = async () => {
      for (;;) {
        const first = next;
        next += 3;
        for (let index = first; index < first + 3; index++) {
          expect(await ask(`/write?index=${index}`, "crash")).toBe(index);
          acknowledged.push(index);
        }
      }
    };
    const writers = [write(), write(), write()].map((writer) => writer.catch(() => {}));
    while (acknowledged.length < count) await new Promise((resume) => setTimeout(resume, 1));
    await workerd.kill();
    await Promise.all(writers);
    await workerd.dispose();
    workerd = await startWorkerd({ ...worker, persist });

    const latest = new Map(acknowledged.sort((a, b) => a - b).map((index) => [crashPath(index), index]));
    expect(latest.size).toBeGreaterThan(5);
    for (const index of latest.values()) {
      // Its successor in the same file may have been written, but not acknowledged any more.
      const candidates = index % 3 === 0 ? [index, index + 2] : [index];
      const whole = await Promise.all(
        candidates.map((candidate) => ask(`/check?index=${candidate}`, "crash")),
      );
      expect(whole, `write ${index}`).toContain(true);
    }
    expect(await ask("/problems", "crash")).toEqual([]);
  }
});
