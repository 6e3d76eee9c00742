import { writeSync } from "node:fs";
import { encodeWakeUp } from "./notices.ts";

const WAKE_UP = encodeWakeUp();

/**
 * Tells the loop that a message waits for it, though it sleeps in `read`: sets a flag in shared memory,
 * and has the kernel send a request.
 */
export class Doorbell {
  readonly #flag: Int32Array;
  readonly #fd: number;

  constructor(flag: SharedArrayBuffer, fd: number) {
    this.#flag = new Int32Array(flag);
    this.#fd = fd;
  }

  /** Post the message first, then ring. Never waits. */
  ring(): void {
    if (Atomics.exchange(this.#flag, 0, 1) === 1) return;
    try {
      writeSync(this.#fd, WAKE_UP);
    } catch {
      // Not mounted any more: nobody is asleep there.
    }
  }

  /** Whether somebody rang since the last call. */
  rang(): boolean {
    return Atomics.load(this.#flag, 0) === 1 && Atomics.exchange(this.#flag, 0, 0) === 1;
  }
}
