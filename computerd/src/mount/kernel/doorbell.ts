/** Bytes of shared memory that a {@link Doorbell} takes. */
export const BELL_SIZE = 12;

const RUNG = 0;
const VERSION = 1;
const MOUNTED = 2;

/**
 * Tells the loop that a message waits for it, though it sleeps in `read`: sets a flag in shared memory and
 * touches the mount, so that the kernel sends a request. (A notice that makes the kernel send one, such as
 * NOTIFY_RETRIEVE, would need a regular file that the kernel knows for sure.)
 */
export class Doorbell {
  readonly #flag: Int32Array;
  readonly #touch: () => void;

  /** @param touch Makes a request, by statfs: its answer is never cached. It may wait, but not in the loop. */
  constructor(flag: SharedArrayBuffer, touch: () => void) {
    this.#flag = new Int32Array(flag);
    this.#touch = touch;
  }

  /** Post the message first, then ring. */
  ring(): void {
    if (Atomics.exchange(this.#flag, RUNG, 1) === 0) this.#touch();
  }

  /** Whether somebody rang since the last call. */
  rang(): boolean {
    return Atomics.load(this.#flag, RUNG) === 1 && Atomics.exchange(this.#flag, RUNG, 0) === 1;
  }

  /** Waits until the mount is there, or will never be: whether it is. */
  waitForMount(): boolean {
    Atomics.wait(this.#flag, MOUNTED, 0);
    return Atomics.load(this.#flag, MOUNTED) === 1;
  }

  /** Says that the mount is there, or will never be. */
  announceMount(there: boolean): void {
    Atomics.store(this.#flag, MOUNTED, there ? 1 : 2);
    Atomics.notify(this.#flag, MOUNTED);
  }

  /** Lets others see how far the tree is, without asking. */
  show(version: number): void {
    Atomics.store(this.#flag, VERSION, version | 0);
  }

  /** What was shown last, as 32 bits. */
  get shown(): number {
    return Atomics.load(this.#flag, VERSION);
  }
}
