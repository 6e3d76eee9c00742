import assert from "node:assert/strict";
import { type BackendCase, pause, sh, textOf } from "./context.ts";

/** How runs live and end: live output, readers, bounds, kill, many at once. */
export const runCases: readonly BackendCase[] = [
  {
    name: "nothing is copied in advance: a script sees what others write while it runs, and they see its writes",
    async run({ workspace, backend }) {
      const run = workspace.runtime.exec(
        "echo mine > mine; until [ -e theirs ]; do sleep 0.02; done; cat theirs",
        {
          backend,
        },
      );
      while (!(await workspace.fs.exists("/mine"))) await pause(5);
      await workspace.fs.writeFile("/theirs.tmp", "theirs");
      await workspace.fs.rename("/theirs.tmp", "/theirs");
      assert.equal((await run.result()).stdout, "theirs");
    },
  },
  ...[
    ["a statement", "echo one; until [ -e go ]; do sleep 0.02; done; echo two"],
    ["a loop", "for i in one two; do echo $i; until [ -e go ]; do sleep 0.02; done; done"],
    ["a function's call", "f() { echo one; }; f; until [ -e go ]; do sleep 0.02; done; echo two"],
    ["a branch", "if true; then echo one; until [ -e go ]; do sleep 0.02; done; echo two; fi"],
    ["a pipeline", "echo one | cat; until [ -e go ]; do sleep 0.02; done; echo two"],
  ].map(
    ([what, source]): BackendCase => ({
      name: `output is there before the script ends: after ${what}`,
      async run({ workspace, backend }) {
        const run = workspace.runtime.exec(source ?? "", { backend });
        const events = run.events();
        assert.equal(textOf((await events.next()).value), "one\n");
        // Had the event waited for the end, the script would wait for this file for ever.
        await workspace.fs.writeFile("/go", "");
        assert.equal(textOf((await events.next()).value), "two\n");
        const last = (await events.next()).value;
        assert.equal(last?.type === "end" && last.end.exitCode, 0);
      },
    }),
  ),
  {
    name: "readers may come late and come again, from any event on",
    async run({ workspace, backend }) {
      const run = workspace.runtime.exec("echo 1; echo 2; echo 3", { backend });
      const first = await Array.fromAsync(run);
      const again = await Array.fromAsync(run);
      assert.deepEqual(again, first);
      assert.deepEqual(
        first.map((event) => event.seq),
        first.map((_, index) => index),
      );
      assert.deepEqual(await Array.fromAsync(run.events(first.length - 1)), first.slice(-1));
      assert.equal(first.map(textOf).join(""), "1\n2\n3\n");
    },
  },
  {
    name: "output beyond the bound is dropped and named, and the script goes on",
    async run({ workspace, backend }) {
      const run = workspace.runtime.exec(
        "for i in 1 2 3 4 5 6 7 8 9; do echo 0123456789; done; echo end > done",
        {
          backend,
          maxOutputBytes: 25,
        },
      );
      const result = await run.result();
      assert.equal(result.exitCode, 0);
      assert.equal(result.stdout, "0123456789\n0123456789\n012");
      assert.equal(result.droppedBytes, 9 * 11 - 25);
      assert.deepEqual(
        result.limits.map(({ limit, value }) => [limit, value]),
        [["maxOutputBytes", 25]],
      );
      assert.equal(await workspace.fs.readFile("/done", "utf8"), "end\n");
      assert.equal((await sh({ workspace, backend }, "echo next")).stdout, "next\n");
    },
  },
  ...[
    ["a busy loop", "while true; do :; done"],
    ["a busy loop in a function in a substitution", "f() { while :; do x=1; done; }; y=$(f)"],
    ["a busy loop in a pipe", "yes | while read l; do while :; do :; done; done"],
    ["a sleep", "sleep 1000"],
    ["a loop of sleeps", "while sleep 0.01; do :; done"],
  ].flatMap(([what, source = ""]): BackendCase[] => [
    {
      name: `${what} ends by timeout, and the next run works`,
      async run(context) {
        const { workspace, backend } = context;
        const result = await workspace.runtime.exec(source, { backend, timeoutMs: 200 }).result();
        assert.equal(result.status, "timeout");
        assert.equal(result.exitCode, null);
        assert.deepEqual(
          result.limits.map(({ limit, value }) => [limit, value]),
          [["timeoutMs", 200]],
        );
        assert.equal((await sh(context, "echo next")).stdout, "next\n");
      },
    },
    {
      name: `${what} ends by kill, and the next run works`,
      async run(context) {
        const { workspace, backend } = context;
        const run = workspace.runtime.exec(`echo started; ${source}`, { backend });
        await run.events().next();
        await run.kill();
        const result = await run.result();
        assert.equal(result.status, "killed");
        assert.equal(result.stdout, "started\n");
        assert.equal((await sh(context, "echo next")).stdout, "next\n");
      },
    },
  ]),
  {
    name: "a signal ends the run, and nothing of it is written afterwards",
    async run({ workspace, backend }) {
      const controller = new AbortController();
      const run = workspace.runtime.exec("while true; do echo x >> log; done", {
        backend,
        signal: controller.signal,
      });
      while (!(await workspace.fs.exists("/log"))) await pause(5);
      controller.abort();
      assert.equal((await run.result()).status, "killed");
      const { size } = await workspace.fs.stat("/log");
      await pause(50);
      assert.equal((await workspace.fs.stat("/log")).size, size);
    },
  },
  {
    name: "runs at the same time do not mix",
    async run({ workspace, backend }) {
      const runs = Array.from({ length: 8 }, (_, index) =>
        workspace.runtime.exec(
          `x=${index}; for i in 1 2 3 4 5; do echo $x; sleep 0.005; done; echo $x > file$x`,
          {
            backend,
          },
        ),
      );
      const results = await Promise.all(runs.map((run) => run.result()));
      for (const [index, result] of results.entries()) {
        assert.equal(result.stdout, `${index}\n`.repeat(5));
        assert.equal(await workspace.fs.readFile(`/file${index}`, "utf8"), `${index}\n`);
      }
    },
  },
];
