import { ComputerError } from "../errors.ts";
import { describeError } from "./errors.ts";
import { MAX_CALLS_IN_FLIGHT } from "./protocol.ts";

/** How a session's messages travel. A batch ends with its answer, so nothing may stay open in it. */
export type SessionKind = "websocket" | "batch";

/**
 * An error as it crosses an RPC session: just what {@link describeError} lets out. Its fields are own enumerable
 * properties, which is what capnweb carries besides name and message.
 */
export class WireFault extends Error {
  constructor(error: unknown, development: boolean) {
    const { error: described } = describeError(error, development);
    super(described.message);
    const { message: _, stack, ...rest } = described;
    Object.assign(this, rest);
    // An undefined stack would be sent as the string of this one's.
    this.stack = stack ?? "";
  }
}

/** Bounds what one session has at work, and turns whatever its calls throw into what may leave. */
export class Session {
  readonly kind: SessionKind;
  readonly #development: boolean;
  #inFlight = 0;

  constructor(kind: SessionKind, development: boolean) {
    this.kind = kind;
    this.#development = development;
  }

  /** Whether no call is at work. */
  get idle(): boolean {
    return this.#inFlight === 0;
  }

  /** Runs one call of the session. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      if (this.#inFlight >= MAX_CALLS_IN_FLIGHT) {
        throw new ComputerError(
          "ERR_BUSY",
          `This session has ${MAX_CALLS_IN_FLIGHT} calls at work; wait for one of them.`,
        );
      }
      this.#inFlight += 1;
      try {
        return await work();
      } finally {
        this.#inFlight -= 1;
      }
    } catch (error) {
      throw this.fault(error);
    }
  }

  /** What a peer gets to know of an error. */
  fault(error: unknown): WireFault {
    return error instanceof WireFault ? error : new WireFault(error, this.#development);
  }

  /**
   * capnweb asks this of every error it sends. Those that are not from {@link run} are its own: a method that does
   * not exist, a result that cannot be sent.
   */
  readonly onSendError = (error: Error): Error => {
    if (error instanceof WireFault) return error;
    if (/is not a function/.test(error.message)) {
      return this.fault(
        new ComputerError("ERR_UNKNOWN_TOOL", `There is nothing to call here: ${error.message}`),
      );
    }
    return this.fault(new ComputerError("ERR_BAD_REQUEST", error.message, { cause: error }));
  };

  /** Refuses what a batch cannot do. */
  needsWebSocket(what: string): void {
    if (this.kind === "websocket") return;
    throw new ComputerError(
      "ERR_UNSUPPORTED",
      `${what} needs a WebSocket session; a batch ends with its answer.`,
    );
  }

  /** A stream whose failures cross as those of calls do. */
  readable<Chunk>(source: ReadableStream<Chunk>): ReadableStream<Chunk> {
    const reader = source.getReader();
    return new ReadableStream<Chunk>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read();
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            throw this.fault(error);
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /** A writable stream whose failures cross as those of calls do, and which takes only bytes and text. */
  writable(target: WritableStream<Uint8Array>): WritableStream<unknown> {
    const writer = target.getWriter();
    writer.closed.catch(() => undefined);
    const checked = async (work: () => Promise<void>) => {
      try {
        await work();
      } catch (error) {
        throw this.fault(error);
      }
    };
    return new WritableStream<unknown>({
      write: (chunk) =>
        checked(() => {
          if (chunk instanceof Uint8Array) return writer.write(chunk);
          if (typeof chunk === "string") return writer.write(new TextEncoder().encode(chunk));
          throw new ComputerError("ERR_BAD_ARGUMENT", "A file's stream takes bytes or strings.");
        }),
      close: () => checked(() => writer.close()),
      abort: (reason) => checked(() => writer.abort(reason)),
    });
  }
}
