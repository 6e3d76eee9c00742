import { spawn, spawnSync } from "node:child_process";
import { Failure } from "./failure.ts";

const WINDOWS = process.platform === "win32";

/** Whether a program can be started. */
export function programExists(name: string): boolean {
  return spawnSync(name, ["--version"], { stdio: "ignore", shell: WINDOWS }).status === 0;
}

/**
 * Runs `npm install` in a folder.
 *
 * @throws {Failure} When npm is missing, fails, or cannot reach the registry, with what npm said.
 */
export async function npmInstall(cwd: string, signal: AbortSignal): Promise<void> {
  const args = ["install", "--include=dev", "--loglevel=error", "--no-progress", "--no-audit", "--no-fund"];
  const { code, output } = await run("npm", args, cwd, signal);
  if (code === 0) return;
  const again = "Nothing was left behind. To create the project without installing: --no-install.";
  if (/\b(ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/.test(output)) {
    throw new Failure("npm install could not reach the npm registry.", `Are you online? ${again}`);
  }
  const said = output
    .split("\n")
    .filter((line) => line.trim() !== "" && !/EBADENGINE|complete log of this run/.test(line))
    .slice(-15);
  throw new Failure(["npm install failed:", ...said].join("\n"), again);
}

/** Makes a folder a git repository, unless it lies in one. @returns Whether it did. */
export async function gitInit(cwd: string, signal: AbortSignal): Promise<boolean> {
  const inside = await run("git", ["rev-parse", "--is-inside-work-tree"], cwd, signal);
  if (inside.code === 0) return false;
  return (await run("git", ["init", "--quiet"], cwd, signal)).code === 0;
}

function run(file: string, args: string[], cwd: string, signal: AbortSignal) {
  return new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    const child = spawn(file, args, { cwd, stdio: ["ignore", "pipe", "pipe"], shell: WINDOWS });
    let output = "";
    const keep = (data: Buffer) => {
      output = (output + data).slice(-64 * 1024);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const stop = () => child.kill("SIGTERM");
    signal.addEventListener("abort", stop);
    child.on("error", (error: NodeJS.ErrnoException) => {
      signal.removeEventListener("abort", stop);
      const missing = error.code === "ENOENT";
      reject(new Failure(missing ? `${file} is not installed.` : error.message, `Install ${file} first.`));
    });
    child.on("close", (code) => {
      signal.removeEventListener("abort", stop);
      if (signal.aborted) reject(new Failure("Interrupted.", "Nothing was left behind.", 130));
      else resolve({ code, output });
    });
  });
}
