import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generate } from "../src/generate.ts";
import { writeFiles } from "./fixture.ts";
import { RICH_PROJECT } from "./rich-project.ts";

const exec = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../..");
const BIN = path.join(ROOT, "node_modules/.bin");
const ENV = { ...process.env, WRANGLER_SEND_METRICS: "false", X_LOCAL_EXPLORER: "false", NO_COLOR: "1" };

let dir: string;
beforeAll(async () => {
  dir = realpathSync(mkdtempSync(path.join(tmpdir(), "codegen-rich-")));
  symlinkSync(path.join(ROOT, "node_modules"), path.join(dir, "node_modules"));
  writeFiles(dir, {
    ...RICH_PROJECT,
    "package.json": { name: "rich", type: "module", computer: { deleted: ["GoneObject"] } },
    "tsconfig.json": readFileSync(path.join(ROOT, "examples/quickstart/tsconfig.json"), "utf8"),
  });
  const { diagnostics } = await generate(dir);
  expect(diagnostics).toEqual([]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("what is emitted passes the type check of a strict project", async () => {
  writeFiles(dir, {
    // Stricter than the example's, and with the client in use.
    "tsconfig.strict.json": {
      extends: "./tsconfig.json",
      compilerOptions: {
        noImplicitOverride: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
      },
      include: ["src", "generated", "use.ts"],
    },
    "use.ts": `import { connect } from "./generated/client.ts";
using computer = connect({ url: "http://127.0.0.1:1" });
using cal = computer.cal("a");
const page = await cal.add({ kind: "note", text: "x" }, "high");
const id: number | undefined = page.items[0]?.id;
const at: Date = await cal.later(new Date(), 1, null);
const bytes: Uint8Array = await cal.reverse_bytes(new Uint8Array());
const names: string[] = (await computer.topKeeper("b").list(undefined, "z")).map(({ name }) => name);
const found: string | undefined = await cal.maybe(true);
// @ts-expect-error the tag decides what else there is
await cal.add({ kind: "note", with: [] });
// @ts-expect-error not a level
await cal.add({ kind: "note", text: "x" }, "medium");
export { at, bytes, found, id, names };
`,
  });
  for (const config of ["tsconfig.json", "tsconfig.strict.json"]) {
    const { stdout } = await exec(path.join(BIN, "tsc"), ["-p", path.join(dir, config)]).catch(
      (error) => error,
    );
    expect(stdout).toBe("");
  }
});

test("wrangler takes the configuration, with renamed and deleted classes", async () => {
  const out = path.join(dir, "bundle");
  const { stdout, stderr } = await exec(
    path.join(BIN, "wrangler"),
    ["deploy", "--dry-run", "--config", path.join(dir, "generated/wrangler.jsonc"), "--outdir", out],
    { env: ENV },
  );
  expect(stderr).not.toMatch(/warning/i);
  for (const binding of ["CALENDAR (CalendarObject)", "TOP_KEEPER (TopKeeperObject)", "LOADER"]) {
    expect(stdout).toContain(`env.${binding}`);
  }
});

describe("on workerd", () => {
  let url: string;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const port = await freePort();
    const child = spawn(
      path.join(BIN, "wrangler"),
      [
        ...[
          "dev",
          "--config",
          path.join(dir, "generated/wrangler.jsonc"),
          "--ip",
          "127.0.0.1",
          "--port",
          String(port),
        ],
        ...["--persist-to", path.join(dir, "state"), "--var", "COMPUTER_MODE:development"],
      ],
      { env: ENV, stdio: ["ignore", "pipe", "pipe"], detached: true },
    );
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    stop = async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
      await exited;
    };
    let log = "";
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        log += chunk.toString();
        if (log.includes("Ready on")) resolve();
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      void exited.then(() => reject(new Error(`wrangler ended:\n${log}`)));
    });
    url = `http://127.0.0.1:${port}`;
  });
  afterAll(() => stop());

  const call = async (tool: string, args: unknown, agent = "cal") => {
    const response = await fetch(`${url}/agents/${agent}/me/tools/${tool}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(args),
    });
    return { status: response.status, body: await response.json() };
  };

  test("dates and bytes cross as JSON, decoded and encoded by their schema", async () => {
    expect(await call("later", { at: "2026-01-31T12:00:00Z", days: 1, exact: true })).toEqual({
      status: 200,
      body: "2026-02-01T12:00:00.001Z",
    });
    expect(await call("reverse_bytes", { data: "AQID" })).toEqual({ status: 200, body: "AwIB" });
    expect(await call("echo", { value: { kind: "note", text: "x", attachment: "AQ==" } })).toEqual({
      status: 200,
      body: { kind: "note", text: "x", attachment: "AQ==" },
    });
    expect(
      await call("add", {
        entry: { kind: "meeting", at: "2026-01-31T12:00:00Z", with: [] },
        tags: { a: "b" },
      }),
    ).toEqual({
      status: 200,
      body: { items: [{ id: 1 }], next: "low" },
    });
  });

  test.each<[string, unknown, string]>([
    ["later", { at: "soon", days: 1 }, "/at"],
    ["later", { at: "2026-01-31T12:00:00Z", days: "1" }, "/days"],
    ["later", { at: "2026-01-31T12:00:00Z", days: 1, exact: "yes" }, "/exact"],
    ["add", { entry: { kind: "meeting", at: "2026-01-31T12:00:00Z", with: [1] } }, "/entry/with/0"],
    ["add", { entry: { kind: "party" } }, "/entry/kind"],
    ["add", { entry: { kind: "note", text: "x" }, level: "medium" }, "/level"],
    ["depth", { tree: { value: 1, children: [{ value: 1 }] } }, "/tree/children/0/children"],
  ])("%s refuses %j at its path", async (tool, args, at) => {
    expect(await call(tool, args)).toMatchObject({
      status: 400,
      body: { error: { code: "ERR_BAD_ARGUMENT", path: at } },
    });
  });

  test("nothing, something that may be nothing, and what the constructor got", async () => {
    expect(await call("nothing", {})).toEqual({ status: 200, body: null });
    expect(await call("maybe", { found: false })).toEqual({ status: 200, body: null });
    expect(await call("whoami", {})).toEqual({ status: 200, body: { id: "me", mode: "development" } });
    expect(await call("list", { to: "z" }, "top-keeper")).toEqual({
      status: 200,
      body: [{ name: "-" }, { name: "z" }],
    });
  });

  test("the generated client", async () => {
    const { connect } = await import(path.join(dir, "generated/client.ts"));
    using computer = connect({ url });
    using cal = computer.cal("me");
    expect(await cal.later(new Date(0), 1)).toEqual(new Date(86_400_000));
    expect(await cal.reverse_bytes(new Uint8Array([1, 2, 3]), 2)).toEqual(new Uint8Array([2, 1]));
    expect(await cal.depth({ value: 1, children: [{ value: 2, children: [] }] })).toBe(2);
    expect(await cal.maybe(false)).toBeUndefined();
    await expect(cal.later("1970-01-01", 1)).rejects.toMatchObject({ code: "ERR_BAD_ARGUMENT", path: "/at" });
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}
