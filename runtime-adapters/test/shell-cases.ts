import assert from "node:assert/strict";
import { type BackendCase, sh } from "../../framework/test/contracts/backend/context.ts";
import { nameCases } from "./name-cases.ts";

/** What the interpreter of the isolate shell must do beyond the contract: it stays within bounds. */
export const shellCases: readonly BackendCase[] = [
  ...nameCases,
  ...[
    ["a function that calls itself", "f() { f; }; f", /recursion/],
    ["a fork bomb", "bomb() { bomb | bomb & }; bomb", /recursion/],
    ["a variable that doubles for ever", "x=x; while true; do x=$x$x; done", /string length/],
    ["a variable of a gigabyte", 'printf -v x "%1000000000s" y', /./],
    ["an enormous range", "echo {1..10000000}", /10000000 items/],
    ["a product of ranges", "echo {1..1000}{1..1000}", /brace expansion/],
    ["nested substitutions", `${"x=$(echo ".repeat(200)}${")".repeat(200)}`, /./],
    ["an endless awk", "awk 'BEGIN { while (1) x = x + 1 }'", /./],
    ["an endless jq", "jq -n '[range(1e12)] | length'", /./],
    ["a sequence without an end in sight", "seq 1 1000000000 | wc -l", /./],
  ].map(
    ([what, source, words]): BackendCase => ({
      name: `${what} ends with a word on why, and the next run works`,
      async run(context) {
        const { workspace, backend } = context;
        const result = await workspace.runtime
          .exec(source as string, { backend, timeoutMs: 20_000 })
          .result();
        const said = `${result.stderr}${result.limits.map(({ message }) => message).join()}`;
        assert.match(said, words as RegExp);
        assert.notEqual(result.exitCode, 0);
        assert.equal((await sh(context, "echo next")).stdout, "next\n");
      },
    }),
  ),
  {
    name: "a bound of the interpreter is in the limits of the run",
    async run(context) {
      const result = await sh(context, "f() { f; }; f; echo not reached");
      assert.equal(result.exitCode, 126);
      assert.equal(result.stdout, "");
      assert.deepEqual(
        result.limits.map(({ limit, value }) => [limit, value]),
        [["backend", 0]],
      );
      assert.doesNotMatch(result.limits[0]?.message ?? "", /executionLimits/);
    },
  },
  ...[
    ["awk", "awk 'BEGIN { while (1) x = x + 1 }'"],
    ["sed", "echo a | sed ':a;ba'"],
    ["jq", "jq -n '[limit(1e8; repeat(1))] | length'"],
    ["seq", "seq 1 1000000000"],
  ].map(
    ([command, source = ""]): BackendCase => ({
      name: `a bound that ${command} came up against is in the limits of the run`,
      async run(context) {
        const { exitCode, limits } = await sh(context, source);
        assert.equal(exitCode, 126);
        assert.deepEqual(
          limits.map(({ limit }) => limit),
          ["backend"],
        );
        assert.match(limits[0]?.message ?? "", new RegExp(`${command}: .*(exceeded|too many)`));
      },
    }),
  ),
  {
    name: "nothing is said about the interpreter to whoever wrote the script",
    async run(context) {
      const { stderr } = await sh(context, "python3 -V; sqlite3 x; f() { f; }; f");
      assert.equal(
        stderr,
        "bash: python3: command not found\nbash: sqlite3: command not found\nbash: f: maximum recursion depth (100) exceeded\n",
      );
      const deep = await sh(context, `${"(".repeat(20_000)}:${")".repeat(20_000)}`);
      assert.doesNotMatch(deep.stderr, /call stack/);
      assert.notEqual(deep.stderr, "");
    },
  },
  {
    name: "`yes | head` says yes a few times",
    async run(context) {
      assert.equal((await sh(context, "yes | head -3; yes no | head -n 1")).stdout, "y\ny\ny\nno\n");
    },
  },
  {
    name: "a flood of output is cut at the bound and costs no more than that",
    async run({ workspace, backend }) {
      const run = workspace.runtime.exec("for i in {1..200}; do yes; done", {
        backend,
        maxOutputBytes: 100_000,
      });
      const result = await run.result();
      assert.equal(result.stdout.length, 100_000);
      assert.deepEqual(
        result.limits.map(({ limit }) => limit).filter((limit) => limit === "maxOutputBytes"),
        ["maxOutputBytes"],
      );
      assert.ok(result.droppedBytes > 0);
      assert.equal((await sh({ workspace, backend }, "echo next")).stdout, "next\n");
    },
  },
  {
    name: "a pattern over many folders is bounded",
    async run({ workspace, backend }) {
      let path = "";
      for (let depth = 0; depth < 20; depth++) {
        path += "/d";
        await workspace.fs.mkdir(path);
        await workspace.fs.symlink("/", `${path}/back`);
      }
      const result = await workspace.runtime
        .exec("shopt -s globstar; echo /*/*/*/*/*/*/*/*/* /**/back/**/back/**/* | wc -c", {
          backend,
          timeoutMs: 5000,
        })
        .result();
      assert.ok(["exited", "timeout"].includes(result.status));
      assert.equal((await sh({ workspace, backend }, "echo next")).stdout, "next\n");
    },
  },
  {
    name: "the shell has no way out: no network, no host",
    async run(context) {
      const result = await sh(
        context,
        "curl http://example.com; wget x; nc x 1; echo > /dev/tcp/1.1.1.1/80; echo done",
      );
      assert.match(result.stderr, /curl: .*not/);
      assert.equal(result.stdout, "done\n");
      const files = await sh(context, "cat /etc/passwd /proc/self/environ; ls /");
      assert.equal(files.stdout, "");
    },
  },
  {
    name: "/dev is the shell's, /tmp comes when it is needed",
    async run(context) {
      const { workspace } = context;
      const result = await sh(
        context,
        "echo x > /dev/null; cat /dev/null; echo t > /tmp/t; cat /tmp/t; head -c 3 /dev/zero | od -An -c; diff <(echo a) <(echo b) > /dev/null; echo $?; echo e | tee /dev/stderr",
      );
      assert.equal(
        result.stdout,
        "t\n  \\0  \\0  \\0\n1\ne\n".replace("  \\0  \\0  \\0", result.stdout.split("\n")[1] ?? ""),
      );
      assert.match(result.stdout, /\\0 +\\0 +\\0/);
      assert.equal(result.stderr, "e\n");
      assert.deepEqual(await workspace.fs.readdir("/"), ["tmp"]);
      assert.equal((await workspace.fs.stat("/tmp")).mode & 0o7777, 0o1777);
    },
  },
  {
    name: "a file too large for an RPC message is refused with a word",
    async run({ workspace, backend }) {
      await workspace.fs.writeFile("/large", new Uint8Array(25 * 1024 * 1024));
      const result = await sh({ workspace, backend }, "cat large > copy; echo $?");
      assert.equal(result.stdout, "1\n");
      assert.match(result.stderr, /large/);
      assert.equal((await sh({ workspace, backend }, "stat -c %s large")).stdout, `${25 * 1024 * 1024}\n`);
    },
  },
  {
    name: "a redirected shell stays redirected",
    async run(context) {
      const result = await sh(context, "echo one; exec > log 2>&1; echo two; ls nowhere; echo three | cat");
      assert.equal(result.stdout, "one\n");
      assert.equal(result.stderr, "");
      const log = await context.workspace.fs.readFile("/log", "utf8");
      assert.equal(log, "two\nls: nowhere: No such file or directory\nthree\n");
    },
  },
];
