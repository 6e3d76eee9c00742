import { ComputerError } from "../errors.ts";
import type { FileSystem } from "../vfs/types.ts";
import { Connection } from "./connection.ts";
import { checkOptions } from "./options.ts";
import { RunRegistry } from "./registry.ts";
import { ActiveRun, type RunRequest } from "./run.ts";
import type { Backend, BackendOutcome, ExecOptions, OutputSink, Run, Runtime } from "./types.ts";

/** What a {@link WorkspaceRuntime} is made from. */
export interface WorkspaceRuntimeOptions {
  /** The files that backends borrow. */
  readonly fs: FileSystem;
  /** The files for one run, whose changes are then known to be its own. By default `fs`. */
  readonly fsOf?: (runId: string) => FileSystem;
  /** Called when a run has ended. */
  readonly onRunEnd?: (runId: string) => void;
  /** The backends by name; the first is the default one. */
  readonly backends?: Readonly<Record<string, Backend>>;
  /** How many runs may be open at once. Default 32. */
  readonly maxOpenRuns?: number;
  /** How many finished runs are kept for {@link Runtime.get}. Default 64, fewer when their output is large. */
  readonly maxFinishedRuns?: number;
  /** How much output all kept runs together may hold, in bytes. Default 48 MiB. */
  readonly maxTotalOutputBytes?: number;
  /** How long a backend has to wind up once it was told to stop, in milliseconds. Default 250. */
  readonly graceMs?: number;
}

/**
 * The {@link Runtime} of a workspace: checks what it is asked, connects backends when they are first
 * needed, and keeps the runs.
 *
 * @example
 * ```ts
 * const runtime = new WorkspaceRuntime({ fs: workspace.fs, backends: { shell: new LocalShell() } });
 * const { stdout } = await runtime.exec("echo hello").result();
 * ```
 */
export class WorkspaceRuntime implements Runtime {
  readonly #fs: FileSystem;
  readonly #fsOf: (runId: string) => FileSystem;
  readonly #onRunEnd: ((runId: string) => void) | undefined;
  readonly #connections: ReadonlyMap<string, Connection>;
  readonly #runs: RunRegistry;
  readonly #graceMs: number;
  #closed = false;

  constructor(options: WorkspaceRuntimeOptions) {
    this.#fs = options.fs;
    this.#fsOf = options.fsOf ?? (() => options.fs);
    this.#onRunEnd = options.onRunEnd;
    this.#graceMs = options.graceMs ?? 250;
    this.#connections = new Map(
      Object.entries(options.backends ?? {}).map(([name, backend]) => [
        name,
        new Connection(name, backend, { fs: options.fs }),
      ]),
    );
    this.#runs = new RunRegistry({
      maxOpen: options.maxOpenRuns ?? 32,
      maxFinished: options.maxFinishedRuns ?? 64,
      maxBytes: options.maxTotalOutputBytes ?? 48 * 1024 * 1024,
    });
  }

  exec(source: string, options?: ExecOptions): Run {
    if (this.#closed) throw new ComputerError("ERR_WORKSPACE_CLOSED", "The workspace is closed.");
    const checked = checkOptions(source, options);
    const connection = this.#connection(checked.backend);
    this.#runs.assertRoom();
    const run = new ActiveRun({
      id: crypto.randomUUID(),
      backend: connection.name,
      options: checked,
      graceMs: this.#graceMs,
      budget: this.#runs,
      execute: (request, output) => this.#execute(connection, request, output),
      onEnd: (ended) => {
        this.#runs.ended(ended);
        this.#onRunEnd?.(ended.id);
      },
    });
    this.#runs.add(run);
    return run;
  }

  get(id: string): Run | undefined {
    return this.#runs.get(id);
  }

  backends(): { name: string; kind: string; description: string }[] {
    return [...this.#connections.values()].map(({ name, backend }) => ({
      name,
      kind: backend.kind,
      description: backend.describe(),
    }));
  }

  /** Ends all open runs and lets go of the backends. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#runs.open().map((run) => run.kill()));
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }

  #connection(name: string | undefined): Connection {
    const names = [...this.#connections.keys()];
    const connection = this.#connections.get(name ?? names[0] ?? "");
    if (connection !== undefined) return connection;
    throw new ComputerError(
      "ERR_UNKNOWN_BACKEND",
      names.length === 0
        ? "This workspace has no backend to run anything on."
        : `There is no backend ${JSON.stringify(name)}. There are: ${names.join(", ")}.`,
      { path: "/backend" },
    );
  }

  async #execute(connection: Connection, request: RunRequest, output: OutputSink): Promise<BackendOutcome> {
    const complaint = await this.#cwdComplaint(request.cwd);
    if (complaint !== undefined) {
      // What a shell that cannot enter its folder does.
      output.write("stderr", new TextEncoder().encode(`cd: ${request.cwd}: ${complaint}\n`));
      return { exitCode: 1 };
    }
    const session = await connection.session();
    request.signal.throwIfAborted();
    return session.exec({ ...request, fs: this.#fsOf(request.runId) }, output);
  }

  async #cwdComplaint(cwd: string): Promise<string | undefined> {
    if (cwd === "/") return undefined;
    try {
      return (await this.#fs.stat(cwd)).isDirectory() ? undefined : "Not a directory";
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "ENOENT") return "No such file or directory";
      if (code === "ENOTDIR") return "Not a directory";
      if (code === "ELOOP") return "Too many levels of symbolic links";
      if (code === "ENAMETOOLONG") return "File name too long";
      throw error;
    }
  }
}
