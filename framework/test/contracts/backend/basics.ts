import assert from "node:assert/strict";
import { ALL_BYTES, type BackendCase, sh } from "./context.ts";

/** What a shell says and answers: status, messages, folder, environment, input, files. */
export const basicCases: readonly BackendCase[] = [
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
  {
    name: "links, modes and times are the workspace's",
    async run({ workspace, backend }) {
      await workspace.fs.writeFile("/file", "text");
      await workspace.fs.utimes("/file", 1_000, 1_000);
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
];
