import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Newcomer } from "./newcomer.ts";

let root: string;
let newcomer: Newcomer;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "newcomer-"));
  newcomer = new Newcomer(root, "http://127.0.0.1:1/");
});
afterEach(() => {
  newcomer.killAll();
  rmSync(root, { recursive: true });
});

test("starts with nothing of ours: a fresh home, no npm settings, no commands of this repository", async () => {
  const script = 'echo "$HOME"; env | grep -c ^npm_; echo "$PATH" | grep -c node_modules; true';
  const output = await newcomer.run("sh", ["-c", script]);
  expect(output.trim().split("\n")).toEqual([join(root, "home"), "0", "0"]);
});

test("a command that fails shows what it printed", async () => {
  await expect(newcomer.run("sh", ["-c", "echo why; exit 3"])).rejects.toThrow(/ended with 3:\nwhy/);
});

test("finds a process that fled into a session of its own, and Ctrl-C does not reach it", async (context) => {
  context.skip(process.platform !== "linux", "processes are looked up in /proc");
  const started = newcomer.start("sh", ["-c", "setsid sleep 60 >/dev/null 2>&1 & exec sleep 60"]);
  // Exactly: the shell's own command line speaks of sleep too, before either is on its way.
  await vi.waitUntil(() => newcomer.processes().filter((line) => /^\d+ sleep 60$/.test(line)).length === 2);
  started.interrupt();
  expect(await started.done).toMatchObject({ signal: "SIGINT" });
  expect(newcomer.processes()).toEqual([expect.stringMatching(/^\d+ sleep 60$/)]);
  newcomer.killAll();
  await vi.waitUntil(() => newcomer.processes().length === 0);
});
