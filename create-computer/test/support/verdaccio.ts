import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A registry on loopback, to which we may publish. */
export interface Registry {
  url: string;
  /** Credentials for `npm publish`, good for this registry only. */
  token: string;
  /** A line of .npmrc that holds the token. */
  npmrc: string;
  close(): Promise<void>;
}

const HOME = join(import.meta.dirname, "../verdaccio");

/** Installs verdaccio, unless it is there. It has its own lock file, apart from the repository's. */
export function installVerdaccio(): void {
  const lock = createHash("sha256")
    .update(readFileSync(join(HOME, "package-lock.json")))
    .digest("hex");
  const stamp = join(HOME, "node_modules/.installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  const args = ["ci", "--loglevel=error", "--no-progress"];
  execFileSync("npm", args, { cwd: HOME, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(stamp, lock);
}

/**
 * Starts verdaccio. Our packages come from it alone, never from the outside; all others through it from
 * the registry that npm is set to here.
 *
 * @param folder An empty folder for what it stores.
 */
export async function startVerdaccio(folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true });
  const uplink = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const rule = { access: "$all", publish: "$authenticated", unpublish: "$authenticated" };
  const config = {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: { outside: { url: uplink, timeout: "60s", maxage: "60m", max_fails: 20 } },
    packages: { "@computer/*": rule, "create-computer": rule, "**": { ...rule, proxy: "outside" } },
    web: { enable: false },
    max_body_size: "100mb",
    log: { type: "stdout", format: "json", level: "warn" },
  };
  const file = join(folder, "config.yaml");
  writeFileSync(file, JSON.stringify(config, null, 2)); // JSON is YAML
  const program = join(HOME, "node_modules/verdaccio/bin/verdaccio");
  const child = spawn(process.execPath, [program, "--config", file, "--listen", `127.0.0.1:${port}`], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  const keep = (data: Buffer) => {
    log = (log + data).slice(-8192);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const close = () => end(child);
  try {
    await answers(`${url}-/ping`, child, () => log);
    const token = await signUp(url);
    return { url, token, npmrc: `//127.0.0.1:${port}/:_authToken=${token}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function signUp(url: string): Promise<string> {
  const name = "publisher";
  const response = await fetch(`${url}-/user/org.couchdb.user:${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, password: crypto.randomUUID(), type: "user", roles: [] }),
  });
  const body = (await response.json()) as { token?: string };
  if (body.token === undefined) throw new Error(`verdaccio gave no token: ${response.status}`);
  return body.token;
}

async function answers(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) break;
    const up = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (up) return;
    await sleep(200);
  }
  throw new Error(`verdaccio did not come up:\n${log()}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
  await gone;
  clearTimeout(timer);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
