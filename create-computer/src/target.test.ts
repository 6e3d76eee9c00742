import { accessSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkTarget } from "./target.ts";

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  return { ...fs, accessSync: vi.fn(fs.accessSync) };
});

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "target-")));
});
afterEach(() => rmSync(cwd, { recursive: true }));

test("the folder's name is the package's", () => {
  expect(checkTarget("my-agent", cwd)).toEqual({
    folder: join(cwd, "my-agent"),
    name: "my-agent",
    exists: false,
  });
  expect(checkTarget("deep/down/my-agent/", cwd).folder).toBe(join(cwd, "deep/down/my-agent"));
});

test("an empty folder that exists will do, the current one too", () => {
  mkdirSync(join(cwd, "empty"));
  expect(checkTarget("empty", cwd).exists).toBe(true);
  expect(checkTarget(".", join(cwd, "empty"))).toMatchObject({ name: "empty", exists: true });
});

test.each([
  ["..", "folder above"],
  ["x/..", "folder above"],
  ["", "no name"],
  ["  ", "no name"],
  ["a\0b", "no name"],
  ["My Agent", "URL-friendly"],
  ["MyAgent", "capital letters"],
  [".hidden", "period"],
  ["_private", "underscore"],
  ["node_modules", "not a valid"],
  ["fs", "core module"],
  ["a".repeat(300), "214"],
  ["full", "not empty"],
  ["file", "no folder"],
  ["file/below", "no folder"],
])("refuses %j: %s", (folder, message) => {
  mkdirSync(join(cwd, "full"));
  writeFileSync(join(cwd, "full/something"), "");
  writeFileSync(join(cwd, "file"), "");
  expect(() => checkTarget(folder, cwd)).toThrow(message);
});

test("proposes a name that would do", () => {
  expect(() => checkTarget("My Agent!", cwd)).toThrow(expect.objectContaining({ mend: "Try my-agent." }));
});

test("refuses a folder that may not be written to", () => {
  vi.mocked(accessSync).mockImplementationOnce(() => {
    throw Object.assign(new Error("EACCES"), { code: "EACCES" });
  });
  expect(() => checkTarget("my-agent", cwd)).toThrow(`may not write to ${cwd}`);
});
