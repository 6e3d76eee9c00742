import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { noConfig } from "../analyze/project.ts";
import { printDiagnostics } from "../diagnostics/print.ts";
import { type GenerateResult, Generator } from "../generate.ts";
import { Bundler } from "./bundle.ts";
import { HostProcess } from "./host-process.ts";
import { type DevLayout, defaultPersist, devLayout } from "./layout.ts";
import type { FromHost } from "./messages.ts";
import { OutputReader } from "./output.ts";
import { type DevTerminal, processTerminal, Voice } from "./terminal.ts";
import { Watcher } from "./watch.ts";

/** The port unless another one is asked for. */
export const DEFAULT_PORT = 8787;

/** Options of {@link dev}. */
export interface DevOptions {
  /** The project's folder. */
  readonly project: string;
  /** The port to serve on, the next free one if it is taken. Default 8787. */
  readonly port?: number;
  /** The folder of the state. Default `.computer/state` of the project. */
  readonly persist?: string;
  /** Ends the server, like Ctrl-C. */
  readonly signal?: AbortSignal;
  /** Where to print. Default: this process's standard streams. */
  readonly terminal?: DevTerminal;
  /** Called once, when the project is served, instead of printing where everything is. */
  readonly onReady?: (url: string) => void;
}

/**
 * Serves a project on this machine and follows its changes, until it is told to stop: by a signal of the
 * system (SIGINT, SIGTERM, SIGHUP; a second one ends it by force) or by `options.signal`.
 *
 * @returns The exit code: 0 stopped when asked to, 1 could not serve.
 *
 * @example
 * ```ts
 * process.exitCode = await dev({ project: "examples/quickstart", port: 9000 });
 * ```
 */
export async function dev(options: DevOptions): Promise<number> {
  const folder = path.resolve(options.project);
  const voice = new Voice(options.terminal ?? processTerminal);
  // What is no project gets no folder of ours, and is not watched: it may be the home of everything.
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    voice.failed(`There is no folder ${folder}.`);
    return 1;
  }
  if (!existsSync(path.join(folder, "tsconfig.json"))) {
    voice.failed(printDiagnostics([noConfig(folder)], { color: voice.color }).replace(/^error /, ""));
    return 1;
  }
  const server = new DevServer(options);
  let signals = 0;
  const onSignal = () => {
    if (++signals === 1) server.stop();
    else server.kill();
  };
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, onSignal);
  options.signal?.addEventListener("abort", () => server.stop(), { once: true });
  if (options.signal?.aborted) server.stop();
  try {
    return await server.run();
  } finally {
    for (const name of names) process.off(name, onSignal);
  }
}

class DevServer {
  readonly #layout: DevLayout;
  readonly #voice: Voice;
  readonly #host: HostProcess;
  readonly #generator: Generator;
  readonly #bundler: Bundler;
  readonly #watcher: Watcher;
  readonly #readers: { stdout: OutputReader; stderr: OutputReader };
  /** Resolves when the state is this server's own, or never will be. Before, what is on disk may be another's. */
  readonly #owner = Promise.withResolvers<void>();
  readonly #began = performance.now();
  readonly #onReady: ((url: string) => void) | undefined;
  /** When the change that is being brought up was seen. */
  #changedAt = performance.now();
  #exitCode = 0;
  #stopping = false;
  #port: number | undefined;
  /** The build that was last handed to the host, and the one that last answered. */
  #handed: string | undefined;
  #serving: string | undefined;
  #model: GenerateResult["model"];
  /** What wrangler reads only when it starts. */
  #settings = "";
  #updating = false;
  #again = false;
  #complaint = "";

