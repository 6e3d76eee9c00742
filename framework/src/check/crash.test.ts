import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workspace } from "../workspace/workspace.ts";

let folder: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "check-crash-"));
});
afterEach(async () => {
  child?.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

test("killed in the middle of cp -r and rm -r, a tree is sound after", { timeout: 120_000 }, async () => {
  const file = join(folder, "agent.db");
  const interrupted: Record<string, number> = { cp: 0, rm: 0, handle: 0 };
  // From the moment that something begins, a little later each time.
  for (const [round, what] of ["cp", "rm", "handle", "cp", "rm", "cp", "rm"].entries()) {
    const script = new URL("../../test/crash/mover.ts", import.meta.url).pathname;
    child = spawn(process.execPath, ["--conditions=@computer/source", script, file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let latest = "";
    for await (const line of createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })) {
      latest = line;
      if (line !== what) continue;
      if (round % 2 === 1) await new Promise((resume) => setTimeout(resume, round * 7));
      break;
    }
    child.kill("SIGKILL");
    await once(child, "close");
    interrupted[latest] = (interrupted[latest] ?? 0) + 1;

    await using workspace = await Workspace.open(file);
    const report = await workspace.check({ pages: true });
    expect(report.problems, `after ${latest}`).toEqual([]);
    // What was cut off is gone, or there in part: every part is whole.
    for (const name of await workspace.fs.readdir("/")) {
      if (!name.startsWith("to-")) continue;
      for await (const entry of await workspace.fs.opendir(`/${name}`, { recursive: true })) {
        if (!entry.isFile()) continue;
        const path = `${entry.parentPath}/${entry.name}`;
        const original = path.replace(`/${name}/`, "/from/");
        expect(await workspace.fs.readFile(path, "utf8")).toBe(await workspace.fs.readFile(original, "utf8"));
      }
      await workspace.fs.rm(`/${name}`, { recursive: true });
    }
    expect((await workspace.check()).problems).toEqual([]);
  }
  expect(Object.values(interrupted).every((count) => count > 0)).toBe(true);
});
