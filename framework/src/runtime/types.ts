import type { FileSystem } from "../vfs/types.ts";

/** Options of {@link Runtime.exec}. */
export interface ExecOptions {
  /** The name of the backend to run on; by default the first that the workspace was given. */
  backend?: string;
  /** The working directory, absolute. Default `/`. It must exist. */
  cwd?: string;
  /** Environment variables of this run, 1 Mi characters at most; a run sees these and the backend's own, nothing of the host's. */
  env?: Record<string, string>;
  /** What the run reads from its standard input, 24 MiB at most; nothing by default. */
  stdin?: string | Uint8Array;
  /** How long the run may take, in milliseconds. Default 120,000; a day at most. */
  timeoutMs?: number;
  /** How many bytes of output (both streams together) are kept. Default 8 MiB, 64 MiB at most; what goes beyond is dropped and counted. */
  maxOutputBytes?: number;
  /** Kills the run when aborted. */
  signal?: AbortSignal;
}

/** Something that happened in a run. Events are numbered from 0 without gaps. */
export type RunEvent =
  | { readonly seq: number; readonly type: "stdout" | "stderr"; readonly data: Uint8Array }
  | { readonly seq: number; readonly type: "end"; readonly end: RunEnd };

/** A bound that a run came up against. */
export interface LimitHit {
  readonly limit: "timeoutMs" | "maxOutputBytes" | "backend";
  /** The bound, in the unit of its option; 0 for one of the backend's own. */
  readonly value: number;
  /** In words, for a model or a person to read. */
  readonly message: string;
}

/** How a run ended. */
export interface RunEnd {
  /** `exited`: the source ran to its end; `killed`: by `kill()` or the signal; `timeout`: see `limits`; `failed`: the backend broke; `lost`: it vanished. */
  readonly status: "exited" | "killed" | "timeout" | "failed" | "lost";
  /** The exit status; null when the run did not come to one. */
  readonly exitCode: number | null;
  /** The bounds that were hit, none in a healthy run. */
  readonly limits: readonly LimitHit[];
  /** Bytes of output that were dropped beyond `maxOutputBytes`. */
  readonly droppedBytes: number;
  readonly durationMs: number;
  /** Why, for `failed` and `lost`. */
  readonly message?: string;
}

/** The outcome of a run with its output, as text (`result()`) or as bytes (`bytes()`). */
export interface RunResult<Output = string> extends RunEnd {
  readonly runId: string;
  readonly backend: string;
  readonly stdout: Output;
  readonly stderr: Output;
}

/**
 * A command or a module at work. Its output is a numbered log that is kept: iterate it now or later,
 * as often as you like, and every reader sees all of it.
 *
 * @example
 * ```ts
 * const run = workspace.runtime.exec("grep -rn TODO . | sort", { cwd: "/src" });
 * for await (const event of run) if (event.type === "stdout") process.stdout.write(event.data);
 * const { exitCode } = await run.result();
 * ```
 */
export interface Run extends AsyncIterable<RunEvent> {
  readonly id: string;
  readonly backend: string;
  /** The events from number `from` on (default 0), the kept ones first, then live, to the end. */
  events(from?: number): AsyncIterableIterator<RunEvent>;
  /** Waits for the end. Output is decoded as UTF-8. A run that exits non-zero is a result, not an error. */
  result(): Promise<RunResult<string>>;
  /** Waits for the end; output as the bytes that were written. */
  bytes(): Promise<RunResult<Uint8Array>>;
  /** Ends the run; resolves when it has ended. Harmless when it already has. */
  kill(): Promise<void>;
}

/** `workspace.runtime`: runs commands and code over the workspace's files. */
export interface Runtime {
  /**
   * Starts a run. What the source does wrong is in the result.
   *
   * @throws `ERR_BAD_ARGUMENT` (with its `path`), `ERR_UNKNOWN_BACKEND`, `ERR_TOO_MANY_RUNS` when 32 are open,
   * `ERR_WORKSPACE_CLOSED`; all at once.
   */
  exec(source: string, options?: ExecOptions): Run;
  /** The run with that id: an open one, or a finished one that is still kept. */
  get(id: string): Run | undefined;
  /** The names of the backends, the default one first, each with a description fit for a model. */
  backends(): { name: string; kind: string; description: string }[];
}

/** What a workspace lends a backend. */
export interface BackendHost {
  /** The files, for what belongs to no run. A run has its own, {@link BackendRequest.fs}. */
  readonly fs: FileSystem;
}

/** One run as a backend gets it: all defaults filled in, all bounds stated. */
export interface BackendRequest {
  readonly runId: string;
  /** The files. What is changed through this is known to be the run's, so that it can be taken back. */
  readonly fs: FileSystem;
  readonly source: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  /** Bounds the backend may enforce earlier than the runtime does; the runtime enforces them in any case. */
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Aborted when the run must end: killed, or out of time. */
  readonly signal: AbortSignal;
}

/** Takes a run's output as it comes. */
export interface OutputSink {
  write(stream: "stdout" | "stderr", data: Uint8Array): void;
}

/** How a backend says that a run ended by itself. */
export interface BackendOutcome {
  readonly exitCode: number;
  /** Set when one of the backend's own bounds ended the run. */
  readonly limit?: string;
  /** Bytes of output that the backend itself dropped, because `maxOutputBytes` was reached. */
  readonly droppedBytes?: number;
}

/**
 * A place where commands or code run. An implementation is stateless until connected, borrows the files
 * it is lent, and owns nothing that must survive it.
 */
export interface Backend {
  /** Which of the kinds of backend this is, `isolate-shell` for example. */
  readonly kind: string;
  /** What runs here and what does not, in words that help a model to choose. */
  describe(): string;
  /** Called once, before the first run. */
  connect(host: BackendHost): Promise<BackendSession>;
}

/** A connected backend. */
export interface BackendSession {
  exec(request: BackendRequest, output: OutputSink): Promise<BackendOutcome>;
  close(): Promise<void>;
}