  constructor({ project, port = DEFAULT_PORT, persist, terminal = processTerminal, onReady }: DevOptions) {
    this.#onReady = onReady;
    const dir = path.resolve(project);
    const key = randomBytes(16).toString("hex");
    const state = persist === undefined ? defaultPersist(dir) : path.resolve(persist);
    this.#layout = devLayout(dir, state);
    this.#voice = new Voice(terminal);
    mkdirSync(this.#layout.dev, { recursive: true });
    rmSync(path.join(this.#layout.dev, "wrangler.log"), { force: true });
    this.#readers = { stdout: new OutputReader(dir), stderr: new OutputReader(dir) };
    this.#host = new HostProcess(
      {
        project: dir,
        persist: state,
        port,
        key,
      },
      (message) => this.#onMessage(message),
    );
    this.#generator = new Generator(dir);
    this.#bundler = new Bundler(this.#layout, key);
    this.#watcher = new Watcher(
      this.#layout,
      () => {
        if (!this.#updating) this.#changedAt = performance.now();
        void this.#update();
      },
      (reason) => this.#voice.notice(`The system cannot watch files (${reason}); looking at them instead.`),
    );
  }

  /** Serves until stopped; resolves with the exit code when nothing is left running. */
  async run(): Promise<number> {
    void this.#watcher.ready.then(() => this.#update());
    await this.#host.ended;
    if (!this.#stopping && this.#exitCode === 0) {
      this.#exitCode = 1;
      this.#voice.failed("The server's process ended unexpectedly.");
    }
    this.#stopping = true;
    this.#owner.resolve();
    await Promise.all([this.#watcher.close(), this.#bundler.dispose()]);
    return this.#exitCode;
  }

  stop(): void {
    this.#stopping = true;
    void this.#host.stop();
  }

  kill(): void {
    this.#stopping = true;
    this.#host.kill();
  }

  /** Generates and bundles; what comes meanwhile is done afterwards, once. */
  async #update(): Promise<void> {
    if (this.#stopping) return;
    if (this.#updating) {
      this.#again = true;
      return;
    }
    this.#updating = true;
    try {
      do {
        this.#again = false;
        await this.#updateOnce();
      } while (this.#again && !this.#stopping);
    } catch (error) {
      // A fault of ours, not of the project; what is served goes on.
      this.#voice.failed(`${(error as Error).stack ?? error}`);
    } finally {
      this.#updating = false;
    }
  }

  async #updateOnce(): Promise<void> {
    const { diagnostics, model } = await this.#generator.generate();
    if (this.#stopping) return;
    if (diagnostics.length > 0) {
      return this.#complain(printDiagnostics(diagnostics, { color: this.#voice.color }));
    }
    await this.#owner.promise;
    if (this.#stopping) return;
    const built = await this.#bundler.build();
    if (this.#stopping) return;
    if (typeof built === "string") return this.#complain(built);
    const mended = this.#complaint !== "";
    this.#complaint = "";
    this.#model = model;
    this.#watcher.include(built.inputs);

    const settings = readIfThere(this.#layout.config) + readIfThere(this.#layout.vars);
    const restart = this.#settings !== settings;
    this.#settings = settings;
    if (built.changed || restart) {
      this.#handed = built.build;
      this.#host.send({ type: "serve", build: built.build, restart });
    } else if (mended) {
      this.#voice.notice("Mended; what is served is up to date.");
    }
  }

  #complain(text: string): void {
    if (text === this.#complaint) return;
    this.#complaint = text;
    const consequence = this.#handed
      ? "Still serving the last good build; waiting for a change."
      : "Nothing is served yet; waiting for a change.";
    this.#voice.problems(text, consequence);
  }

  #onMessage(message: FromHost): void {
    switch (message.type) {
      case "listening":
        this.#port = message.port;
        this.#owner.resolve();
        if (message.taken !== undefined) {
          this.#voice.notice(`Port ${message.taken} is taken; using ${message.port}.`);
        }
        break;
      case "serving":
        this.#onServing(message.build);
        break;
      case "stuck":
        if (message.build === this.#handed) {
          this.#voice.notice("The new build has not come up yet; what wrangler printed above may say why.");
        }
        break;
      case "notice":
        this.#voice.notice(message.text);
        break;
      case "output":
        for (const line of this.#readers[message.stream].read(message.text)) this.#voice.worker(line);
        break;
      case "failed":
        this.#exitCode = 1;
        this.#voice.failed(message.text);
        break;
    }
  }

  #onServing(build: string): void {
    const now = performance.now();
    if (this.#serving === undefined) {
      const url = `http://127.0.0.1:${this.#port}`;
      if (this.#onReady) this.#onReady(url);
      else this.#voice.ready(this.#model, url, now - this.#began);
    } else if (build === this.#handed && this.#changedAt !== 0) {
      this.#voice.reloaded(now - this.#changedAt);
    }
    this.#serving = build;
  }
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
