import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { FSWatcher } from "chokidar";
import { afterEach, expect, test, vi } from "vitest";
import { devLayout } from "./layout.ts";
import { Watcher } from "./watch.ts";

const project = mkdtempSync(path.join(tmpdir(), "computer-watch-"));
mkdirSync(path.join(project, "src"));
afterEach(() => vi.restoreAllMocks());

async function changes(watcher: Watcher, seen: () => number, name: string): Promise<void> {
  await watcher.ready;
  const before = seen();
  writeFileSync(path.join(project, "src", name), "export {};\n");
  await vi.waitFor(() => expect(seen()).toBeGreaterThan(before), { timeout: 10_000 });
}

test("tells of a change", async () => {
  let seen = 0;
  const watcher = new Watcher(
    devLayout(project),
    () => seen++,
    () => {},
  );
  await changes(watcher, () => seen, "a.ts");
  await watcher.close();
});

test("looks at the files where the system cannot watch them, and says so", async () => {
  let seen = 0;
  const reasons: string[] = [];
  const watchers: FSWatcher[] = [];
  const on = FSWatcher.prototype.on;
  vi.spyOn(FSWatcher.prototype, "on").mockImplementation(function (this: FSWatcher, ...args) {
    if (!watchers.includes(this)) watchers.push(this);
    return on.apply(this, args);
  });
  const watcher = new Watcher(
    devLayout(project),
    () => seen++,
    (reason) => reasons.push(reason),
  );
  watchers[0]?.emit("error", new Error("ENOSPC: System limit for number of file watchers reached"));
  await changes(watcher, () => seen, "b.ts");
  expect(reasons).toEqual(["ENOSPC: System limit for number of file watchers reached"]);
  await watcher.close();
  rmSync(project, { recursive: true });
});
