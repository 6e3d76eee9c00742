import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { run } from "./shell.ts";

const DAEMON = fileURLToPath(new URL("./daemon.ts", import.meta.url));
const PATIENCE_MS = 20_000;

/** A daemon in a process of its own, which may be killed. */
export class DaemonProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #path: string;
  #said = "";

  private constructor(child: ChildProcess, path: string) {
    this.#child = child;
    this.#path = path;
    child.stdout?.on("data", (data) => {
      this.#said += data;
    });
    child.stderr?.on("data", (data) => {
      this.#said += data;
    });
  }

  /** Starts a daemon; `command` may put something before it, such as `unshare`. */
  static async start(path: string, store: string, command: readonly string[] = []): Promise<DaemonProcess> {
    const [file = "", ...args] = [...command, process.execPath, DAEMON, path, store];
    const daemon = new DaemonProcess(spawn(file, args, { stdio: ["pipe", "pipe", "pipe"] }), path);
    if (!(await daemon.says(/^mounted$/m))) throw new Error(`no mount: ${daemon.#said}`);
    return daemon;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get said(): string {
    return this.#said;
  }

  /** Waits until it has said something. */
  async says(what: RegExp): Promise<boolean> {
    for (let waited = 0; waited < PATIENCE_MS && !what.test(this.#said); waited += 10) {
      if (this.#child.exitCode !== null) break;
      await sleep(10);
    }
    return what.test(this.#said);
  }

  /** Asks it for something; the first line that it answers. */
  async ask(line: string): Promise<string> {
    const before = this.#said.length;
    this.#child.stdin?.write(`${line}\n`);
    for (let waited = 0; waited < PATIENCE_MS; waited += 10) {
      const answer = this.#said.slice(before);
      if (answer.includes("\n")) return answer.split("\n")[0] as string;
      await sleep(10);
    }
    throw new Error(`no answer to ${line}`);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill(signal);
    await once(this.#child, "exit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill("SIGKILL");
    await run("umount", ["-f", "-l", this.#path]);
  }
}
