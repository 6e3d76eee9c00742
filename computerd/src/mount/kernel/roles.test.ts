import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { requiresFuse } from "../../../test/support/kernel.ts";
import { run } from "../../../test/support/shell.ts";

const DAEMON = fileURLToPath(new URL("../../../test/support/roles.ts", import.meta.url));
const PATIENCE_MS = 30_000;
/** A daemon that waits for itself does so at once; this is many times what the work takes. */
const HANGS_MS = 4000;

/** Runs a daemon while two processes make and remove files in its mount: whether it got its work done. */
async function works(mode: "separate" | "merged", task: "notify" | "spawn"): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "computerd-roles-"));
  const path = join(folder, "tree");
  const daemon = spawn(process.execPath, [DAEMON, mode, task, path, join(folder, "store")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  daemon.stdout.on("data", (data) => {
    said += data;
  });
  const until = async (what: string, ms: number) => {
    for (let waited = 0; waited < ms && !said.includes(what); waited += 20) await sleep(20);
    return said.includes(what);
  };
  const busy: ChildProcess[] = [];
  try {
    if (!(await until("mounted", PATIENCE_MS))) throw new Error("it did not mount");
    const script = `for (let i = 0; ; i++) {
      try { fs.writeFileSync("f" + process.argv[1] + (i % 9), ""); fs.rmSync("f" + process.argv[1] + ((i + 4) % 9), { force: true }); } catch {}
    }`;
    for (const name of ["a", "b"])
      busy.push(spawn(process.execPath, ["-e", script, name], { cwd: path, stdio: "ignore" }));
    return await until("done", mode === "separate" ? PATIENCE_MS : HANGS_MS);
  } finally {
    for (const child of busy) child.kill("SIGKILL");
    daemon.kill("SIGKILL");
    await sleep(100);
    await run("umount", ["-f", "-l", path]);
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("threads that wait for each other", () => {
  beforeEach(requiresFuse);

  test("telling the kernel of a name while that folder is being changed", async () => {
    expect(await works("separate", "notify")).toBe(true);
  }, 60_000);

  test("the same hangs when the loop does it itself", async () => {
    expect(await works("merged", "notify")).toBe(false);
  }, 60_000);

  test("starting a process whose working directory lies in the mount", async () => {
    expect(await works("separate", "spawn")).toBe(true);
  }, 60_000);

  test("the same hangs when the loop does it itself", async () => {
    expect(await works("merged", "spawn")).toBe(false);
  }, 60_000);
});
