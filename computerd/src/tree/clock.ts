import { performance } from "node:perf_hooks";

/** A moment: seconds since 1970 and the nanoseconds within the second. */
export interface Time {
  sec: number;
  nsec: number;
}

const DRIFT_MS = 5;

/**
 * The time of day to the microsecond. Node tells milliseconds; its monotonic clock is finer, but drifts
 * from the time of day, so that it is set again when it is off.
 */
export class Clock implements Time {
  sec = 0;
  nsec = 0;
  #origin = performance.timeOrigin;

  /** Reads the clock into `sec` and `nsec`; no object is made. */
  tick(): this {
    const wall = Date.now();
    let now = this.#origin + performance.now();
    if (now - wall > DRIFT_MS || wall - now > DRIFT_MS) {
      this.#origin = wall - performance.now();
      now = wall;
    }
    this.sec = Math.floor(now / 1000);
    this.nsec = Math.floor((now - this.sec * 1000) * 1e6);
    return this;
  }
}
