import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, type TestContext, test } from "vitest";
import { requires } from "../../../.ci/lib/requires.ts";
import { kernelMount, requiresFuse, type TestMount } from "../support/kernel.ts";
import { run } from "../support/shell.ts";

const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const MINUTES = 60_000;

async function requiresTool(context: TestContext, tool: string, probe = ["--version"]): Promise<void> {
  requires(context, tool, (await run(tool, probe, { timeoutMs: 60_000 })).code === 0);
}

describe("real tools", () => {
  beforeEach(requiresFuse);

  test(
    "git: clone over file://, gc, fsck, worktree",
    async (context) => {
      await requiresTool(context, "git");
      await using tree = await kernelMount();
      await tree.inside(
        `git init -q a; cd a; git config user.name n; git config user.email e
       for i in $(seq 200); do echo $i > f$i; done; git add .; git commit -qm one
       for i in $(seq 100); do echo more >> f$i; done; git commit -qam two; git branch side HEAD~1
       cd ..; git clone -q "file://$PWD/a" b; cd b; git gc -q --aggressive; git fsck --full --strict
       git worktree add -q ../w origin/side; test "$(cat ../w/f1)" = 1; git status --porcelain
       git -C ../w log --oneline | wc -l; cd ..; diff -r a b -x .git`,
        3 * MINUTES,
      );
    },
    4 * MINUTES,
  );

  test(
    "npm and pnpm install",
    async (context) => {
      await requiresTool(context, "npm");
      await using tree = await kernelMount();
      const manifest = JSON.stringify({
        dependencies: { lodash: "^4.17.21", rxjs: "^7.8.1", semver: "^7.6.0" },
      });
      await tree.inside(
        `mkdir npm pnpm; echo '${manifest}' | tee npm/package.json > pnpm/package.json; cd npm
       npm install --prefer-offline --no-audit --no-fund --loglevel=error; node -e 'require("rxjs"); require("lodash")'
       npm ls --all > /dev/null; rm -rf node_modules; npm ci --prefer-offline --loglevel=error; test -x node_modules/.bin/semver`,
        5 * MINUTES,
      );
      const has = await run("npx", ["--yes", "pnpm@9", "--version"], { timeoutMs: 2 * MINUTES });
      requires(context, "pnpm", has.code === 0);
      await tree.inside(
        `cd pnpm; npx --yes pnpm@9 install --store-dir "$PWD/../store" --prefer-offline; node -e 'require("rxjs")'`,
        5 * MINUTES,
      );
    },
    12 * MINUTES,
  );

  test(
    "python -m venv",
    async (context) => {
      await requiresTool(context, "python3", ["-m", "venv", "--help"]);
      await using tree = await kernelMount();
      expect(
        await tree.inside(
          "python3 -m venv v; v/bin/python -c 'import sys, pip; print(sys.prefix)'",
          3 * MINUTES,
        ),
      ).toContain(tree.path);
    },
    4 * MINUTES,
  );

  test(
    "make builds once, and an executable runs in place",
    async (context) => {
      await requiresTool(context, "make");
      await requiresTool(context, "cc");
      await using tree = await kernelMount();
      await tree.inside(`printf 'all: hello\\nhello: hello.o other.o\\n\\tcc -o $@ $^\\n%%.o: %%.c\\n\\tcc -c -o $@ $<\\n' > Makefile
      printf '#include <stdio.h>\\nint other(void);\\nint main(void) { return printf("hello %%d%%c", other(), 10) < 0; }\\n' > hello.c
      echo 'int other(void) { return 42; }' > other.c`);
      expect(await tree.inside("make -s -j2; ./hello; make -q && echo 'nothing to do'", MINUTES)).toBe(
        "hello 42\nnothing to do\n",
      );
      await tree.inside("sleep 0.02; echo 'int other(void) { return 43; }' > other.c; ! make -q");
      expect(await tree.inside("make -s; ./hello", MINUTES)).toBe("hello 43\n");
    },
    2 * MINUTES,
  );

  test(
    "tar and rsync: twice copies nothing",
    async (context) => {
      await using tree = await kernelMount();
      const source = `${MODULES}/vitest`;
      requires(context, "some packages", existsSync(source));
      await tree.inside(
        `tar -C '${source}' -cf - . | (mkdir t; tar -C t -xpf -); diff -r '${source}' t
       tar -cf - t | tar -df -; cp -a t u; diff -r t u; ln t/package.json t/hard; mkfifo t/p
       tar -cf all.tar t; mkdir x; tar -C x -xpf all.tar; test "$(stat -c %h x/t/hard)" = 2; test -p x/t/p`,
        2 * MINUTES,
      );
      await requiresTool(context, "rsync");
      await tree.inside("rsync -aH t/ r/", 2 * MINUTES);
      expect(await tree.inside("rsync -aHi --checksum t/ r/; rsync -aHi t/ r/", 2 * MINUTES)).toBe("");
    },
    5 * MINUTES,
  );

  test(
    "sqlite3: WAL, mapped, two processes",
    async (context) => {
      await requiresTool(context, "sqlite3");
      await using tree = await kernelMount();
      const insert = (name: string) =>
        run(
          "sh",
          [
            "-c",
            `for i in $(seq 40); do sqlite3 db "PRAGMA busy_timeout=20000; PRAGMA mmap_size=100000000; BEGIN IMMEDIATE; WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 50) INSERT INTO t SELECT '${name}', $i, n, randomblob(300) FROM c; COMMIT;" > /dev/null || exit 1; done`,
          ],
          { cwd: tree.path, timeoutMs: 2 * MINUTES },
        );
      await tree.inside(
        'sqlite3 db "PRAGMA journal_mode=WAL; CREATE TABLE t(who, round, n, data); CREATE INDEX i ON t(n, who);"',
      );
      const both = await Promise.all([insert("a"), insert("b")]);
      expect(both.map(({ code, err }) => [code, err])).toEqual([
        [0, ""],
        [0, ""],
      ]);
      expect(
        await tree.inside(
          'sqlite3 db "PRAGMA mmap_size=100000000; PRAGMA integrity_check; SELECT count(*) FROM t; PRAGMA wal_checkpoint(TRUNCATE);"',
          MINUTES,
        ),
      ).toBe("100000000\nok\n4000\n0|0|0\n");
    },
    4 * MINUTES,
  );

  test(
    "cargo builds a tiny crate",
    async (context) => {
      await requiresTool(context, "cargo");
      await using tree = await kernelMount();
      await tree.inside(
        "cargo init -q --name tiny --vcs none c; cd c; cargo build -q --offline",
        5 * MINUTES,
      );
      expect(
        await tree.inside(
          "cd c; cargo run -q --offline; cargo build --offline 2>&1 | grep -c Compiling || true",
          5 * MINUTES,
        ),
      ).toBe("Hello, world!\n0\n");
    },
    11 * MINUTES,
  );

  test(
    "vite reloads on a change from outside",
    async (context) => {
      requires(context, "vite", existsSync(`${MODULES}/vite`));
      await using tree = await kernelMount();
      await hotReload(tree);
    },
    2 * MINUTES,
  );
});

