import assert from "node:assert/strict";
import { ALL_BYTES, type BackendCase, concat, sh } from "./context.ts";

/** Bytes and names come through as they are. */
export const byteCases: readonly BackendCase[] = [
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
        assert.equal(new TextDecoder().decode(result.stderr), "");
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
