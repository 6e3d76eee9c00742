import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../fixtures/notes/client.ts";
import { type Served, serve } from "./serve.ts";

let served: Served;
beforeAll(async () => {
  served = await serve({ COMPUTER_MODE: "development" });
});
afterAll(() => served[Symbol.asyncDispose]());

test("searches from outside", async () => {
  using computer = connect({ url: served.url });
  using notes = computer.notes("search");
  const { fs } = notes.workspace;
  await fs.mkdir("/src");
  for (const name of ["a.ts", "b.ts", "c.js"]) await fs.writeFile(`/src/${name}`, "one\nTODO two\n");
  const page = await fs.grep(/todo \w+/i, { include: ["*.ts"], limit: 1, context: 1 });
  expect(page.matches).toEqual([
    {
      path: "/src/a.ts",
      line: 2,
      column: 1,
      length: 8,
      text: "TODO two",
      offset: 0,
      before: ["one"],
      after: [],
    },
  ]);
  const rest = await fs.grep(/todo \w+/i, { include: ["*.ts"], cursor: page.cursor as string });
  expect(rest.matches.map(({ path }) => path)).toEqual(["/src/b.ts"]);
  expect((await fs.find({ type: "directory" })).entries.map(({ path }) => path)).toEqual(["/src"]);
  expect(await Array.fromAsync(fs.glob("src/*.ts"))).toEqual(["src/a.ts", "src/b.ts"]);
  const [entry] = await Array.fromAsync(fs.glob("src/*.js", { withFileTypes: true }));
  expect([entry?.name, entry?.isFile()]).toEqual(["c.js", true]);
  await expect(fs.grep("(")).rejects.toMatchObject({ code: "ERR_BAD_ARGUMENT" });
  await expect(fs.grep("x", { nonsense: 1 } as object)).rejects.toMatchObject({ code: "ERR_BAD_ARGUMENT" });
});

test("watches from outside", async () => {
  using computer = connect({ url: served.url });
  using notes = computer.notes("watch");
  const { fs } = notes.workspace;
  await fs.writeFile("/before", "");
  const since = await notes.workspace.revision();
  const events = notes.workspace.watch("/", { since });
  const first = events.next();
  // The first watch of all: what was before it is not known.
  const missed = await Promise.race([first, new Promise((resume) => setTimeout(resume, 300))]);
  expect(missed).toBeUndefined();
  await fs.writeFile("/new", "");
  expect((await first).value).toMatchObject({ kind: "created", path: "/new" });
  const second = events.next();
  await fs.rename("/new", "/newer");
  expect((await second).value).toMatchObject({ kind: "renamed", path: "/newer", oldPath: "/new" });
  await events.return?.();

  using batch = connect({ url: served.url, transport: "batch" });
  using other = batch.notes("watch");
  await expect(other.workspace.watch("/").next()).rejects.toMatchObject({ code: "ERR_UNSUPPORTED" });
  expect((await other.workspace.fs.find({ include: "newer" })).entries.length).toBe(1);
});
