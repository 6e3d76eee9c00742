import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../../bin/computerd.mjs", import.meta.url));

/** The daemon as users start it, built. */
export class Daemon {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(path: string, store: string, env: Record<string, string> = {}): Promise<Daemon> {
    const child = spawn(process.execPath, [COMMAND, "--path", path, "--store", store, "--mount", "kernel"], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    const daemon = new Daemon(child);
    await Promise.race([
      once(child.stdout as NonNullable<typeof child.stdout>, "data"),
      once(child, "exit").then(() => {
        throw new Error("the daemon ended at once");
      }),
    ]);
    return daemon;
  }

  /** All threads on one CPU. */
  pin(cpu: number): void {
    spawnSync("taskset", ["-a", "-c", "-p", String(cpu), String(this.#child.pid)]);
  }

  /** Seconds of CPU that it has used. */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /** Resident memory in MiB. */
  residentMib(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }
}
