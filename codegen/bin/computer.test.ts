import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** Makes Node say that it is of another version. */
const pretend = (version: string) =>
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`;

let dir: string;
let bin: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "computer-bin-"));
  bin = path.join(dir, "package/bin/computer.mjs");
  mkdirSync(path.join(dir, "package/dist/cli"), { recursive: true });
  mkdirSync(path.join(dir, "project/node_modules/.bin"), { recursive: true });
  cpSync(path.join(import.meta.dirname, "computer.mjs"), bin);
  writeFileSync(path.join(dir, "package/package.json"), '{ "type": "module" }');
  writeFileSync(
    path.join(dir, "package/dist/cli/main.js"),
    "export async function main(args) { console.log(JSON.stringify({ args, marked: 'COMPUTER_STARTED_BY_LAUNCHER' in process.env })); return 7; }",
  );
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (version: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", pretend(version), bin, ...args],
    {
      cwd: path.join(dir, "project"),
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
};

describe.skipIf(process.platform === "win32")("the launcher", () => {
  test.each(["22.12.0", "22.13.1", "24.0.0"])(
    "runs the command on Node %s and hands on arguments and exit code",
    (version) => {
      expect(run(version, "a", "--b")).toEqual({
        status: 7,
        stdout: '{"args":["a","--b"],"marked":false}\n',
        stderr: "",
      });
    },
  );

  test("on an older Node starts the project's own", () => {
    symlinkSync(process.execPath, path.join(dir, "project/node_modules/.bin/node"));
    expect(run("20.20.2", "a", "--b")).toEqual({
      status: 7,
      stdout: '{"args":["a","--b"],"marked":false}\n',
      stderr: "",
    });
  });

  test("says what to do where there is none", () => {
    const { status, stdout, stderr } = run("22.11.9");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("needs Node 22.12 or newer; this is 22.11.9");
    expect(stderr).toContain("npm install --save-dev node");
  });
});
