import { nodeStorage } from "../history/node-storage.ts";
import { lab } from "../history/tools.ts";

/*
 * Does in the workspace at argv[2] what argv[3] says, until it is killed: says "go" when it begins and "done" if it
 * comes to the end. `prepare` makes the tree, its snapshot and its run.
 */
const [, , file = "", what = "", other = ""] = process.argv;
const { workspace, run, sql } = await lab(nodeStorage(file));
const { fs, history } = workspace;

const go = () => process.stdout.write("go\n");

const WORK: Record<string, () => Promise<unknown>> = {
  async prepare() {
    for (let d = 0; d < 12; d++) {
      await fs.mkdir(`/tree/${d}/deep`, { recursive: true });
      for (let i = 0; i < 60; i++) await fs.writeFile(`/tree/${d}/${i}`, `${d} ${i} `.repeat(50));
      await fs.writeFile(`/tree/${d}/deep/large`, new Uint8Array(600_000).fill(d + 1));
      await fs.link(`/tree/${d}/0`, `/tree/${d}/deep/linked`);
    }
    await history.snapshot("whole");
    await run(async (files) => {
      for (let d = 0; d < 12; d += 2) {
        await files.rename(`/tree/${d}`, `/moved${d}`);
        for (let i = 0; i < 60; i++) await files.writeFile(`/moved${d}/${i}`, `changed ${i}`);
        await files.rm(`/tree/${d + 1}`, { recursive: true });
        await files.mkdir(`/made${d}`);
        for (let i = 0; i < 60; i++) await files.writeFile(`/made${d}/${i}`, "made");
      }
    });
  },
  async restore() {
    go();
    await history.restore("whole");
  },
  async undo() {
    const [latest] = await history.runs();
    go();
    await history.undo(latest?.runId ?? "");
  },
  async prune() {
    await history.remove("whole");
    sql.exec("UPDATE vfs_run SET end_ms = 0");
    go();
    await history.prune();
  },
  async rm() {
    go();
    for (const name of await fs.readdir("/")) await fs.rm(`/${name}`, { recursive: true });
  },
  async fork() {
    const target = await lab(nodeStorage(other));
    go();
    await history.fork(target.workspace, { at: "whole" });
  },
};

await WORK[what]?.();
process.stdout.write("done\n");
await workspace.close();
