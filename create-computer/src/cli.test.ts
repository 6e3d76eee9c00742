import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { main } from "./cli.ts";

let root: string;
let target: string;
let said: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "create-"));
  target = join(root, "work/my-agent");
  mkdirSync(join(root, "work"));
  said = "";
  const keep = (text: unknown) => {
    said += `${text}\n`;
  };
  vi.spyOn(console, "log").mockImplementation(keep);
  vi.spyOn(console, "error").mockImplementation(keep);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(root, { recursive: true });
});

/** Puts a program before the real one of its name. */
function fake(name: string, script: string): void {
  mkdirSync(join(root, "bin"), { recursive: true });
  writeFileSync(join(root, "bin", name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(root, "bin", name), 0o755);
  vi.stubEnv("PATH", [join(root, "bin"), process.env.PATH].join(delimiter));
}

test("--help and --version do nothing else", async () => {
  expect(await main(["--help"])).toBe(0);
  expect(said).toContain("--no-install");
  expect(await main(["--version", target])).toBe(0);
  expect(existsSync(target)).toBe(false);
});

test("creates a project, a git repository too, and says how to go on", async () => {
  expect(await main([target, "--yes", "--no-install"])).toBe(0);
  expect(readdirSync(target).sort()).toEqual([
    ".git",
    ".gitignore",
    "README.md",
    "package.json",
    "src",
    "tsconfig.json",
  ]);
  expect(said).toMatch(/cd .*my-agent\n\s+npm install\n\s+npm test/);
  expect(readdirSync(join(root, "work"))).toEqual(["my-agent"]);
});

test("a folder that begins with a hyphen is no option of cd's", async () => {
  const cwd = vi.spyOn(process, "cwd").mockReturnValue(join(root, "work"));
  expect(await main(["--yes", "--no-install", "--no-git", "--", "-y"])).toBe(0);
  cwd.mockRestore();
  expect(said).toContain("cd ./-y\n");
});

test("fills a folder that is there and empty, in place", async () => {
  mkdirSync(target);
  expect(await main([target, "--yes", "--no-install", "--no-git"])).toBe(0);
  expect(readdirSync(target)).toContain("package.json");
  expect(readdirSync(target).filter((name) => name.startsWith(".create-"))).toEqual([]);
});

test("inside a git repository it makes no other", async () => {
  mkdirSync(join(root, "work/repository"));
  const inner = join(root, "work/repository/inner");
  const { execFileSync } = await import("node:child_process");
  execFileSync("git", ["init", "-q"], { cwd: join(root, "work/repository") });
  expect(await main([inner, "--yes", "--no-install"])).toBe(0);
  expect(existsSync(join(inner, ".git"))).toBe(false);
});

test("installs before the project is in its place", async () => {
  fake("npm", 'if [ "$1" = install ]; then test -f package.json && mkdir node_modules; fi');
  expect(await main([target, "--yes"])).toBe(0);
  expect(existsSync(join(target, "node_modules"))).toBe(true);
  expect(said).not.toContain("npm install\n");
});

describe("leaves nothing behind", () => {
  test.each([
    ["offline", "echo 'npm error code ENOTFOUND' >&2; exit 1", "could not reach the npm registry"],
    ["another failure", "echo 'npm error engine on fire' >&2; exit 1", "engine on fire"],
  ])("npm install: %s", async (_, script, message) => {
    fake("npm", `if [ "$1" = install ]; then mkdir -p node_modules/half; ${script}; fi`);
    const deep = join(root, "work/new/folders/my-agent");
    expect(await main([deep, "--yes"])).toBe(1);
    expect(said).toContain(message);
    expect(said).toContain("--no-install");
    expect(readdirSync(join(root, "work"))).toEqual([]);
  });

  test("npm is missing", async () => {
    vi.stubEnv("PATH", join(root, "bin"));
    expect(await main([target, "--yes"])).toBe(1);
    expect(said).toContain("npm is not installed");
    expect(readdirSync(join(root, "work"))).toEqual([]);
  });

  test("interrupted", async () => {
    fake("npm", 'if [ "$1" = install ]; then touch started; exec sleep 60; fi');
    const code = main([target, "--yes"]);
    const started = () =>
      readdirSync(join(root, "work")).some((draft) => existsSync(join(root, "work", draft, "started")));
    await vi.waitUntil(started, { timeout: 10_000 });
    process.emit("SIGTERM", "SIGTERM");
    expect(await code).toBe(130);
    expect(readdirSync(join(root, "work"))).toEqual([]);
  });

  test("a folder that is not empty stays as it is", async () => {
    mkdirSync(target);
    writeFileSync(join(target, "mine"), "");
    expect(await main([target, "--yes"])).toBe(1);
    expect(readdirSync(target)).toEqual(["mine"]);
  });
});
