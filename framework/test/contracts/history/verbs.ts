import assert from "node:assert/strict";
import { image } from "../../history/tools.ts";
import { noise } from "../file-system/context.ts";
import { all, failsWith, history, pastRows } from "./context.ts";

const DAY = 24 * 60 * 60 * 1000;

/** What history can do. */
export const verbCases = [
  history("snapshots are named, listed, removed", {}, async ({ workspace: { fs, history } }) => {
    assert.deepEqual(await history.list(), []);
    const first = await history.snapshot("one");
    await fs.writeFile("/a", "x");
    const second = await history.snapshot("two", "a note");
    assert.ok(second.revision > first.revision);
    assert.equal(second.note, "a note");
    assert.deepEqual(await history.list(), [first, second]);
    await failsWith("ERR_SNAPSHOT_EXISTS", () => history.snapshot("two"));
    await history.remove("one");
    await failsWith("ERR_UNKNOWN_REVISION", () => history.remove("one"));
    assert.deepEqual(await history.list(), [second]);
    for (const name of ["", "x".repeat(256), "\ud800", 7]) {
      await failsWith("ERR_BAD_ARGUMENT", () => history.snapshot(name as string));
    }
  }),

  history(
    "the past can be read by every verb, and changed by none",
    {},
    async ({ workspace: { fs, history } }) => {
      const large = noise(700_000);
      await fs.mkdir("/d/e", { recursive: true });
      await fs.writeFile("/d/small", "small");
      await fs.writeFile("/d/large", large);
      await fs.symlink("small", "/d/link");
      await history.snapshot("s");
      await fs.rm("/d", { recursive: true });
      await fs.writeFile("/d", "no folder any more");
      const old = history.at("s");
      assert.equal(await old.readFile("/d/small", "utf8"), "small");
      assert.deepEqual(await old.readFile("/d/large"), large);
      assert.deepEqual(await old.readdir("/d"), ["e", "large", "link", "small"]);
      assert.equal(await old.readlink("/d/link"), "small");
      assert.equal(await old.realpath("/d/link"), "/d/small");
      assert.equal((await old.stat("/d/link")).size, 5);
      assert.ok((await old.lstat("/d/link")).isSymbolicLink());
      assert.equal(await old.exists("/d/e"), true);
      assert.equal(await old.exists("/d/f"), false);
      const streamed = await new Response(
        old.createReadStream("/d/large", { start: 262_140, end: 600_000 }),
      ).bytes();
      assert.deepEqual(streamed, large.slice(262_140, 600_001));
      await failsWith("ENOENT", () => old.readFile("/d/f"));
      for (const change of [
        () => old.writeFile("/d/small", "x"),
        () => old.writeFile("/d/new", "x"),
        () => old.appendFile("/d/small", "x"),
        () => old.truncate("/d/small", 1),
        () => old.mkdir("/new"),
        () => old.rm("/d/small"),
        () => old.rm("/d", { recursive: true }),
        () => old.rename("/d/small", "/x"),
        () => old.copyFile("/d/small", "/x"),
        () => old.link("/d/small", "/x"),
        () => old.symlink("x", "/x"),
        () => old.chmod("/d/small", 0o600),
        () => old.utimes("/d/small", 0, 0),
        () => new Blob([noise(300_000)]).stream().pipeTo(old.createWriteStream("/d/small")),
      ]) {
        await failsWith("EROFS", change);
      }
    },
  ),

  history("a state that is lost says what there still is", {}, async ({ workspace: { fs, history } }) => {
    const { revision } = await history.snapshot("first");
    await fs.writeFile("/a", "1");
    await history.snapshot("second");
    const old = history.at("first");
    await old.readdir("/");
    await history.remove("first");
    const lost = await failsWith("ERR_UNKNOWN_REVISION", () => old.readdir("/"));
    assert.match(lost.message, /"second"/);
    await failsWith("ERR_UNKNOWN_REVISION", async () => history.at(revision));
    await failsWith("ERR_UNKNOWN_REVISION", () => all(history.diff("first", "second")));
    await failsWith("ERR_UNKNOWN_REVISION", () => history.restore("first"));
    await failsWith("ERR_BAD_ARGUMENT", async () => history.at(1.5));
  }),

  history("a difference tells kinds, and texts on request", {}, async ({ workspace: { fs, history } }) => {
    await fs.mkdir("/d");
    await fs.writeFile("/d/text", "one\ntwo\nthree");
    await fs.writeFile("/binary", new Uint8Array([1, 0, 2]));
    await fs.writeFile("/large", noise(400_000));
    await fs.writeFile("/same", "same");
    await fs.writeFile("/becomes", "a folder");
    await fs.symlink("here", "/link");
    await history.snapshot("a");
    await fs.writeFile("/d/text", "one\n2\nthree\n");
    await fs.writeFile("/binary", new Uint8Array([1, 0, 3]));
    await fs.appendFile("/large", "more");
    await fs.chmod("/same", 0o600);
    await fs.rm("/becomes");
    await fs.mkdir("/becomes");
    await fs.rename("/d", "/e");
    await fs.rm("/link");
    await fs.symlink("there", "/link");
    const changes = new Map(
      (await all(history.diff("a", undefined, { patch: true }))).map((each) => [each.path, each]),
    );
    assert.equal(changes.get("/e")?.kind, "moved");
    assert.equal(changes.get("/e")?.from, "/d");
    assert.equal(
      changes.get("/e/text")?.patch,
      "--- a/d/text\n+++ b/e/text\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n\\ No newline at end of file\n+2\n+three\n",
    );
    assert.equal(changes.get("/binary")?.noPatch, "binary");
    assert.equal(changes.get("/large")?.noPatch, "too large");
    assert.deepEqual([changes.get("/same")?.content, changes.get("/same")?.mode], [false, true]);
    assert.equal(changes.get("/becomes")?.kind, "type");
    assert.equal(changes.get("/link")?.content, true);
    assert.equal(changes.size, 7);
    const below = await all(history.diff("a", undefined, { path: "/d" }));
    assert.deepEqual(below.map(({ path }) => path).sort(), ["/e", "/e/text"]);
  }),

  history("a file's versions are listed with who made them", {}, async (lab) => {
    const { fs, history } = lab.workspace;
    await fs.writeFile("/a", "host");
    const first = await lab.run((files) => files.writeFile("/a", "first run"));
    const second = await lab.run(async (files) => {
      await files.writeFile("/a~", "second run");
      await files.rename("/a~", "/a");
    });
    await fs.rename("/a", "/b");
    const log = await history.log("/b");
    assert.deepEqual(
      log.map(({ path, runId, size }) => [path, runId, size]),
      [
        ["/b", undefined, 10],
        ["/a", second, 10],
      ],
    );
    const before = await history.log("/a");
    assert.deepEqual(
      before.map(({ runId, size }) => [runId, size]),
      [
        [second, 10],
        [first, 9],
        [undefined, 4],
      ],
    );
  }),

  history(
    "one of three interleaved runs is undone, and what others changed since is left",
    {},
    async (lab) => {
      const { fs, history } = lab.workspace;
      for (const name of ["mine", "shared", "gone", "moved"]) await fs.writeFile(`/${name}`, "old");
      await fs.mkdir("/d");
      await fs.writeFile("/large", noise(500_000));
      const [a, b, c] = [await lab.begin(), await lab.begin(), await lab.begin()];
      await a.fs.writeFile("/mine", "by a");
      await b.fs.writeFile("/d/b", "by b");
      await a.fs.writeFile("/shared", "by a");
      await c.fs.writeFile("/d/c", "by c");
      await b.fs.writeFile("/shared", "by b");
      await a.fs.rm("/gone");
      await a.fs.writeFile("/d/a", "by a");
      await c.fs.chmod("/mine", 0o600);
      await a.fs.rename("/moved", "/d/moved");
      await c.fs.appendFile("/d/moved", " and c");
      await a.fs.mkdir("/made");
      await b.fs.writeFile("/made/b", "by b");
      await a.fs.writeFile("/made/a", "by a");
      await a.fs.truncate("/large", 10);
      for (const run of [a, b, c]) await run.end();
      const { conflicts } = await history.undo(a.id);
      assert.equal(await fs.readFile("/mine", "utf8"), "old");
      assert.equal((await fs.stat("/mine")).mode & 0o777, 0o600);
      assert.equal(await fs.readFile("/shared", "utf8"), "by b");
      assert.equal(await fs.readFile("/gone", "utf8"), "old");
      assert.equal(await fs.readFile("/moved", "utf8"), "old and c");
      assert.deepEqual(await fs.readFile("/large"), noise(500_000));
      assert.deepEqual(await fs.readdir("/d"), ["b", "c"]);
      assert.deepEqual(await fs.readdir("/made"), ["b"]);
      assert.deepEqual(conflicts.map(({ path, reason }) => `${path} ${reason}`).sort(), [
        "/made holds others' files",
        "/shared changed since",
      ]);
    },
  ),

  history("a link that went with a removed folder was taken by who removed it", {}, async (lab) => {
    const id = await lab.run(async (fs) => {
      await fs.mkdir("/c/c", { recursive: true });
      await fs.writeFile("/b", noise(600_000));
      await fs.link("/b", "/c/c/a");
      await fs.rm("/c", { recursive: true });
    });
    assert.deepEqual((await lab.workspace.history.undo(id)).conflicts, []);
    assert.deepEqual(await lab.workspace.fs.readdir("/"), []);
  }),

  history("a folder that a run moved and then removed comes back where it was", {}, async (lab) => {
    const { fs, history } = lab.workspace;
    await fs.mkdir("/b/deep", { recursive: true });
    await fs.writeFile("/b/deep/file", "x");
    const was = await image(fs);
    const id = await lab.run(async (files) => {
      await files.mkdir("/a");
      await files.rename("/b/deep", "/b/other");
      await files.rename("/b", "/a/c");
      await files.rm("/a", { recursive: true });
    });
    assert.deepEqual((await history.undo(id)).conflicts, []);
    assert.deepEqual(await image(fs), was);
  }),

  history("a file is set back though its latest name went with a folder", {}, async (lab) => {
    const { fs, history } = lab.workspace;
    await fs.writeFile("/a", "old");
    await history.snapshot("s");
    const was = await image(fs);
    await fs.mkdir("/b");
    await fs.link("/a", "/b/a");
    await fs.writeFile("/a", "new");
    await history.restore("s");
    assert.deepEqual(await image(fs), was);
  }),

  history("an open run, an unknown one, and one without history cannot be undone", {}, async (lab) => {
    const run = await lab.begin();
    await run.fs.writeFile("/a", "x");
    await failsWith("ERR_BUSY", () => lab.workspace.history.undo(run.id));
    await run.end();
    await failsWith("ERR_UNKNOWN_RUN", () => lab.workspace.history.undo("nobody"));
    await lab.workspace.history.undo(run.id);
    assert.deepEqual(await lab.workspace.fs.readdir("/"), []);
  }),

  history("without a history, undo says so", { history: false }, async (lab) => {
    const id = await lab.run((fs) => fs.writeFile("/a", "x"));
    await failsWith("ERR_HISTORY_OFF", () => lab.workspace.history.undo(id));
  }),

  history("snapshots work without retention of runs", { history: false }, async (lab) => {
    const { fs, history } = lab.workspace;
    await fs.writeFile("/a", "1");
    await history.snapshot("s");
    await lab.run((files) => files.writeFile("/a", "2"));
    assert.equal(await history.at("s").readFile("/a", "utf8"), "1");
    assert.equal((await history.restore("s")).runId, undefined);
    assert.equal(await fs.readFile("/a", "utf8"), "1");
  }),

  history("restoring takes back everything, or some paths", {}, async ({ workspace: { fs, history } }) => {
    await fs.mkdir("/src/deep", { recursive: true });
    await fs.writeFile("/src/deep/a", "1");
    await fs.writeFile("/other", "1");
    await fs.writeFile("/src/large", noise(300_000));
    await history.snapshot("s");
    const was = await image(fs);
    await fs.rm("/src", { recursive: true });
    await fs.writeFile("/src", "a file now");
    await fs.writeFile("/other", "2");
    await history.restore("s", { paths: ["/src"] });
    assert.equal(await fs.readFile("/src/deep/a", "utf8"), "1");
    assert.deepEqual(await fs.readFile("/src/large"), noise(300_000));
    assert.equal(await fs.readFile("/other", "utf8"), "2");
    const { runId } = await history.restore("s");
    assert.deepEqual(await image(fs), was);
    await history.undo(runId ?? "");
    assert.equal(await fs.readFile("/other", "utf8"), "2");
  }),

  history("runs are forgotten by number, age and bytes", { history: { maxRuns: 3 } }, async (lab) => {
    const { history } = lab.workspace;
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await lab.run((fs) => fs.writeFile("/a", `${i}`)));
    const { forgottenRuns } = await history.prune();
    assert.equal(forgottenRuns, 2);
    assert.deepEqual(
      (await history.runs()).map(({ runId }) => runId),
      ids.slice(2).reverse(),
    );
    await failsWith("ERR_UNKNOWN_RUN", () => history.undo(ids[0] ?? ""));
    // The last three can still be taken back, one after the other.
    for (const id of ids.slice(2).reverse()) {
      const { conflicts } = await history.undo(id);
      assert.deepEqual(conflicts, []);
    }
    assert.equal(await lab.workspace.fs.readFile("/a", "utf8"), "1");
  }),

  history("old content is kept up to so many bytes", { history: { maxBytes: 1_000_000 } }, async (lab) => {
    const { history } = lab.workspace;
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push(await lab.run((fs) => fs.writeFile("/a", noise(400_000, i))));
    const { keptBytes } = await history.prune();
    assert.ok(keptBytes > 0 && keptBytes <= 1_000_000, `${keptBytes}`);
    const kept = (await history.runs()).map(({ runId }) => runId);
    assert.deepEqual(kept, ids.slice(-kept.length).reverse());
    assert.ok(kept.length >= 2);
    assert.ok(lab.sql.exec("SELECT 1 FROM vfs_chunk").length <= 2 * 3);
    await history.undo(ids[7] ?? "");
    assert.deepEqual(await lab.workspace.fs.readFile("/a"), noise(400_000, 6));
  }),

  history("age counts from a run's end", { history: { maxAgeMs: 0 } }, async (lab) => {
    const run = await lab.begin();
    await run.fs.writeFile("/a", "x");
    await lab.workspace.history.prune();
    assert.equal((await lab.workspace.history.runs()).length, 1);
    await run.end();
    await lab.workspace.history.prune();
    assert.deepEqual(await lab.workspace.history.runs(), []);
    assert.deepEqual(pastRows(lab), { node: 0, dirent: 0, content: 0, extent: 0 });
    assert.deepEqual(lab.sql.exec("SELECT * FROM vfs_pin"), []);
  }),

  history("an ended run has an alarm set for when it is to be forgotten", {}, async (lab) => {
    assert.deepEqual(lab.sql.exec("SELECT * FROM vfs_alarm"), []);
    await lab.run((fs) => fs.writeFile("/a", "x"));
    const [task] = lab.sql.exec<{ kind: string; due_ms: number }>("SELECT kind, due_ms FROM vfs_alarm");
    assert.equal(task?.kind, "history.prune");
    const inDays = ((task?.due_ms ?? 0) - Date.now()) / DAY;
    assert.ok(inDays > 6.9 && inDays <= 7, `${inDays} days`);
    lab.sql.exec("UPDATE vfs_run SET end_ms = end_ms - ?", 8 * DAY);
    lab.sql.exec("UPDATE vfs_alarm SET due_ms = 1");
    await lab.workspace.alarm();
    assert.deepEqual(await lab.workspace.history.runs(), []);
    assert.deepEqual(lab.sql.exec("SELECT * FROM vfs_alarm"), []);
  }),
];
