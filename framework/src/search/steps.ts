import { pause } from "../vfs/pause.ts";

/**
 * Work of one step, in units of about ten nanoseconds: long work rests when that much has been done. It is
 * counted, not timed, since a Worker's clock stands still while it computes.
 */
export const STEP_WORK = 800_000;

/** What parts of the work cost, in the units of {@link STEP_WORK}. */
export const COST = {
  /** An entry that is listed and looked at. */
  entry: 400,
  /** A byte that is fetched and searched by native code. */
  byte: 0.25,
  /** A character that a regular expression's automaton takes. */
  character: 1,
  /** A thread of a regular expression's machine that looks at a character. */
  thread: 2,
  /** A position that a glob has at a name. */
  position: 10,
} as const;

/** What is told to somebody who looks at how long work is cut: for tests. */
export interface StepObserver {
  /** A step ended; `work` is what it did, in the units of {@link STEP_WORK}. */
  step(work: number): void;
}

/** Cuts long work into steps, between which others have their turn, and which an abort ends. */
export class Steps {
  readonly #signal: AbortSignal | undefined;
  readonly #observer: StepObserver | undefined;
  readonly #check: () => void;
  #work = 0;

  /** @param check is called when work goes on after a rest, and throws when it must not. */
  constructor(signal: AbortSignal | undefined, check: () => void, observer?: StepObserver) {
    this.#signal = signal;
    this.#check = check;
    this.#observer = observer;
    signal?.throwIfAborted();
  }

  /** Counts work; true when it is time to `rest`. */
  spent(work: number): boolean {
    this.#work += work;
    return this.#work >= STEP_WORK;
  }

  /** What is left of this step. */
  get left(): number {
    return Math.max(0, STEP_WORK - this.#work);
  }

  /** Lets others have their turn. */
  async rest(): Promise<void> {
    this.#observer?.step(this.#work);
    this.#work = 0;
    await pause();
    this.#signal?.throwIfAborted();
    this.#check();
  }
}
