import type { RunEnd, RunEvent } from "./types.ts";

type OutputStream = "stdout" | "stderr";

/** Up to this many events each write is an event of its own; from there on small writes are joined. */
const FINE_EVENTS = 16_384;
/** The size of the events that small writes are joined into. */
const JOINED_BYTES = 64 * 1024;
/** How long a joined event may wait for more, in milliseconds. */
const JOIN_MS = 100;

interface Joining {
  readonly buffer: Uint8Array;
  length: number;
}

/** A share of memory that several logs draw on. */
export interface OutputBudget {
  /** Takes up to `bytes`; answers how many were granted. */
  take(bytes: number): number;
}

/**
 * The numbered events of one run, kept in memory up to a bound, for any number of readers. The bound is
 * on bytes and, by joining small writes once there are very many, on the number of events too.
 */
export class RunLog {
  readonly #events: RunEvent[] = [];
  readonly #limit: number;
  readonly #budget: OutputBudget | undefined;
  readonly #waiting = new Set<() => void>();
  readonly #joining: Record<OutputStream, Joining | undefined> = { stdout: undefined, stderr: undefined };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #keptBytes = 0;
  #droppedBytes = 0;
  #end: RunEnd | undefined;

  constructor(limit: number, budget?: OutputBudget) {
    this.#limit = limit;
    this.#budget = budget;
  }

  /** Bytes of output that are kept. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** Bytes of output that were dropped. */
  get droppedBytes(): number {
    return this.#droppedBytes;
  }

  /** How the run ended, once it has. */
  get end(): RunEnd | undefined {
    return this.#end;
  }

  /** Adds output, or as much of it as the bounds leave room for. Output after the end is ignored. */
  write(type: OutputStream, data: Uint8Array): void {
    if (this.#end !== undefined || data.byteLength === 0) return;
    const wanted = Math.min(data.byteLength, this.#limit - this.#keptBytes);
    const room = this.#budget === undefined ? wanted : this.#budget.take(wanted);
    this.#droppedBytes += data.byteLength - room;
    if (room === 0) return;
    this.#keptBytes += room;
    // A copy: the backend may reuse its buffer, and a view would hold on to all of it.
    const copy = new Uint8Array(room);
    copy.set(room === data.byteLength ? data : data.subarray(0, room));
    if (this.#events.length < FINE_EVENTS) this.#push({ seq: this.#events.length, type, data: copy });
    else this.#join(type, copy);
  }

  /** Counts output that was dropped before it came here. */
  addDropped(bytes: number): void {
    if (this.#end === undefined) this.#droppedBytes += bytes;
  }

  /** Closes the log with its last event. */
  finish(end: RunEnd): void {
    if (this.#end !== undefined) return;
    this.#flushAll();
    this.#end = end;
    this.#push({ seq: this.#events.length, type: "end", end });
  }

  /** All bytes of one stream that are kept so far. */
  bytes(type: OutputStream): Uint8Array {
    return concat(this.#events.flatMap((event) => (event.type === type ? [event.data] : [])));
  }

  /** Resolves with the run's end. */
  async ended(): Promise<RunEnd> {
    while (this.#end === undefined) await this.#change();
    return this.#end;
  }

  /** The events from number `from` on, the kept ones first, then live. */
  read(from: number): AsyncIterableIterator<RunEvent> {
    let next = from;
    let stopped = false;
    let wake: (() => void) | undefined;
    const done = { done: true, value: undefined } as const;
    // Calls of next() take turns, so that two at once do not get the same event.
    let turn: Promise<unknown> = Promise.resolve();
    const take = async (): Promise<IteratorResult<RunEvent, undefined>> => {
      for (;;) {
        if (stopped) return done;
        const event = this.#events[next];
        if (event !== undefined) {
          next++;
          return { done: false, value: event };
        }
        if (this.#end !== undefined) return done;
        await new Promise<void>((resolve) => {
          wake = resolve;
          this.#waiting.add(resolve);
        });
      }
    };
    const stop = () => {
      stopped = true;
      if (wake === undefined) return;
      this.#waiting.delete(wake);
      wake();
    };
    return {
      next() {
        const taken = turn.then(take);
        turn = taken;
        return taken;
      },
      return: async () => {
        stop();
        return done;
      },
      throw: async (error) => {
        stop();
        throw error;
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
    });
  }

  #join(type: OutputStream, data: Uint8Array): void {
    if (data.byteLength >= JOINED_BYTES) {
      this.#flush(type);
      this.#push({ seq: this.#events.length, type, data });
      return;
    }
    if ((this.#joining[type]?.length ?? 0) + data.byteLength > JOINED_BYTES) this.#flush(type);
    this.#joining[type] ??= { buffer: new Uint8Array(JOINED_BYTES), length: 0 };
    this.#joining[type].buffer.set(data, this.#joining[type].length);
    this.#joining[type].length += data.byteLength;
    this.#timer ??= setTimeout(() => this.#flushAll(), JOIN_MS);
  }

  #flushAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flush("stdout");
    this.#flush("stderr");
  }

  #flush(type: OutputStream): void {
    const joining = this.#joining[type];
    if (joining === undefined) return;
    this.#joining[type] = undefined;
    this.#push({ seq: this.#events.length, type, data: joining.buffer.slice(0, joining.length) });
  }

  #push(event: RunEvent): void {
    this.#events.push(Object.freeze(event));
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
