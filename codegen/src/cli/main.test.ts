import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Workspace } from "@computer/framework";
import { describe, expect, test } from "vitest";
import { createProject } from "../../test/fixture.ts";
import { VERSION } from "../version.ts";
import { main } from "./main.ts";

async function run(...args: string[]) {
  let out = "";
  let err = "";
  const code = await main(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

const AGENT = 'import { Agent } from "@computer/framework";\n@Agent() export class A {}';

describe("the command line", () => {
  test("help and version", async () => {
    expect(await run("--version")).toEqual({ code: 0, out: `${VERSION}\n`, err: "" });
    expect(await run("--help")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/codegen.*dev/s),
      err: "",
    });
    expect(await run("codegen", "--help")).toMatchObject({
      code: 0,
      out: expect.stringContaining("--check"),
      err: "",
    });
    expect(await run("dev", "--help")).toMatchObject({ code: 0, out: expect.stringContaining("--port") });
  });

  test.each([
    [[], "Usage: computer"],
    [["nope"], "unknown command 'nope'"],
    [["codegen", "--chekc"], "Did you mean --check?"],
    [["codegen", "extra"], "too many arguments"],
    [["codegen", "--project"], "argument missing"],
    [["dev", "--port", "0"], "from 1 to 65535"],
    [["dev", "--port", "80a"], "from 1 to 65535"],
    [["dev", "--port", "70000"], "from 1 to 65535"],
  ])("%j exits 2 and says why", async (args, message) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });
});

describe("computer codegen", () => {
  test("generates, then is up to date", async () => {
    const dir = createProject({ "src/a.ts": AGENT });
    expect(await run("codegen", "--project", dir, "--check")).toMatchObject({
      code: 1,
      err: expect.stringContaining("write  generated/worker.ts"),
    });
    expect(existsSync(path.join(dir, "generated"))).toBe(false);
    expect(await run("codegen", "--project", dir)).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringMatching(/Generated \(\d+ ms\)\.\n$/),
    });
    expect(await run("codegen", "--project", dir, "--check")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Up to date"),
    });
  });

  test("problems go to standard error, exit 1", async () => {
    const dir = createProject({ "src/a.ts": AGENT });
    writeFileSync(path.join(dir, "src/a.ts"), AGENT.replace("export ", ""));
    const { code, out, err } = await run("codegen", "--project", dir);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(
      "src/a.ts:2:16 - error CMP1010: The agent `A` is not exported by its file. Write `export`",
    );
    expect(err).toMatch(/\n1 problem\.\n$/);
  });
});

describe("computer doctor", () => {
  test("tells whether a workspace is sound, and what is wrong", async () => {
    const file = path.join(createProject({}), "agent.db");
    expect(await run("doctor", "--workspace", file)).toMatchObject({
      code: 1,
      err: `There is no file ${file}.\n`,
    });
    expect(await run("doctor")).toMatchObject({ code: 2 });
    {
      await using workspace = await Workspace.open(file);
      await workspace.fs.writeFile("/notes\u001b[2J", "text");
      expect(await run("doctor", "--workspace", file)).toMatchObject({
        code: 1,
        err: expect.stringContaining("ERR_WORKSPACE_LOCKED"),
      });
    }
    expect(await run("doctor", "--workspace", file)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/is sound: 2 nodes, 1 entries/),
      err: "",
    });
    const database = new DatabaseSync(file);
    database.exec("UPDATE vfs_node SET nlink = 7 WHERE id > 1");
    database.close();
    const { code, out } = await run("doctor", "--workspace", file);
    expect(code).toBe(1);
    expect(out).toContain("LINKS         /notes\\u001b[2J: has 1 links, but says 7");
    const json = await run("doctor", "--workspace", file, "--json");
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, problems: [{ code: "LINKS" }] });
    writeFileSync(file, "no database");
    expect(await run("doctor", "--workspace", file)).toMatchObject({
      code: 1,
      err: expect.stringContaining("ERR_WORKSPACE_DAMAGED"),
    });
  });
});
