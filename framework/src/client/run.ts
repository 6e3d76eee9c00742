import { base64ToBytes } from "../doors/base64.ts";
import type { WireExecOptions } from "../doors/protocol.ts";
import { ComputerError } from "../errors.ts";
import type { ExecOptions, Run, RunEnd, RunEvent, RunResult } from "../runtime/types.ts";
import type { Link } from "./link.ts";
import { plainValue } from "./revive.ts";
import type { RemoteRunStub } from "./root.ts";
import { readServerSentEvents } from "./sse.ts";

/** A run from outside: a copy of its log that grows as events arrive. */
export class RemoteRun implements Run {
  id = "";
  backend = "";
  readonly #log: RunEvent[] = [];
  #failure: { error: unknown } | undefined;
  #changed = Promise.withResolvers<void>();
  #kill: () => Promise<void>;

  constructor(source: RunSource, signal?: AbortSignal) {
    this.#kill = source.kill;
    this.#pump(source.events(this));
    const onAbort = () => void this.kill().catch(() => undefined);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  }

  async #pump(events: AsyncIterable<RunEvent>): Promise<void> {
    try {
      for await (const event of events) {
        this.#log.push(event);
        this.#wake();
        if (event.type === "end") return;
      }
      throw new ComputerError("ERR_CONNECTION_LOST", "The run's events broke off before its end.");
    } catch (error) {
      this.#failure = { error };
      this.#wake();
    }
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async *events(from = 0): AsyncIterableIterator<RunEvent> {
    for (let index = from; ; index += 1) {
      while (index >= this.#log.length) {
        if (this.#log.at(-1)?.type === "end") return;
        if (this.#failure !== undefined) throw this.#failure.error;
        await this.#changed.promise;
      }
      yield this.#log[index] as RunEvent;
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    return this.events();
  }

  async bytes(): Promise<RunResult<Uint8Array>> {
    const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    let end: RunEnd | undefined;
    for await (const event of this.events()) {
      if (event.type === "end") end = event.end;
      else output[event.type].push(event.data);
    }
    if (end === undefined) throw new ComputerError("ERR_INTERNAL", "The run has no end.");
    const { stdout, stderr } = output;
    return { ...end, runId: this.id, backend: this.backend, stdout: join(stdout), stderr: join(stderr) };
  }

  async result(): Promise<RunResult<string>> {
    const { stdout, stderr, ...rest } = await this.bytes();
    const decoder = new TextDecoder();
    return { ...rest, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  async kill(): Promise<void> {
    if (this.#log.at(-1)?.type === "end") return;
    await this.#kill();
    for await (const event of this.events(this.#log.length)) if (event.type === "end") return;
  }
}

/** Where a run's events come from. */
interface RunSource {
  /** Tells them, and the run's id and backend as soon as they are known. */
  events(run: RemoteRun): AsyncIterable<RunEvent>;
  kill(): Promise<void>;
}

/** Starts a run. */
export function startRun(link: Link, source: string, { signal, ...options }: ExecOptions = {}): Run {
  if (link.transport === "batch") return new RemoteRun(overHttp(link, source, options), signal);
  const starting = link.use((root) => root.workspace.runtime.exec(source, options)) as Promise<RemoteRunStub>;
  return new RemoteRun(overSocket(link, starting), signal);
}

/** Finds a run again. */
export async function findRun(link: Link, id: string): Promise<Run | undefined> {
  if (link.transport === "batch") {
    throw new ComputerError("ERR_UNSUPPORTED", 'A run is found again only over transport: "websocket".');
  }
  const stub = (await link.use((root) => root.workspace.runtime.get(id))) as RemoteRunStub | undefined;
  return stub === undefined ? undefined : new RemoteRun(overSocket(link, Promise.resolve(stub)));
}

/** A run on a held session: its stub is let go of when the run has ended. */
function overSocket(link: Link, starting: Promise<RemoteRunStub>): RunSource {
  starting.catch(() => undefined);
  return {
    async *events(run) {
      using stub = await starting;
      const [id, backend, stream] = await link.use(() =>
        Promise.all([stub.id, stub.backend, stub.events(0)]),
      );
      run.id = id;
      run.backend = backend;
      const reader = stream.getReader();
      for (;;) {
        const { done, value } = await link.use(() => reader.read());
        if (done) return;
        yield plainValue(value) as RunEvent;
      }
    },
    kill: async () => {
      const stub = await starting;
      await link.use(() => stub.kill());
    },
  };
}

/** A run by the `exec` door, which ends the run when it is no longer listened to. */
function overHttp(link: Link, source: string, options: WireExecOptions): RunSource {
  const abort = new AbortController();
  const started = performance.now();
  async function* events(run: RemoteRun): AsyncIterable<RunEvent> {
    let seq = 0;
    try {
      if (options.stdin instanceof Uint8Array) {
        throw new ComputerError("ERR_UNSUPPORTED", 'stdin as bytes needs transport: "websocket".', {
          path: "/stdin",
        });
      }
      const response = await link.fetch("/exec", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ source, ...options }),
        signal: abort.signal,
      });
      if (response.body === null) return;
      for await (const message of readServerSentEvents(response.body)) {
        const data = JSON.parse(message.data);
        seq = Number(message.id);
        if (message.event === "stdout" || message.event === "stderr") {
          const bytes = "text" in data ? new TextEncoder().encode(data.text) : base64ToBytes(data.base64);
          yield { seq, type: message.event, data: bytes ?? new Uint8Array() };
        } else if (message.event === "end") {
          const { runId, backend, ...end } = data;
          run.id = runId;
          run.backend = backend;
          yield { seq, type: "end", end };
        }
        seq += 1;
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      const durationMs = performance.now() - started;
      yield {
        seq,
        type: "end",
        end: { status: "killed", exitCode: null, limits: [], droppedBytes: 0, durationMs },
      };
    }
  }
  return { events, kill: async () => abort.abort() };
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}