/** A vite server in the mount whose module changes from outside: the client hears of it. */
async function hotReload(tree: TestMount): Promise<void> {
  const file = (text: string) => ({ id: 70, kind: "file" as const, content: Buffer.from(text) });
  await tree.mount.apply({
    nodes: [file("export const value = 'before';\n")],
    names: [{ parent: 1, name: "main.js", node: 70 }],
  });
  await tree.inside(`echo '<script type="module" src="/main.js"></script>' > index.html`);
  const script = `
    const { createServer } = await import(${JSON.stringify(`${MODULES}/vite/dist/node/index.js`)});
    const server = await createServer({ root: ${JSON.stringify(tree.path)}, configFile: false, logLevel: "silent", server: { port: 0, host: "127.0.0.1" }, optimizeDeps: { noDiscovery: true } });
    await server.listen();
    const url = "http://127.0.0.1:" + server.httpServer.address().port;
    const text = async () => (await (await fetch(url + "/main.js")).text()).split("\\n")[0];
    console.log(await text());
    const heard = new Promise((done) => server.watcher.on("all", (event, path) => path.endsWith("main.js") && done(event)));
    console.log("watching");
    console.log(await Promise.race([heard, new Promise((done) => setTimeout(done, 20000, "nothing"))]));
    console.log(await text());
    process.exit(0);`;
  const server = run(process.execPath, ["--input-type=module", "-e", script], { timeoutMs: MINUTES });
  await new Promise((resolve) => setTimeout(resolve, 6000));
  await tree.mount.apply({ nodes: [file("export const value = 'after';\n")], names: [] });
  const { out, err } = await server;
  expect([out, err]).toEqual([
    "export const value = 'before';\nwatching\nchange\nexport const value = 'after';\n",
    "",
  ]);
}
