import { readSync } from "node:fs";
import { performance } from "node:perf_hooks";

/** How long to wait actively for the next request before going to sleep. */
const WINDOW_MS = 0.2;
/** Requests after which the other way is tried again, and for how many. */
const PERIOD = 512;
const TRIAL = 32;
/** A mean follows the last requests with this weight. */
const WEIGHT = 1 / 16;

/** Switches a descriptor between waiting and refusing to wait. */
type SetBlocking = (blocking: boolean) => void;

/**
 * Reads requests, asleep or awake. To sleep in `read` costs two wake-ups across CPUs per request where CPUs
 * stand idle; to ask again and again instead costs a CPU, and time where others need it. So both are tried
 * now and then, and the one is used after which the next request came sooner.
 *
 * @example
 * const reader = new AdaptiveReader(fd, switchFor(fd));
 * const length = reader.read(buffer);
 */
export class AdaptiveReader {
  readonly #fd: number;
  readonly #setBlocking: SetBlocking | undefined;
  #blocking = true;
  #spinning = false;
  #count = 0;
  #gapAsleep = 0;
  #gapAwake = 0;
  /** Spins that ended without a request, in a row. */
  #missed = 0;

  constructor(fd: number, setBlocking: SetBlocking | undefined) {
    this.#fd = fd;
    this.#setBlocking = setBlocking;
  }

  /** Whether it waits actively at present. */
  get spinning(): boolean {
    return this.#spinning;
  }

  /** The next request's length; throws what `read` throws, EAGAIN excepted. */
  read(into: Buffer): number {
    if (this.#setBlocking === undefined) return readSync(this.#fd, into, 0, into.length, null);
    const start = performance.now();
    const length = this.#spinning ? this.#readAwake(into, start) : this.#readAsleep(into);
    this.#learn(performance.now() - start);
    return length;
  }

  #readAsleep(into: Buffer): number {
    if (!this.#blocking) {
      this.#setBlocking?.(true);
      this.#blocking = true;
    }
    return readSync(this.#fd, into, 0, into.length, null);
  }

  #readAwake(into: Buffer, start: number): number {
    if (this.#blocking) {
      this.#setBlocking?.(false);
      this.#blocking = false;
    }
    do {
      try {
        const length = readSync(this.#fd, into, 0, into.length, null);
        this.#missed = 0;
        return length;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      }
    } while (performance.now() - start < WINDOW_MS);
    this.#missed++;
    return this.#readAsleep(into);
  }

  /** Takes note of how long the next request took, and chooses the way to wait for the one after. */
  #learn(gap: number): void {
    // Longer than that says nothing of the way to wait: nobody wanted anything.
    const counted = Math.min(gap, 2 * WINDOW_MS);
    if (this.#spinning) this.#gapAwake += (counted - this.#gapAwake) * WEIGHT;
    else this.#gapAsleep += (counted - this.#gapAsleep) * WEIGHT;
    // Nobody is in a hurry: do not burn a CPU for it.
    if (this.#spinning && this.#missed >= 3) {
      this.#spinning = false;
      this.#missed = 0;
      this.#count = 0;
      this.#gapAwake = 2 * WINDOW_MS;
      return;
    }
    this.#count++;
    if (this.#count === PERIOD) {
      // The other way, for a while. Awake only where requests come soon after one another.
      if (this.#spinning || this.#gapAsleep < WINDOW_MS) this.#spinning = !this.#spinning;
    } else if (this.#count >= PERIOD + TRIAL) {
      this.#count = 0;
      this.#spinning = this.#gapAwake > 0 && this.#gapAwake * 1.1 < this.#gapAsleep;
    }
  }
}

/**
 * The switch for a descriptor, by way of Node's pipe handle: Node has no other. It takes the descriptor
 * over: it is closed with this thread. Undefined where Node does not have it any more; then we sleep.
 */
export function switchFor(fd: number): SetBlocking | undefined {
  try {
    const { binding } = process as unknown as {
      binding(name: "pipe_wrap"): {
        Pipe: new (
          kind: number,
        ) => { open(fd: number): number; setBlocking(on: boolean): number; unref(): void };
        constants: { SOCKET: number };
      };
    };
    const { Pipe, constants } = binding("pipe_wrap");
    const handle = new Pipe(constants.SOCKET);
    if (typeof handle.setBlocking !== "function" || handle.open(fd) !== 0) return undefined;
    handle.unref();
    handle.setBlocking(true);
    return (blocking) => void handle.setBlocking(blocking);
  } catch {
    return undefined;
  }
}
