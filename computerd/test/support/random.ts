import { testSeed } from "../../../.ci/lib/seed.ts";

/** Random numbers that come again with the same seed. */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed = testSeed()) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** An integer of `[0, below)`. */
  int(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)] as T;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at++) bytes[at] = 1 + this.int(255);
    return bytes;
  }
}
