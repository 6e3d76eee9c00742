import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FromHost, HostSettings, ToHost } from "./messages.ts";
import { signalGroup } from "./process-group.ts";

/** How long the host may take to end, in milliseconds; it gives wrangler somewhat less. */
const GRACE_MS = 5_000;

/**
 * The host process, as `computer dev` holds it. Each watches the other: when this process dies the host ends
 * everything, when the host dies this one does.
 */
export class HostProcess {
  readonly #child: ChildProcess;
  readonly #group = new Set<number>();
  /** Resolves when the host has ended and nothing of it is left. */
  readonly ended: Promise<void>;

  constructor(settings: HostSettings, onMessage: (message: FromHost) => void) {
    // Beside this file, and TypeScript when this file is.
    const main = fileURLToPath(new URL(`./host/main${import.meta.url.slice(-3)}`, import.meta.url));
    // `node:sqlite` needed a flag before Node 22.13, and warns for some time after.
    const flags = ["--no-warnings", "--experimental-sqlite", ...process.execArgv];
    this.#child = spawn(process.execPath, [...flags, main, JSON.stringify(settings)], {
      // Out of the terminal's group: a Ctrl-C there reaches `computer dev`, which ends things in order.
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#child.on("message", (message: FromHost) => {
      if (message.type === "group") this.#group.add(message.pid);
      onMessage(message);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    const finish = () => {
      for (const leader of this.#group) signalGroup(leader, "SIGKILL");
      resolve();
    };
    this.#child.once("exit", finish);
    this.#child.once("error", finish);
    this.ended = promise;
  }

  send(message: ToHost): void {
    if (this.#child.connected) this.#child.send(message);
  }

  /** Ends the host and all that it started; by force when it takes too long. */
  async stop(): Promise<void> {
    this.send({ type: "stop" });
    const timer = setTimeout(() => this.kill(), GRACE_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends everything at once. */
  kill(): void {
    for (const leader of this.#group) signalGroup(leader, "SIGKILL");
    this.#child.kill("SIGKILL");
  }
}
