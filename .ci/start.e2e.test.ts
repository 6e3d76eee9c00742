import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../codegen/test/support/dev-server.ts";
import { alive, belongingTo, type Process } from "../codegen/test/support/processes.ts";
import { ROOT } from "./lib/packages.ts";

let persist: string;

beforeAll(() => {
  persist = mkdtempSync(join(tmpdir(), "computer-start-"));
});

afterAll(() => {
  rmSync(persist, { recursive: true, force: true, maxRetries: 5 });
});

interface Started {
  child: ChildProcess;
  output: () => string;
  ended: Promise<number | null>;
}

/** `npm start`, after the setup. */
function start(...args: string[]): Started {
  const child = spawn(process.execPath, [join(ROOT, ".ci/start.ts"), "--persist", persist, ...args], {
    cwd: ROOT,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  }
  return { child, output: () => text, ended: new Promise((resolve) => child.once("close", resolve)) };
}

/** What runs on behalf of the state's folder, which no other process names. */
function running(): Process[] {
  return belongingTo(persist);
}

test("makes the guided call once, and leaves nothing running", async () => {
  const { output, ended } = start("--once");
  expect(await ended, output()).toBe(0);
  expect(output()).toMatch(/reader\.shelve\("Sonnet 18", …\) +\d+ ms/);
  expect(output()).toContain("/shelf/gettysburg-address.txt  22 lines");
  expect(output()).toContain("that 13, here 8, ");
  expect(output()).toContain("/shelf/sonnet-116.txt:2  Admit impediments. Love is not love");
  expect(running()).toEqual([]);
});

test("keeps serving, on another port than a taken one; the curl line works; Ctrl-C ends it", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as AddressInfo;
  const { child, output, ended } = start("--port", String(port));
  try {
    await eventually(output, (text) => text.includes("Serving."), 60_000);
    expect(output()).toContain(`Port ${port} is taken; using `);
    const line = /^ {2}(curl .*)$/m.exec(output())?.[1] ?? "";
    if (spawnSync("curl", ["--version"]).status === 0) {
      const answer = execFileSync("sh", ["-c", line], { encoding: "utf8" });
      expect(JSON.parse(answer)).toHaveLength(3);
    }
    const known = running();
    expect(known.length).toBeGreaterThan(2);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(
      await eventually(
        () => alive(known),
        (left) => left.length === 0,
      ),
    ).toEqual([]);
  } finally {
    child.kill("SIGKILL");
    taken.close();
  }
});

test("Ctrl-C in the middle of the start leaves nothing running", async () => {
  const { child, output, ended } = start();
  await eventually(running, (all) => all.some(({ command }) => command.includes("wrangler")), 60_000);
  const known = running();
  child.kill("SIGINT");
  expect(await ended, output()).toBe(0);
  expect(
    await eventually(
      () => alive(known),
      (left) => left.length === 0,
    ),
  ).toEqual([]);
});

test("says what it does not understand", async () => {
  const { output, ended } = start("--prot", "80");
  expect(await ended).toBe(2);
  expect(output()).toContain("Usage: npm start");
});
