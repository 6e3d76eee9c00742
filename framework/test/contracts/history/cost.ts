import assert from "node:assert/strict";
import { STEP_ENTRIES } from "../../../src/vfs/layout.ts";
import { noise } from "../file-system/context.ts";
import { history, pastRows } from "./context.ts";

/** What history costs. */
export const costCases = [
  history("2,000 creates in one run keep one old copy of their folder", {}, async (lab) => {
    const { fs } = lab.workspace;
    await fs.mkdir("/folder");
    await fs.writeFile("/folder/before", "x");
    await lab.run(async (files) => {
      for (let i = 0; i < 2000; i++) await files.writeFile(`/folder/${i}`, "x");
    });
    assert.deepEqual(pastRows(lab), { node: 1, dirent: 0, content: 0, extent: 0 });
  }),

  history("two runs that take turns in one folder keep one old copy for each", {}, async (lab) => {
    await lab.workspace.fs.mkdir("/folder");
    const [a, b] = [await lab.begin(), await lab.begin()];
    for (let i = 0; i < 500; i++) {
      await a.fs.writeFile(`/folder/a${i}`, "x");
      await b.fs.writeFile(`/folder/b${i}`, "x");
    }
    await a.end();
    await b.end();
    assert.equal(pastRows(lab).node, 2);
  }),

  history("without retention and snapshots nothing is kept", { history: false }, async (lab) => {
    const work = async (fs: typeof lab.workspace.fs) => {
      await fs.mkdir("/d");
      await fs.writeFile("/d/small", "x");
      await fs.writeFile("/d/large", noise(600_000));
      await fs.writeFile("/d/small", "y");
      await fs.truncate("/d/large", 300_000);
      await fs.rename("/d/small", "/d/other");
      await fs.rm("/d", { recursive: true });
    };
    await lab.run(work);
    await work(lab.workspace.fs);
    await lab.run(work);
    assert.deepEqual(pastRows(lab), { node: 0, dirent: 0, content: 0, extent: 0 });
    for (const table of ["run", "pin", "alarm"])
      assert.deepEqual(lab.sql.exec(`SELECT * FROM vfs_${table}`), []);
    assert.deepEqual(lab.sql.exec("SELECT * FROM vfs_chunk"), []);
  }),

  history("a workspace without runs and snapshots keeps nothing either", {}, async (lab) => {
    const { fs } = lab.workspace;
    for (let i = 0; i < 10; i++) await fs.writeFile("/a", `${i}`);
    await fs.rm("/a");
    assert.deepEqual(pastRows(lab), { node: 0, dirent: 0, content: 0, extent: 0 });
  }),

  history(
    "a snapshot writes as few rows in a large tree as in a small one",
    {},
    async (lab, { rowsWritten }) => {
      const { fs, history } = lab.workspace;
      await fs.writeFile("/first", "x");
      const cost = async (name: string) => {
        const before = rowsWritten();
        await history.snapshot(name, "note");
        return rowsWritten() - before;
      };
      const small = await cost("small");
      for (let i = 0; i < 3000; i++) await fs.writeFile(`/${i}`, "x");
      const large = await cost("large");
      assert.ok(small > 0 && small <= 3, `${small} rows`);
      assert.equal(large, small);
    },
  ),

  history("a row is kept once, however often it changes after", {}, async (lab) => {
    const { fs, history } = lab.workspace;
    await fs.writeFile("/f", "0");
    await history.snapshot("s");
    for (let i = 0; i < 50; i++) await fs.writeFile("/f", `${i}`);
    for (let i = 0; i < 50; i++) await fs.chmod("/f", 0o600 + (i % 2));
    assert.deepEqual(pastRows(lab), { node: 1, dirent: 0, content: 1, extent: 0 });
  }),

  history("storage shrinks when what kept it is gone", {}, async (lab) => {
    const { fs, history } = lab.workspace;
    await fs.mkdir("/d");
    for (let i = 0; i < 20; i++) await fs.writeFile(`/d/large${i}`, noise(400_000, i));
    for (let i = 0; i < STEP_ENTRIES + 50; i++) await fs.writeFile(`/d/${i}`, `${i}`.repeat(1000));
    await history.snapshot("all");
    await fs.rm("/d", { recursive: true });
    await fs.writeFile("/left", "x");
    const full = lab.sql.databaseSize;
    assert.equal(lab.sql.exec("SELECT * FROM vfs_chunk").length, 40);
    await history.prune();
    assert.ok(lab.sql.databaseSize >= full * 0.9, "a snapshot is kept for ever");
    await history.remove("all");
    const { removedRows } = await history.prune();
    assert.ok(removedRows > STEP_ENTRIES * 3);
    assert.deepEqual(pastRows(lab), { node: 0, dirent: 0, content: 0, extent: 0 });
    assert.deepEqual(lab.sql.exec("SELECT hash FROM vfs_chunk"), []);
    assert.ok(lab.sql.databaseSize < full / 5, `${lab.sql.databaseSize} of ${full}`);
  }),
];
