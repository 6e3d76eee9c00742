/**
 * Runs before `start`, `test`, `build`, `check`, `bench`: installs what is missing, and nothing when
 * nothing is. No dependencies, and syntax that an old Node can parse, since this is the first file
 * that a newcomer's Node ever sees of the project.
 *
 * Three tiers, cheapest first:
 *  1. the hash of the lock file and of all package.json files equals the stamp in node_modules: done;
 *  2. npm's own record of what it unpacked (node_modules/.package-lock.json, written last, so a killed
 *     install has none) agrees with package-lock.json: a stamp is written, done;
 *  3. npm runs.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lookup } from "node:dns/promises";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = 20;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const stampFile = join(modules, ".computer-setup.json");

const major = Number(process.versions.node.split(".")[0]);
if (major < OLDEST_NODE) {
  fail(
    `This project needs Node ${OLDEST_NODE} or newer to install itself; this is Node ${process.versions.node}.`,
    "Install a newer Node from https://nodejs.org or by your system's package manager, then run the command again.",
  );
}

const manifests = readManifests();
const lockText = read(join(root, "package-lock.json"));
const key = hash([lockText, ...manifests.map((m) => m.text), `${process.platform}-${process.arch}`]);

if (stamped(key)) process.exit(0);

const lock = lockText === "" ? undefined : parse(lockText, "package-lock.json");
const drifted = lock === undefined ? [] : drift(lock, manifests);
if (lock !== undefined && drifted.length === 0 && unpacked(lock) && ownNode()) {
  stamp(key);
  process.exit(0);
}

if (drifted.length > 0 && process.env.CI) {
  fail(
    `package-lock.json does not match ${drifted.join(", ")}.`,
    "Run `npm install` and commit package-lock.json.",
  );
}
// `npm ci` empties node_modules first: right for a first install and for CI, wasteful after a `git pull`.
const first = !existsSync(join(modules, ".package-lock.json"));
const ci = lock !== undefined && drifted.length === 0 && (first || Boolean(process.env.CI));
await install(ci ? "ci" : "install", lock);

/** Every package.json whose dependencies the install depends on: the root's and the workspaces'. */
function readManifests() {
  const text = read(join(root, "package.json"));
  const manifest = parse(text, "package.json");
  const found = [{ dir: "", text, manifest }];
  for (const pattern of manifest.workspaces || []) {
    const dirs = pattern.endsWith("/*") ? children(pattern.slice(0, -2)) : [pattern];
    for (const dir of dirs) {
      const text = read(join(root, dir, "package.json"));
      if (text !== "") found.push({ dir, text, manifest: parse(text, `${dir}/package.json`) });
    }
  }
  return found;
}

