import { RpcTarget } from "capnweb";
import type { Run, RunEvent, RunResult, Runtime } from "../runtime/types.ts";
import { optionalCount, text } from "./check.ts";
import { checkExecOptions } from "./exec-options.ts";
import type { Session } from "./session.ts";

/** What an RPC session sees of `workspace.runtime`. */
export class RuntimeStub extends RpcTarget {
  readonly #runtime: Runtime;
  readonly #session: Session;

  constructor(runtime: Runtime, session: Session) {
    super();
    this.#runtime = runtime;
    this.#session = session;
  }

  /** Starts a run. It goes on when the session ends, up to its own bounds. */
  exec(source: unknown, options?: unknown): Promise<RunStub> {
    return this.#session.run(
      () =>
        new RunStub(this.#runtime.exec(text(source, "/source"), checkExecOptions(options)), this.#session),
    );
  }

  /** A run that is open, or ended not long ago; so a client finds it again when its connection broke. */
  get(id: unknown): Promise<RunStub | undefined> {
    return this.#session.run(() => {
      const run = this.#runtime.get(text(id, "/id"));
      return run === undefined ? undefined : new RunStub(run, this.#session);
    });
  }

  backends(): Promise<{ name: string; kind: string; description: string }[]> {
    return this.#session.run(() =>
      this.#runtime.backends().map(({ name, kind, description }) => ({ name, kind, description })),
    );
  }
}

/** What an RPC session sees of a run. */
export class RunStub extends RpcTarget {
  readonly #run: Run;
  readonly #session: Session;

  constructor(run: Run, session: Session) {
    super();
    this.#run = run;
    this.#session = session;
  }

  get id(): string {
    return this.#run.id;
  }

  get backend(): string {
    return this.#run.backend;
  }

  /** The run's events from a number on, as they happen; only as fast as they are taken. */
  events(from?: unknown): Promise<ReadableStream<RunEvent>> {
    return this.#session.run(() => {
      this.#session.needsWebSocket("A run's events");
      const events = this.#run.events(optionalCount(from, "/from") ?? 0);
      const stream = new ReadableStream<RunEvent>(
        {
          pull: async (controller) => {
            const { done, value } = await events.next();
            if (done) controller.close();
            else controller.enqueue(value);
          },
          cancel: async () => {
            await events.return?.();
          },
        },
        { highWaterMark: 0 },
      );
      return this.#session.readable(stream);
    });
  }

  result(): Promise<RunResult<string>> {
    return this.#session.run(() => this.#run.result());
  }

  bytes(): Promise<RunResult<Uint8Array>> {
    return this.#session.run(() => this.#run.bytes());
  }

  kill(): Promise<void> {
    return this.#session.run(() => this.#run.kill());
  }
}
