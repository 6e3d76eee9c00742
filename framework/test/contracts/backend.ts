import assert from "node:assert/strict";
import type { Run, RunEvent, Workspace } from "@computer/framework";
import type { Case } from "../workerd/cases.ts";

/** What a case works with: a fresh workspace, and the name of the backend in it that is on trial. */
export interface BackendContext {
  readonly workspace: Workspace;
  readonly backend: string;
}

/** One demand of the contract. */
export type BackendCase = Case<BackendContext>;

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const decoder = new TextDecoder();

/**
 * What every backend that runs shell scripts must do. The cases need no test runner, so that they run in
 * Node and inside workerd alike.
 *
 * @example
 * ```ts
 * for (const { name, run } of backendContract) {
 *   test(name, async () => {
 *     await using workspace = await Workspace.memory({ backends: { shell: new LocalShell() } });
 *     await run({ workspace, backend: "shell" });
 *   });
 * }
 * ```
 */
export const backendContract: readonly BackendCase[] = [
  {
    name: "exit status, output and errors",
    async run({ workspace, backend }) {
      const result = await workspace.runtime
        .exec("echo out; echo err >&2; (exit 3); echo $?; exit 4", { backend })
        .result();
      assert.equal(result.status, "exited");
      assert.equal(result.exitCode, 4);
      assert.equal(result.stdout, "out\n3\n");
      assert.equal(result.stderr, "err\n");
      assert.deepEqual(result.limits, []);
      assert.equal(result.droppedBytes, 0);
      assert.equal(result.backend, backend);
    },
  },
  {
    name: "an unknown command is 127, a syntax error is 2, both with a message",
    async run(context) {
      const unknown = await sh(context, "no-such-command");
      assert.equal(unknown.exitCode, 127);
      assert.match(unknown.stderr, /no-such-command: .*not found/);
      const broken = await sh(context, "if then");
      assert.equal(broken.exitCode, 2);
      assert.match(broken.stderr, /syntax error/);
    },
  },
  {
    name: "a missing file is named as a shell names it",
    async run(context) {
      const result = await sh(
        context,
        "cat missing; echo $?; cat < missing; echo x > no/such; echo $?; cd missing",
      );
      assert.match(result.stderr, /cat: missing: No such file or directory/);
      assert.match(result.stderr, /bash: .*missing: No such file or directory/);
      assert.match(result.stderr, /bash: .*no\/such: No such file or directory/);
      assert.match(result.stderr, /cd: missing: No such file or directory/);
      assert.equal(result.stdout, "1\n1\n");
      assert.equal(result.exitCode, 1);
    },
  },
  {
    name: "the working directory is where it was told to be",
    async run({ workspace, backend }) {
      await workspace.fs.mkdir("/a b/é", { recursive: true });
      await workspace.fs.writeFile("/a b/é/file", "here");
      const result = await workspace.runtime.exec("pwd; cat file", { backend, cwd: "/a b/é" }).result();
      assert.equal(result.stdout, "/a b/é\nhere");
      const missing = await workspace.runtime.exec("echo no", { backend, cwd: "/nowhere" }).result();
      assert.notEqual(missing.exitCode, 0);
      assert.match(missing.stderr, /\/nowhere: No such file or directory/);
      assert.equal(missing.stdout, "");
    },
  },
  {
    name: "the environment is what it was given, whole, and only in that run",
    async run({ workspace, backend }) {
      const env = { GREETING: "hé llo\n'\"$x`", EMPTY: "", LONG: "x".repeat(50_000) };
      const source = 'printf "%s|%s|" "$GREETING" "$EMPTY"; printf %s "$LONG" | wc -c';
      const result = await workspace.runtime.exec(source, { backend, env }).result();
      assert.equal(result.stdout, `${env.GREETING}||50000\n`);
      assert.equal((await workspace.runtime.exec('echo "[$GREETING]"', { backend }).result()).stdout, "[]\n");
    },
  },
  {
    name: "nothing of one run is left for the next: variables, functions, options, folders",
    async run(context) {
      await sh(context, "x=1; f() { echo f; }; set -e; cd /tmp; export y=2; exec 3>/dev/null");
      const next = await sh(context, 'echo "[$x$y]"; false; pwd; f');
      assert.equal(next.stdout, "[]\n/\n");
      assert.equal(next.exitCode, 127);
    },
  },
  {
    name: "standard input, as text and as bytes, shared by the commands that read it",
    async run({ workspace, backend }) {
      const text = await workspace.runtime
        .exec('read a; read b; echo "$b-$a"; cat', { backend, stdin: "one\ntwo\nthrée" })
        .result();
      assert.equal(text.stdout, "two-one\nthrée");
      const bytes = await workspace.runtime.exec("cat", { backend, stdin: ALL_BYTES }).bytes();
      assert.deepEqual(bytes.stdout, ALL_BYTES);
      assert.equal((await workspace.runtime.exec("cat; echo end", { backend }).result()).stdout, "end\n");
    },
  },
  ...[
    "cat all",
    "cat < all",
    "cat all | cat | cat",
    "head -c 256 all",
    "base64 all | base64 -d",
    "f() { cat all; }; f",
    "{ cat all; } | cat",
    "(cat all)",
    "if true; then cat all; fi",
    "for file in all; do cat $file; done",
    "cat all > copy; cat copy",
    "head -c 100 all > copy; tail -c 156 all >> copy; cat copy",
    "cat all | tee copy > other; cat other",
    "{ cat all >&2; } 2>&1 | cat",
    "bash -c 'cat all'",
    "eval 'cat all'",
    "cp all copy && mv copy other && cat other",
    "gzip -c all | gunzip -c",
  ].map(
    (source): BackendCase => ({
      name: `all 256 byte values come through: ${source}`,
      async run({ workspace, backend }) {
        await workspace.fs.writeFile("/all", ALL_BYTES);
        const result = await workspace.runtime.exec(source, { backend }).bytes();
        assert.equal(decoder.decode(result.stderr), "");
        assert.deepEqual(result.stdout, ALL_BYTES);
      },
    }),
  ),
  {
    name: "files that a script writes hold the bytes, and >> appends",
    async run({ workspace, backend }) {
      await workspace.fs.writeFile("/all", ALL_BYTES);
      await workspace.fs.writeFile("/log", "first\n");
      await workspace.runtime
        .exec("cat all > copy; cat all >> copy; echo sécond >> log", { backend })
        .result();
      assert.deepEqual(await workspace.fs.readFile("/copy"), concat(ALL_BYTES, ALL_BYTES));
      assert.equal(await workspace.fs.readFile("/log", "utf8"), "first\nsécond\n");
    },
  },
  {
    name: "invalid UTF-8, NUL and a byte order mark are kept in a line of text",
    async run({ workspace, backend }) {
      const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff, 0xc3, 0x00, 0xe9, 0x80, 0x0a);
      await workspace.fs.writeFile("/odd", bytes);
      for (const source of ["cat odd", "cat odd | sort", "tee < odd", "grep a odd"]) {
        const result = await workspace.runtime.exec(source, { backend }).bytes();
        assert.deepEqual(result.stdout, bytes, source);
      }
      const variable = await workspace.runtime.exec('x=$(head -c 6 odd); echo -n "$x"', { backend }).bytes();
      assert.deepEqual(variable.stdout, bytes.slice(0, 6));
    },
  },
  {
    name: "text in UTF-8 through the tools that know characters",
    async run(context) {
      const result = await sh(
        context,
        [
          "echo 'é🙂' | wc -c",
          "printf '%s\\n' 'é🙂' | grep -o 🙂",
          "echo 'é🙂' | sed 's/é/e/'",
          "echo 'ÄÖ' > ü.txt; cat ü.txt; cat *.txt",
        ].join("\n"),
      );
      assert.equal(result.stdout, "7\n🙂\ne🙂\nÄÖ\nÄÖ\n");
    },
  },
  {
    name: "bytes that printf spells out",
    async run({ workspace, backend }) {
      const result = await workspace.runtime
        .exec("printf '\\377\\xfe\\0a'; printf '%s' é", { backend })
        .bytes();
      assert.deepEqual(result.stdout, Uint8Array.of(0xff, 0xfe, 0x00, 0x61, 0xc3, 0xa9));
    },
  },
  {
    name: "names with spaces, quotes, backslashes and letters of any script",
    async run({ workspace, backend }) {
      const names = ["a b", "quote'\"", "back\\slash", "-dash", "é", "名前", "🙂"];
      await workspace.fs.mkdir("/in");
      for (const name of names) await workspace.fs.writeFile(`/in/${name}`, name);
      const source =
        'mkdir /out; for f in *; do cp -- "$f" "/out/$f" && [ -f "./$f" ] && cat -- "$f"; done | wc -c';
      const result = await workspace.runtime.exec(source, { backend, cwd: "/in" }).result();
      assert.equal(result.stderr, "");
      assert.equal(result.stdout.trim(), String(new TextEncoder().encode(names.join("")).length));
      assert.deepEqual((await workspace.fs.readdir("/out")).sort(), [...names].sort());
    },
  },
  {
    name: "a name that is not UTF-8 goes in and out as its bytes",
    async run({ workspace, backend }) {
      await workspace.fs.writeFile("/a\udcff", "odd");
      const result = await workspace.runtime
        .exec('for f in a*; do echo "$f"; cat "$f"; done', { backend })
        .bytes();
      assert.deepEqual(
        result.stdout,
        concat(Uint8Array.of(0x61, 0xff, 0x0a), new TextEncoder().encode("odd")),
      );
    },
  },
  {
    name: "links, modes and times are the workspace's",
    async run({ workspace, backend }) {
      await workspace.fs.writeFile("/file", "text");
      await workspace.fs.utimes("/file", 1_000_000, 1_000_000);
      const result = await sh(
        { workspace, backend },
        "ln -s file link; ln file hard; chmod 640 file; readlink link; cat link; [ hard -ef file ] && echo same; mv hard /moved; mkdir -p a/b; rm -r a; [ -e a ] || echo gone",
      );
      assert.equal(result.stderr, "");
      assert.equal(result.stdout, "file\ntextsame\ngone\n");
      assert.equal((await workspace.fs.stat("/moved")).nlink, 2);
      assert.equal((await workspace.fs.stat("/file")).mode & 0o777, 0o640);
      assert.equal((await workspace.fs.stat("/file")).mtimeMs, 1_000_000);
    },
  },
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
      const first = await collect(run);
      const again = await collect(run);
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
  {
    name: "a few megabytes come through a pipe, a file and the log unharmed",
    async run({ workspace, backend }) {
      const big = new Uint8Array(3 * 1024 * 1024);
      for (let at = 0; at < big.length; at++) big[at] = (at * 31) % 251;
      await workspace.fs.writeFile("/big", big);
      const result = await workspace.runtime.exec("cat big | cat > copy; cat copy", { backend }).bytes();
      assert.equal(result.exitCode, 0);
      assert.ok(Buffer.from(result.stdout).equals(big));
      assert.ok(Buffer.from(await workspace.fs.readFile("/copy")).equals(big));
    },
  },
];

async function sh({ workspace, backend }: BackendContext, source: string) {
  return workspace.runtime.exec(source, { backend }).result();
}

function collect(run: Run): Promise<RunEvent[]> {
  return Array.fromAsync(run);
}

function textOf(event: RunEvent | undefined): string {
  return event === undefined || event.type === "end" ? "" : decoder.decode(event.data);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
