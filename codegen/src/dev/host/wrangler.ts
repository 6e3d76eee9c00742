import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { devLayout } from "../layout.ts";
import { signalGroup } from "../process-group.ts";

/** How long wrangler may take to end by itself before it is killed, in milliseconds. */
const GRACE_MS = 3_000;

/** What is told of a running wrangler. */
export interface WranglerEvents {
  /** It serves, on this port. */
  listening(port: number): void;
  output(stream: "stdout" | "stderr", text: string): void;
  /** It ended without having been asked to. */
  gone(status: string): void;
}

/** wrangler and the runtimes that it starts: one process group, which ends as a whole. */
export class Wrangler {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #stopping = false;

  constructor(project: string, persist: string, events: WranglerEvents) {
    this.#child = start(project, persist);
    this.#child.on("message", (message) => {
      const port = portOf(message);
      if (port !== undefined && !this.#stopping) events.listening(port);
    });
    for (const stream of ["stdout", "stderr"] as const) {
      this.#child[stream]?.setEncoding("utf8").on("data", (text: string) => events.output(stream, text));
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exited = promise;
    this.#child.once("error", (error) => {
      resolve();
      if (!this.#stopping) events.gone(`could not be started: ${error.message}`);
    });
    this.#child.once("exit", (code, signal) => {
      resolve();
      if (this.#stopping) return;
      // Its runtimes outlive it when it is killed.
      this.kill();
      events.gone(signal ? `was ended by ${signal}` : `exited with ${code}`);
    });
  }

  /** The leader of the group; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Ends the group, gently first. Resolves when the leader has ended and the rest has been killed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.pid === undefined) return;
    signalGroup(this.pid, "SIGTERM");
    const timer = setTimeout(() => this.kill(), GRACE_MS);
    await this.#exited;
    clearTimeout(timer);
    this.kill();
  }

  /** Ends the group at once. */
  kill(): void {
    this.#stopping = true;
    if (this.pid !== undefined) signalGroup(this.pid, "SIGKILL");
  }
}

function start(project: string, persist: string): ChildProcess {
  const { bundle, config, dev, vars } = devLayout(project, persist);
  const cli = createRequire(import.meta.url).resolve("wrangler");
  const flags = [
    ...["--config", config],
    ...["--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0"],
    ...["--persist-to", persist],
    ...["--var", "COMPUTER_MODE:development"],
    "--show-interactive-dev-session=false",
    // wrangler looks for it beside its config, which is ours.
    ...(existsSync(vars) ? ["--env-file", vars] : []),
  ];
  // Without `--`, Node would take `--env-file` for itself and put the secrets into wrangler's environment.
  return spawn(process.execPath, ["--no-warnings", "--", cli, "dev", bundle, ...flags], {
    cwd: project,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      ...process.env,
      X_LOCAL_EXPLORER: "false",
      X_LOCAL_OBSERVABILITY: "false",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_SEND_ERROR_REPORTS: "false",
      WRANGLER_HIDE_BANNER: "true",
      // What the config says changes with the bundle; wrangler is started anew for both together.
      WRANGLER_CI_DISABLE_CONFIG_WATCHING: "true",
      // Workers of other projects are no business of this one.
      WRANGLER_REGISTRY_PATH: path.join(dev, "registry"),
      WRANGLER_LOG_PATH: path.join(dev, "wrangler.log"),
      WRANGLER_LOG_SANITIZE: "true",
      // It would ask the network who it is.
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      NO_COLOR: "1",
      FORCE_COLOR: "0",
    },
  });
}

function portOf(message: unknown): number | undefined {
  try {
    const { event, port } = JSON.parse(String(message));
    return event === "DEV_SERVER_READY" && Number.isInteger(port) ? port : undefined;
  } catch {
    return undefined;
  }
}
