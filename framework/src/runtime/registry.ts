import { ComputerError } from "../errors.ts";
import type { OutputBudget } from "./log.ts";
import type { ActiveRun } from "./run.ts";

/** The bounds of a {@link RunRegistry}. */
export interface RunBounds {
  readonly maxOpen: number;
  readonly maxFinished: number;
  /** For the output of all runs together. */
  readonly maxBytes: number;
}

/** The open runs and the latest finished ones, within bounds on their number and on their output. */
export class RunRegistry implements OutputBudget {
  readonly #bounds: RunBounds;
  readonly #open = new Map<string, ActiveRun>();
  /** The oldest first. */
  readonly #finished = new Map<string, ActiveRun>();
  #bytes = 0;

  constructor(bounds: RunBounds) {
    this.#bounds = bounds;
  }

  /** Throws `ERR_TOO_MANY_RUNS` unless one more run may be opened. */
  assertRoom(): void {
    if (this.#open.size < this.#bounds.maxOpen) return;
    throw new ComputerError(
      "ERR_TOO_MANY_RUNS",
      `${this.#open.size} runs are open, and no more are allowed at once. Wait for one to end, or kill one.`,
    );
  }

  add(run: ActiveRun): void {
    // A run that was aborted before it began has ended already.
    if (!this.#finished.has(run.id)) this.#open.set(run.id, run);
  }

  ended(run: ActiveRun): void {
    this.#open.delete(run.id);
    this.#finished.set(run.id, run);
    while (this.#finished.size > this.#bounds.maxFinished) this.#forgetOldest();
  }

  get(id: string): ActiveRun | undefined {
    return this.#open.get(id) ?? this.#finished.get(id);
  }

  open(): ActiveRun[] {
    return [...this.#open.values()];
  }

  /** Makes room for output by forgetting finished runs; grants what there is. */
  take(bytes: number): number {
    while (this.#bytes + bytes > this.#bounds.maxBytes && this.#finished.size > 0) this.#forgetOldest();
    const granted = Math.max(0, Math.min(bytes, this.#bounds.maxBytes - this.#bytes));
    this.#bytes += granted;
    return granted;
  }

  #forgetOldest(): void {
    for (const [id, run] of this.#finished) {
      this.#finished.delete(id);
      this.#bytes -= run.keptBytes;
      return;
    }
  }
}
