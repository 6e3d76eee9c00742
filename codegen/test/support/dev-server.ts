import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { belongingTo, type Process } from "./processes.ts";

const PACKAGE = path.dirname(path.dirname(import.meta.dirname));
const QUICKSTART = path.join(path.dirname(PACKAGE), "examples/quickstart");

/** A copy of the quickstart, within the repository so that its packages are found, in a folder that git ignores. */
export class TestProject implements Disposable {
  readonly dir: string;
  /** The quickstart itself. */
  static readonly origin = QUICKSTART;

  constructor() {
    const parent = path.join(PACKAGE, ".computer");
    mkdirSync(parent, { recursive: true });
    this.dir = mkdtempSync(path.join(parent, "dev-e2e-"));
    for (const name of ["src", "package.json", "tsconfig.json"]) {
      cpSync(path.join(QUICKSTART, name), path.join(this.dir, name), { recursive: true });
    }
  }

  /** Replaces text in one of its files; the text must be there. */
  edit(file: string, from: string, to: string): void {
    const text = readFileSync(path.join(this.dir, file), "utf8");
    if (!text.includes(from)) throw new Error(`${file} does not hold ${JSON.stringify(from)}`);
    writeFileSync(path.join(this.dir, file), text.replace(from, to));
  }

  write(file: string, text: string): void {
    writeFileSync(path.join(this.dir, file), text);
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The real command, at work on a project. */
export class DevServer implements AsyncDisposable {
  readonly #project: TestProject;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  #output = "";
  /** Where the next wait for output begins. */
  #seen = 0;

  constructor(project: TestProject, port: number, args: readonly string[] = []) {
    this.#project = project;
    const bin = path.join(PACKAGE, "bin/computer.mjs");
    const flags = ["dev", "--project", project.dir, "--port", String(port), ...args];
    this.child = spawn(process.execPath, [bin, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += stripVTControlCharacters(text);
      });
    }
    this.exited = new Promise((resolve) => this.child.once("close", resolve));
  }

  /** Everything that it printed so far. */
  get output(): string {
    return this.#output;
  }

  /** Waits until it prints this, after what an earlier wait found. */
  async prints(pattern: RegExp, withinMs = 60_000): Promise<RegExpExecArray> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const found = pattern.exec(this.#output.slice(this.#seen));
      if (found) {
        this.#seen += found.index + found[0].length;
        return found;
      }
      if (Date.now() > deadline || this.child.exitCode !== null) {
        throw new Error(`Not printed: ${pattern}\n--- output\n${this.#output}\n---`);
      }
      await sleep(20);
    }
  }

  /** Waits until it serves; returns its address. */
  async ready(): Promise<string> {
    const [, url = ""] = await this.prints(/Ready at (http:\S+)/);
    return url;
  }

  /** All processes of it, this moment. */
  get processes(): Process[] {
    return belongingTo(this.#project.dir);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill("SIGTERM");
    await this.exited;
  }
}

/** A port that nobody listens on at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Asks again until the answer is as wished. */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  wished: (answer: T) => boolean,
  withinMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (wished(answer) || Date.now() > deadline) return answer;
    await sleep(50);
  }
}

/** Calls a tool as curl would. */
export async function callTool(
  url: string,
  tool: string,
  args: object,
  id = "alice",
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${url}/agents/reader/${id}/tools/${tool}`, {
    method: "POST",
    body: JSON.stringify(args),
    headers,
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it as it pleases
  return { status: response.status, body: (await response.json()) as any };
}
