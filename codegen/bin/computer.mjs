#!/usr/bin/env node
// Starts the command, on a Node that it runs on. This file itself must run on older ones, too.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST = [22, 12];
/** Set for the newer Node that an older one starts. */
const MARK = "COMPUTER_STARTED_BY_LAUNCHER";

if (isNewEnough(process.versions.node)) await run();
else restart();

async function run() {
  if (process.env[MARK]) {
    delete process.env[MARK];
    // When the launcher dies, however it dies, its channel closes, and the command ends like on a signal.
    process.channel?.unref();
    process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  }
  const { main } = await import("../dist/cli/main.js");
  process.exitCode = await main(process.argv.slice(2));
}

function restart() {
  const node = findNode();
  if (node === undefined) {
    console.error(
      `computer needs Node ${OLDEST.join(".")} or newer; this is ${process.versions.node}. ` +
        "Install a newer Node, or `npm install --save-dev node` in the project, which this command then uses.",
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, [MARK]: "1" },
  });
  // A terminal's Ctrl-C reaches the child by itself; what is sent to this process alone is passed on.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`${node} cannot be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (status) => {
    process.exitCode = status ?? 1;
  });
}

/** Whether a version like `22.12.0` is one that the command runs on. */
function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** The Node of the npm package `node`, in the project or beside this package. */
function findNode() {
  const name = process.platform === "win32" ? "node.exe" : "node";
  for (const start of [process.cwd(), dirname(fileURLToPath(import.meta.url))]) {
    for (let dir = start; ; dir = dirname(dir)) {
      const file = join(dir, "node_modules", ".bin", name);
      if (existsSync(file) && isNewEnough(versionOf(file))) return file;
      if (dirname(dir) === dir) break;
    }
  }
  return undefined;
}

function versionOf(node) {
  const { stdout, status } = spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : "0";
}
