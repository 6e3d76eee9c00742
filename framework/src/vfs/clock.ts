/** A moment as it is stored: seconds since 1970, rounded down, and the nanoseconds beyond. */
export interface Moment {
  readonly s: number;
  readonly ns: number;
}

/** The moment so many milliseconds after 1970; fractions of a millisecond count down to the microsecond. */
export function moment(ms: number): Moment {
  const s = Math.floor(ms / 1000);
  return { s, ns: Math.min(Math.round((ms - s * 1000) * 1000), 999_999) * 1000 };
}

/**
 * The present. A clock may stand still (in a Worker it does, between one input and the next), so within
 * one millisecond each moment is a microsecond after the one before, for as long as the millisecond has
 * microseconds left: what was written later also looks later.
 */
export function createClock(milliseconds: () => number = Date.now): () => Moment {
  let last = 0;
  let micros = 0;
  return () => {
    const ms = milliseconds();
    micros = ms === last ? Math.min(micros + 1, 999) : 0;
    last = ms;
    const s = Math.floor(ms / 1000);
    return { s, ns: (ms - s * 1000) * 1_000_000 + micros * 1000 };
  };
}
