import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
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
