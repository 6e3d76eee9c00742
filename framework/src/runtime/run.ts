import { ComputerError } from "../errors.ts";
import type { OutputBudget } from "./log.ts";
import { RunLog } from "./log.ts";
import type { CheckedOptions } from "./options.ts";
import type {
  BackendOutcome,
  BackendRequest,
  LimitHit,
  OutputSink,
  Run,
  RunEnd,
  RunEvent,
  RunResult,
} from "./types.ts";

/** A run as it is asked for; the files are added for the backend. */
export type RunRequest = Omit<BackendRequest, "fs">;

/** Sends one run to its backend. */
export type Execute = (request: RunRequest, output: OutputSink) => Promise<BackendOutcome>;

/** What an {@link ActiveRun} is made from. */
export interface ActiveRunInit {
  readonly id: string;
  readonly backend: string;
  readonly options: CheckedOptions;
  readonly execute: Execute;
  /** How long the backend has to wind up once it was told to stop, in milliseconds. */
  readonly graceMs: number;
  readonly budget?: OutputBudget;
  /** Called once, when the run has ended. */
  readonly onEnd?: (run: ActiveRun) => void;
}

/** A run of the {@link WorkspaceRuntime}: starts when it is made, and ends come what may. */
export class ActiveRun implements Run {
  readonly id: string;
  readonly backend: string;
  readonly #log: RunLog;
  readonly #options: CheckedOptions;
  readonly #graceMs: number;
  readonly #onEnd: ((run: ActiveRun) => void) | undefined;
  readonly #abort = new AbortController();
  readonly #started = performance.now();
  readonly #onSignal = () => this.#stop("killed");
  #stopping: "killed" | "timeout" | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #grace: ReturnType<typeof setTimeout> | undefined;

  constructor(init: ActiveRunInit) {
    this.id = init.id;
    this.backend = init.backend;
    this.#options = init.options;
    this.#graceMs = init.graceMs;
    this.#onEnd = init.onEnd;
    this.#log = new RunLog(init.options.maxOutputBytes, init.budget);
    const { signal, timeoutMs } = init.options;
    if (signal?.aborted) {
      this.#stopping = "killed";
      this.#finish("killed", null);
      return;
    }
    signal?.addEventListener("abort", this.#onSignal, { once: true });
    this.#deadline = setTimeout(() => this.#stop("timeout"), timeoutMs);
    void this.#work(init.execute);
  }

  /** Bytes of output that the run keeps. */
  get keptBytes(): number {
    return this.#log.keptBytes;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent> {
    return this.events();
  }

  events(from = 0): AsyncIterableIterator<RunEvent> {
    if (!Number.isSafeInteger(from) || from < 0) {
      throw new ComputerError("ERR_BAD_ARGUMENT", `Events are numbered from 0; there is no number ${from}.`, {
        path: "/from",
      });
    }
    return this.#log.read(from);
  }

  async result(): Promise<RunResult<string>> {
    const { stdout, stderr, ...rest } = await this.bytes();
    // A byte order mark is output like any other.
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return { ...rest, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  async bytes(): Promise<RunResult<Uint8Array>> {
    const end = await this.#log.ended();
    return {
      runId: this.id,
      backend: this.backend,
      ...end,
      stdout: this.#log.bytes("stdout"),
      stderr: this.#log.bytes("stderr"),
    };
  }

  async kill(): Promise<void> {
    this.#stop("killed");
    await this.#log.ended();
  }

  async #work(execute: Execute): Promise<void> {
    const { source, cwd, env, stdin, timeoutMs, maxOutputBytes } = this.#options;
    const signal = this.#abort.signal;
    const request: RunRequest = {
      runId: this.id,
      source,
      cwd,
      env,
      stdin,
      timeoutMs,
      maxOutputBytes,
      signal,
    };
    try {
      const outcome = await execute(request, { write: (stream, data) => this.#log.write(stream, data) });
      this.#log.addDropped(outcome.droppedBytes ?? 0);
      if (this.#stopping === undefined) this.#finish("exited", outcome.exitCode, { limit: outcome.limit });
      else this.#finish(this.#stopping, null);
    } catch (error) {
      if (this.#stopping === undefined) this.#finish("failed", null, { message: describe(error) });
      else this.#finish(this.#stopping, null);
    }
  }

  /** Tells the backend to stop, and ends the run after a short while whether it does or not. */
  #stop(why: "killed" | "timeout"): void {
    if (this.#stopping !== undefined || this.#log.end !== undefined) return;
    this.#stopping = why;
    clearTimeout(this.#deadline);
    this.#grace = setTimeout(() => this.#finish(why, null), this.#graceMs);
    this.#abort.abort(
      why === "timeout"
        ? new DOMException(`The run took longer than ${this.#options.timeoutMs} ms.`, "TimeoutError")
        : new DOMException("The run was killed.", "AbortError"),
    );
  }

  #finish(
    status: RunEnd["status"],
    exitCode: number | null,
    detail: { limit?: string | undefined; message?: string } = {},
  ): void {
    if (this.#log.end !== undefined) return;
    clearTimeout(this.#deadline);
    clearTimeout(this.#grace);
    this.#options.signal?.removeEventListener("abort", this.#onSignal);
    const { droppedBytes } = this.#log;
    this.#log.finish(
      Object.freeze({
        status,
        exitCode,
        limits: Object.freeze(this.#limits(status, droppedBytes, detail.limit)),
        droppedBytes,
        durationMs: Math.max(0, performance.now() - this.#started),
        ...(detail.message === undefined ? {} : { message: detail.message }),
      }),
    );
    this.#onEnd?.(this);
  }

  #limits(status: RunEnd["status"], droppedBytes: number, own: string | undefined): LimitHit[] {
    const { timeoutMs, maxOutputBytes } = this.#options;
    const limits: LimitHit[] = [];
    if (status === "timeout") {
      limits.push({
        limit: "timeoutMs",
        value: timeoutMs,
        message: `The run was ended after ${timeoutMs} ms. Raise timeoutMs, or do less in one run.`,
      });
    }
    if (droppedBytes > 0) {
      limits.push({
        limit: "maxOutputBytes",
        value: maxOutputBytes,
        message:
          `${droppedBytes} bytes of output were dropped; ${this.#log.keptBytes} were kept. ` +
          "Raise maxOutputBytes, or send the output into a file.",
      });
    }
    if (own !== undefined) limits.push({ limit: "backend", value: 0, message: own });
    return limits;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
