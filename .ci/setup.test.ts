import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROOT } from "./lib/packages.ts";

/**
 * Stands in for npm: notes what it is asked, and unpacks the one dependency as npm does, its record last.
 * `FAKE=die` ends it before the record, `FAKE=offline` answers as npm does without network or cache.
 */
const FAKE_NPM = `#!/bin/sh
if [ "$1" = config ]; then printf 'registry=%s\\nhttps-proxy=null\\nproxy=null\\n' "$FAKE_REGISTRY"; exit 0; fi
echo "$*" >> npm.log
if [ "$FAKE" = offline ]; then echo 'npm error code ENOTCACHED' >&2; exit 1; fi
if [ "$FAKE" = broken ]; then echo 'npm warn EBADENGINE noise' >&2; echo 'npm error something odd' >&2; exit 1; fi
rm -rf node_modules; mkdir -p node_modules/.bin node_modules/dep
ln -s "$REAL_NODE" node_modules/.bin/node
echo '{}' > node_modules/dep/package.json
if [ "$FAKE" = die ]; then kill -KILL $$; fi
cp package-lock.json node_modules/.package-lock.json
`;
const LOCK = {
  lockfileVersion: 3,
  packages: { "": { dependencies: { dep: "^1.0.0" } }, "node_modules/dep": { version: "1.0.0" } },
};
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "setup-"));
  mkdirSync(join(root, ".ci"));
  mkdirSync(join(root, "bin"));
  copyFileSync(join(ROOT, ".ci/setup.mjs"), join(root, ".ci/setup.mjs"));
  writeFileSync(join(root, "bin/npm"), FAKE_NPM);
  chmodSync(join(root, "bin/npm"), 0o755);
  writeFileSync(join(root, "package.json"), JSON.stringify({ dependencies: { dep: "^1.0.0" } }));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify(LOCK));
});
afterEach(() => rmSync(root, { recursive: true }));

function setup(env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [".ci/setup.mjs"], {
    cwd: root,
    encoding: "utf8",
    env: {
      PATH: [join(root, "bin"), process.env.PATH].join(delimiter),
      REAL_NODE: process.execPath,
      FAKE_REGISTRY: "not a url",
      ...env,
    },
  });
  return { status, stdout, stderr };
}

function npmRuns(): string[] {
  const file = join(root, "npm.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

test("installs on a clean checkout by npm ci, then has nothing to do", () => {
  expect(setup()).toMatchObject({ status: 0, stdout: expect.stringContaining("dependencies installed") });
  expect(npmRuns()).toEqual([expect.stringMatching(/^ci /)]);
  expect(setup()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(npmRuns()).toHaveLength(1);
});

test("takes what npm itself installed as installed", () => {
  setup();
  rmSync(join(root, "node_modules/.computer-setup.json"));
  expect(setup()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(npmRuns()).toHaveLength(1);
});

test("does not take a killed install for a complete one", () => {
  expect(setup({ FAKE: "die" })).toMatchObject({ status: 130 });
  expect(existsSync(join(root, "node_modules/dep"))).toBe(true);
  expect(setup()).toMatchObject({ status: 0 });
  expect(npmRuns()).toHaveLength(2);
});

test("installs again when a package is gone, and when another version is wanted", () => {
  setup();
  rmSync(join(root, "node_modules/.computer-setup.json"));
  rmSync(join(root, "node_modules/dep"), { recursive: true });
  setup();
  expect(npmRuns()).toHaveLength(2);
  const packages = { ...LOCK.packages, "node_modules/dep": { version: "1.1.0" } };
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ ...LOCK, packages }));
  setup();
  expect(npmRuns()).toHaveLength(3);
});

test("a change of package.json that is about no dependency installs nothing", () => {
  setup();
  writeFileSync(
    join(root, "package.json"),
    JSON.stringify({ dependencies: { dep: "^1.0.0" }, license: "MIT" }),
  );
  expect(setup()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(npmRuns()).toHaveLength(1);
});

test("a lock file behind package.json: npm install here, a plain failure under CI", () => {
  writeFileSync(join(root, "package.json"), JSON.stringify({ dependencies: { dep: "^1.0.0", other: "1" } }));
  const ci = setup({ CI: "true" });
  expect(ci).toMatchObject({ status: 1, stderr: expect.stringContaining("does not match package.json") });
  expect(setup()).toMatchObject({ status: 0 });
  expect(npmRuns()).toEqual([expect.stringMatching(/^install /)]);
});

test("without network: npm's cache is tried, then a plain message", () => {
  // Nobody listens on port 1 of loopback: what a registry looks like without network.
  const result = setup({ FAKE: "offline", FAKE_REGISTRY: "http://127.0.0.1:1/" });
  expect(result.status).toBe(1);
  expect(result.stderr).toContain("No network to the npm registry");
  expect(result.stderr).toContain("ECONNREFUSED");
  expect(npmRuns()).toEqual([expect.stringContaining("--offline")]);
});

test("another failure shows what npm said, less its noise", () => {
  const { status, stderr } = setup({ FAKE: "broken" });
  expect(status).toBe(1);
  expect(stderr).toContain("something odd");
  expect(stderr).not.toContain("EBADENGINE");
});

test("a package.json that is no JSON is named", () => {
  writeFileSync(join(root, "package.json"), "{");
  expect(setup()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("package.json is not valid JSON"),
  });
});
