import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Built, Bundler } from "./bundle.ts";
import { devLayout } from "./layout.ts";

let dir: string;
let bundler: Bundler;

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
  writeFileSync(path.join(dir, file), text);
}

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "computer-bundle-"));
  write("tsconfig.json", '{ "compilerOptions": { "paths": { "@own/*": ["./lib/*"] } } }');
  write("node_modules/there/package.json", '{ "name": "there", "main": "main.js" }');
  write("node_modules/there/main.js", "export const there = 'text of the package';");
  write("lib/own.ts", "export const own: string = 'text of our own';");
  write("src/thing.ts", "export const thing: number = 1;");
  write("src/page.html", "<p>page</p>");
  write("generated/guests/shell.js", "text of the guest");
  write(
    "generated/worker.ts",
    `import { there } from "there";
import { own } from "@own/own.ts";
import path from "path";
import { DurableObject } from "cloudflare:workers";
import { thing } from "../src/thing.ts";
import page from "../src/page.html";
import guest from "./guests/shell.js";
export class Thing extends DurableObject {}
export default { fetch: () => new Response([there, own, path.sep, thing, page, guest].join()) };`,
  );
  bundler = new Bundler(devLayout(dir), "the-key");
});

afterEach(async () => {
  await bundler.dispose();
  rmSync(dir, { recursive: true, force: true });
});

const bundle = () => readFileSync(devLayout(dir).bundle, "utf8");

test("bundles the project's own sources, and leaves packages, assets and guests to wrangler", async () => {
  const built = (await bundler.build()) as Built;
  expect(built).toMatchObject({ changed: true });
  expect(built.inputs.map((input) => path.relative(dir, input)).sort()).toEqual(
    ["generated/worker.ts", "lib/own.ts", "src/thing.ts"].map(path.normalize),
  );
  const text = bundle();
  expect(text).toContain('from "there"');
  expect(text).toContain('from "path"');
  expect(text).toContain('from "cloudflare:workers"');
  expect(text).toContain("text of our own");
  expect(text).not.toMatch(/text of the (package|guest)/);
  expect(text).toContain(JSON.stringify(path.join(dir, "src/page.html")));
  expect(text).toContain(`"${built.build}"`);
  expect(text).toContain("//# sourceMappingURL=data:");
  if (process.platform !== "win32") expect(statSync(devLayout(dir).bundle).mode & 0o777).toBe(0o600);
});

test("the same sources are the same build, and are not written again", async () => {
  const first = (await bundler.build()) as Built;
  const { mtimeNs } = statSync(devLayout(dir).bundle, { bigint: true });
  expect(await bundler.build()).toEqual({ ...first, changed: false });
  expect(statSync(devLayout(dir).bundle, { bigint: true }).mtimeNs).toBe(mtimeNs);
  write("src/thing.ts", "export const thing: number = 2;");
  const next = (await bundler.build()) as Built;
  expect(next.changed).toBe(true);
  expect(next.build).not.toBe(first.build);
});

test("keeps the last bundle when a source is broken or a package is not there", async () => {
  await bundler.build();
  const good = bundle();
  write("src/thing.ts", "export const thing = ;");
  expect(await bundler.build()).toMatch(/src\/thing\.ts:1:21/);
  write("src/thing.ts", "export { thing } from 'nowhere';");
  expect(await bundler.build()).toMatch(/Could not resolve "nowhere"/);
  expect(bundle()).toBe(good);
});
