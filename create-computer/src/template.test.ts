import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VERSION, writeTemplate } from "./template.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "template-"));
  writeTemplate("basic", folder, "bookkeeper");
});
afterEach(() => rmSync(folder, { recursive: true }));

const json = (file: string) => JSON.parse(readFileSync(file, "utf8"));

test("fills in the name and our version, and nothing is left to fill in", () => {
  const manifest = json(join(folder, "package.json"));
  expect(manifest.name).toBe("bookkeeper");
  expect(manifest.dependencies["@computer/framework"]).toBe(`^${VERSION}`);
  expect(manifest.devDependencies["@computer/codegen"]).toBe(`^${VERSION}`);
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name), "utf8")).not.toMatch(/\{\{/);
  }
});

test("git ignores what is installed, generated and kept", () => {
  const ignored = readFileSync(join(folder, ".gitignore"), "utf8").split("\n");
  expect(ignored).toEqual(expect.arrayContaining(["node_modules/", "generated/", ".computer/"]));
  expect(readdirSync(folder)).not.toContain("_gitignore");
});

test("asks for the same versions of other packages, and lets the same scripts run, as this repository", () => {
  const manifest = json(join(folder, "package.json"));
  const root = json(join(import.meta.dirname, "../../package.json"));
  for (const [name, range] of Object.entries(manifest.devDependencies)) {
    if (!name.startsWith("@computer/")) expect([name, range]).toEqual([name, root.devDependencies[name]]);
  }
  expect(manifest.allowScripts).toEqual(root.allowScripts);
});
