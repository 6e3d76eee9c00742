import { spawn } from "node:child_process";
import { copyFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { problems } from "../../test/contracts/integrity.ts";
import { nodeLab } from "../../test/history/node-storage.ts";
import { pastProblems } from "../../test/history/past-problems.ts";
import { image } from "../../test/history/tools.ts";

/*
 * What takes several transactions is killed at many moments. However far it came, the tree and its past must be
 * sound, what is pinned must read back, and doing it again must come to the end.
 */

let folder = "";
let prepared = "";
let whole: Record<string, string> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "history-crash-"));
  prepared = join(folder, "prepared.db");
  expect(await work(prepared, "prepare")).toBe("done");
  await using place = await nodeLab({}, prepared);
  whole = await image(place.workspace.history.at("whole"));
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Does it in another process, which is killed so long after it has begun. Answers how far it came. */
function work(file: string, what: string, killAfterMs?: number, other = ""): Promise<"killed" | "done"> {
  const script = new URL("../../test/crash/history.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, ["--conditions=@computer/source", script, file, what, other], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<"killed" | "done">();
  let said = "";
  child.stdout.on("data", (data: Buffer) => {
    said += data.toString();
    if (said === "go\n" && killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  });
  child.on("error", reject);
  child.on("exit", (code) => {
    if (said.endsWith("done\n")) resolve("done");
    else if (code === null) resolve("killed");
    else reject(new Error(`${what} ended with ${code}`));
  });
  return promise;
}

async function copy(name: string): Promise<string> {
  const file = join(folder, `${name}.db`);
  for (const suffix of ["", "-wal"]) {
    if (await stat(prepared + suffix).catch(() => undefined))
      await copyFile(prepared + suffix, file + suffix);
  }
  return file;
}

async function checkSound(file: string, snapshot: boolean): Promise<void> {
  await using place = await nodeLab({}, file);
  // What a removal left is taken apart in the background.
  while (place.sql.exec("SELECT 1 FROM vfs_dirent WHERE parent = 0").length > 0)
    await new Promise((resume) => setTimeout(resume, 5));
  await new Promise((resume) => setTimeout(resume, 20));
  expect([...problems(place.sql), ...pastProblems(place.sql)]).toEqual([]);
  if (snapshot) expect(await image(place.workspace.history.at("whole"))).toEqual(whole);
}

const MOMENTS = [0, 8, 25, 70, 200, 500];

test.each(["restore", "undo", "prune", "rm"])(
  "%s may be killed at any moment",
  { timeout: 120_000 },
  async (what) => {
    let killed = 0;
    for (const [i, moment] of MOMENTS.entries()) {
      const file = await copy(`${what}${i}`);
      if ((await work(file, what, moment)) === "killed") killed++;
      await checkSound(file, what !== "prune");
      if (i !== 2) continue;
      await using place = await nodeLab({}, file);
      if (what === "restore" || what === "undo") {
        await place.workspace.history.restore("whole");
        expect(await image(place.workspace.fs)).toEqual(whole);
      }
      if (what === "prune") {
        await place.workspace.history.prune();
        expect(place.sql.exec("SELECT * FROM vfs_node_past")).toEqual([]);
      }
    }
    console.log(`${what}: killed ${killed} of ${MOMENTS.length} times`);
    expect(killed).toBeGreaterThan(0);
  },
);

test("fork may be killed at any moment", { timeout: 120_000 }, async () => {
  let killed = 0;
  for (const [i, moment] of MOMENTS.entries()) {
    const [file, target] = [await copy(`fork${i}`), join(folder, `target${i}.db`)];
    const outcome = await work(file, "fork", moment, target);
    if (outcome === "killed") killed++;
    await checkSound(file, true);
    await checkSound(target, false);
    if (outcome === "killed") continue;
    await using place = await nodeLab({}, target);
    expect(await image(place.workspace.fs)).toEqual(whole);
  }
  console.log(`fork: killed ${killed} of ${MOMENTS.length} times`);
  expect(killed).toBeGreaterThan(0);
});