/** The folders directly below a folder, sorted, as paths relative to the root. */
function children(dir) {
  if (!existsSync(join(root, dir))) return [];
  return readdirSync(join(root, dir), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${dir}/${entry.name}`)
    .sort();
}

/** Which package.json files ask for other dependencies than package-lock.json records. */
function drift(lock, manifests) {
  const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "bin"];
  return manifests
    .filter(({ dir, manifest }) => {
      const locked = lock.packages?.[dir] || {};
      return kinds.some((kind) => canonical(manifest[kind], kind) !== canonical(locked[kind], kind));
    })
    .map(({ dir }) => (dir === "" ? "package.json" : `${dir}/package.json`));
}

function canonical(record, kind) {
  const entries = Object.entries(record || {}).map(([name, value]) => [
    name,
    kind === "bin" ? String(value).replace(/^\.\//, "") : value,
  ]);
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether npm's record of node_modules holds all that the lock file asks for on this machine. */
function unpacked(lock) {
  const text = read(join(modules, ".package-lock.json"));
  if (text === "") return false;
  let record;
  try {
    record = JSON.parse(text);
  } catch {
    return false;
  }
  for (const [path, wanted] of Object.entries(lock.packages || {})) {
    if (!path.includes("node_modules/")) continue;
    const found = record.packages?.[path];
    if (found === undefined) {
      // Packages for other systems are left out, and an optional one may have failed to build.
      if (wanted.optional || wanted.devOptional || wanted.peer) continue;
      return false;
    }
    if (wanted.version !== found.version || !existsSync(join(root, path))) return false;
  }
  return true;
}

/** Whether node_modules/.bin/node, which runs all further scripts, starts. */
function ownNode() {
  const file = join(modules, ".bin", process.platform === "win32" ? "node.cmd" : "node");
  if (!existsSync(file)) return false;
  return spawnSync(file, ["--version"], { shell: process.platform === "win32" }).status === 0;
}

async function install(command, lock) {
  const started = Date.now();
  rmSync(stampFile, { force: true });
  // `npm ci` begins by deleting: killed amid that, npm's record would still call all of it unpacked.
  if (command === "ci") rmSync(join(modules, ".package-lock.json"), { force: true });
  const online = await registryAnswers();
  const args = [command, "--include=dev", "--loglevel=error", "--no-progress", "--no-audit", "--no-fund"];
  if (!online.ok) args.push("--offline"); // npm's cache may hold everything; without it npm fails at once

  const wanted = lock === undefined ? [] : pathsFor(lock);
  const tty = Boolean(process.stdout.isTTY) && !process.env.CI;
  const line = () => {
    const seconds = Math.round((Date.now() - started) / 1000);
    if (wanted.length === 0) return `installing dependencies: ${seconds} s`;
    const there = wanted.filter((path) => existsSync(join(root, path, "package.json"))).length;
    return `installing dependencies: ${there} of ${wanted.length} packages, ${seconds} s`;
  };
  if (!tty) console.log(`installing dependencies: npm ${command}${online.ok ? "" : " --offline"}`);
  const ticker = setInterval(
    () => (tty ? process.stdout.write(`\r\x1b[K${line()}`) : console.log(line())),
    tty ? 500 : 10_000,
  );

  let { code, signal, output } = await npm(args);
  if (command === "ci" && /\bcode EUSAGE\b/.test(output) && !process.env.CI) {
    // The lock file lacks something that only npm's own resolution shows; an install completes it.
    ({ code, signal, output } = await npm(["install", ...args.slice(1)]));
  }
  clearInterval(ticker);
  if (tty) process.stdout.write("\r\x1b[K");
  if (signal !== null || code === 130 || code === 143) {
    console.error("Installation interrupted; the next command starts it again.");
    process.exit(130);
  }
  if (code !== 0) explain(command, output, online);
  if (!ownNode()) {
    fail(
      "The dependencies are installed, but node_modules/.bin/node does not start.",
      "Are install scripts switched off? See `npm config get ignore-scripts`, then run `npm rebuild node`.",
    );
  }
  // npm may have rewritten the lock file.
  stamp(
    hash([
      read(join(root, "package-lock.json")),
      ...manifests.map((m) => m.text),
      `${process.platform}-${process.arch}`,
    ]),
  );
  console.log(`dependencies installed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** The folders below node_modules that an install on this machine is going to fill. */
function pathsFor(lock) {
  const fits = (list, value) =>
    !Array.isArray(list) ||
    ((list.includes(value) || !list.some((x) => !x.startsWith("!"))) && !list.includes(`!${value}`));
  return Object.entries(lock.packages || {})
    .filter(
      ([path, p]) =>
        path.includes("node_modules/") &&
        !p.link &&
        fits(p.os, process.platform) &&
        fits(p.cpu, process.arch),
    )
    .map(([path]) => path);
}

function npm(args) {
  // Under `npm run`, npm tells where it lives: the same npm, and no search through PATH.
  const cli = process.env.npm_execpath;
  const [file, prefix] = cli && /npm-cli\.c?js$/.test(cli) ? [process.execPath, [cli]] : ["npm", []];
  return new Promise((resolve) => {
    const child = spawn(file, [...prefix, ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32" && file === "npm",
    });
    let output = "";
    const keep = (data) => {
      output = (output + data).slice(-64 * 1024);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => child.kill(name));
    child.on("error", (error) => resolve({ code: 127, signal: null, output: String(error) }));
    child.on("close", (code, signal) => resolve({ code, signal, output }));
  });
}

/** Asks whether the registry can be reached, so that its absence costs seconds, not npm's minutes of retries. */
async function registryAnswers() {
  const proxied = [
    "https_proxy",
    "HTTPS_PROXY",
    "http_proxy",
    "HTTP_PROXY",
    "npm_config_https_proxy",
    "npm_config_proxy",
  ];
  if (proxied.some((name) => process.env[name])) return { ok: true, why: "" };
  const asked = await npm(["config", "get", "registry", "https-proxy", "proxy"]);
  const value = (name) => new RegExp(`^${name}=(.*)$`, "m").exec(asked.output)?.[1]?.trim();
  if ([value("https-proxy"), value("proxy")].some((v) => v && v !== "null")) return { ok: true, why: "" };
  let url;
  try {
    url = new URL(value("registry"));
  } catch {
    return { ok: true, why: "" };
  }
  try {
    await withTimeout(lookup(url.hostname), 10_000);
  } catch (error) {
    return { ok: false, why: `its name does not resolve (${error.code || error.message})` };
  }
  return new Promise((resolve) => {
    const socket = connect({
      host: url.hostname,
      port: Number(url.port) || (url.protocol === "http:" ? 80 : 443),
    });
    const end = (ok, why) => {
      socket.destroy();
      resolve({ ok, why });
    };
    socket.setTimeout(10_000, () => end(false, "no answer within 10 s"));
    socket.on("connect", () => end(true, ""));
    socket.on("error", (error) => end(false, `it cannot be reached (${error.code || error.message})`));
  });
}

function withTimeout(promise, ms) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Turns npm's failure into what is missing and what to do. Never returns. */
function explain(command, output, online) {
  const said = output
    .split("\n")
    .filter(
      (line) => line.trim() !== "" && !/EBADENGINE|npm (warn|notice)|complete log of this run/i.test(line),
    );
  if (/\bcode EUSAGE\b/.test(output)) {
    const missing = said.filter((line) => /(Missing|Invalid): /.test(line));
    fail(
      "package-lock.json does not hold all that the project needs.",
      "Run `npm install` and commit it.",
      missing,
    );
  }
  if (/\bcode E(BUSY|ACCES|PERM|ROFS)\b/.test(output)) {
    fail("npm may not write here.", `Check who owns ${root} and npm's cache folder.`, said);
  }
  if (/\bENOSPC\b/.test(output))
    fail("The disk is full; about 1 GB is needed.", "Make room, then run the command again.");
  const network =
    !online.ok ||
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT|(UN|SELF_SIGNED|DEPTH_ZERO)[A-Z_]*CERT[A-Z_]*)\b/.test(
      output,
    );
  if (network) {
    fail(
      `No network to the npm registry${online.ok ? "" : `: ${online.why}`}, and npm's cache does not hold all packages.`,
      "Only the npm registry is needed (`npm config get registry` names yours). Connect, or set npm's `proxy` or `registry`, then run the command again.",
      online.ok ? said : [],
    );
  }
  fail(`npm ${command} failed.`, "What npm said:", said);
}

function stamped(key) {
  try {
    return JSON.parse(readFileSync(stampFile, "utf8")).key === key && existsSync(join(modules, ".bin"));
  } catch {
    return false;
  }
}

function stamp(key) {
  mkdirSync(modules, { recursive: true });
  writeFileSync(stampFile, `${JSON.stringify({ key })}\n`);
}

function hash(texts) {
  const digest = createHash("sha256");
  for (const text of texts) digest.update(`${text.length}:`).update(text);
  return digest.digest("hex");
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function parse(text, name) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail(`${name} is not valid JSON: ${error.message}`, "Mend it, or take it back from git.");
  }
}

function fail(what, mend, detail = []) {
  console.error([what, mend, ...detail.slice(-20)].join("\n"));
  process.exit(1);
}
