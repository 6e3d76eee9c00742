/**
 * `npm run test:create`: what a newcomer does, for real. Our built packages go to a registry on
 * loopback; then, with a fresh account in an empty folder: `npm create computer my-agent -- --yes`,
 * `npm test`, `npm run check`, and `npm run dev` until a tool answers, ended by Ctrl-C.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { publishedPackages } from "../../.ci/lib/packages.ts";
import { capture } from "../../.ci/lib/steps.ts";
import { Newcomer, type Started } from "./support/newcomer.ts";
import { installVerdaccio, type Registry, startVerdaccio } from "./support/verdaccio.ts";

const root = mkdtempSync(join(tmpdir(), "create-computer-"));
const cleanups: (() => unknown)[] = [() => rmSync(root, { recursive: true, force: true, maxRetries: 5 })];
let passed = 0;
let failed = 0;

async function step<T>(name: string, work: () => Promise<T> | T): Promise<T> {
  const started = performance.now();
  try {
    const result = await work();
    passed++;
    console.log(`ok    ${name}  ${((performance.now() - started) / 1000).toFixed(1)} s`);
    return result;
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}  ${((performance.now() - started) / 1000).toFixed(1)} s`);
    throw error;
  }
}

async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)));
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await cleanUp();
  console.log(`${passed} passed, ${failed} failed`);
}

async function main(): Promise<void> {
  await step("install verdaccio", installVerdaccio);
  const registry = await step("start verdaccio", () => startVerdaccio(join(root, "registry")));
  cleanups.push(() => registry.close());
  for (const { dir, manifest } of publishedPackages()) {
    await step(`publish ${manifest.name}`, () => publish(dir, registry));
  }

  const newcomer = new Newcomer(join(root, "newcomer"), registry.url);
  cleanups.push(() => newcomer.killAll());
  const project = join(newcomer.folder, "my-agent");
  await step("npm create computer my-agent -- --yes", () =>
    newcomer.run("npm", ["create", "computer", "my-agent", "--", "--yes"]),
  );
  await step("npm test", async () => {
    const output = await newcomer.run("npm", ["test"], project);
    if (!/Tests\s.*\b[1-9]\d* passed/.test(stripVTControlCharacters(output)))
      throw new Error(`no test ran:\n${output}`);
  });
  await step("npm run check", () => newcomer.run("npm", ["run", "check"], project));
  const dev = newcomer.start("npm", ["run", "dev"], project);
  await step("npm run dev: a tool answers", () => callTool(dev));
  await step("Ctrl-C leaves no process behind", () => interrupt(dev, newcomer));
}

async function publish(dir: string, registry: Registry): Promise<void> {
  const userconfig = join(root, "publisher.npmrc");
  writeFileSync(userconfig, `registry=${registry.url}\n${registry.npmrc}\n`);
  const settings = [
    `--userconfig=${userconfig}`,
    `--registry=${registry.url}`,
    `--cache=${join(root, "npm-cache")}`,
  ];
  const { code, output } = await capture("npm", [
    "publish",
    "--workspace",
    dir,
    "--ignore-scripts",
    ...settings,
  ]);
  if (code !== 0) throw new Error(`npm publish ${dir} failed:\n${output}`);
}

/** Waits for the address that the server prints, and calls a tool by plain HTTP. */
async function callTool(dev: Started): Promise<void> {
  const deadline = Date.now() + 120_000;
  let why = "it printed no address";
  while (Date.now() < deadline && !dev.ended) {
    const url = /http:\/\/(127\.0\.0\.1|localhost):\d+/.exec(dev.output)?.[0];
    if (url !== undefined) {
      const answer = await post(`${url}/agents/ledger/home/tools/record`, { what: "tea", amount: 3 });
      if (answer.status === 200) {
        const expected = '{"what":"tea","amount":3,"category":"other"}';
        if (answer.text !== expected) throw new Error(`the tool answered ${answer.text}, not ${expected}`);
        const totals = await post(`${url}/agents/ledger/home/tools/totals`, {});
        if (totals.text !== '[{"category":"other","amount":3}]')
          throw new Error(`totals answered ${totals.text}`);
        return;
      }
      why = `it answered ${answer.status} ${answer.text}`;
    }
    await sleep(300);
  }
  throw new Error(`no tool answered: ${why}. npm run dev printed:\n${dev.output}`);
}

async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { status: 0, text: String(error) };
  }
}

async function interrupt(dev: Started, newcomer: Newcomer): Promise<void> {
  dev.interrupt();
  const end = await Promise.race([dev.done, sleep(20_000, undefined, { ref: false })]);
  if (end === undefined) throw new Error(`npm run dev still runs 20 s after Ctrl-C:\n${dev.output}`);
  // The processes end one after the other; those of this moment may be on their way out.
  for (let tries = 0; tries < 20 && newcomer.processes().length > 0; tries++) await sleep(100);
  const left = newcomer.processes();
  if (left.length > 0) throw new Error(`still alive after Ctrl-C:\n${left.join("\n")}`);
}
