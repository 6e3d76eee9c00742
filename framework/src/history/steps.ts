import { pause } from "../vfs/pause.ts";
import type { Tree } from "../vfs/tree.ts";
import { STEP, type Step } from "./changes.ts";

/** What is found, and perhaps compared byte by byte, in one go. */
const STEP_FOUND = 8;

/**
 * Does work that changes the tree: what lies between two steps is one revision. Steps of the work change at most a
 * few rows, and others get their turn in between.
 */
export async function changeInSteps(
  tree: () => Tree,
  actor: string | undefined,
  work: Generator<Step>,
): Promise<void> {
  for (;;) {
    const { store } = tree();
    store.actAs(actor);
    const { done } = store.mutate({ syscall: "restore" }, () => work.next());
    if (done) return;
    await pause();
  }
}

/** What a generator finds, with turns for others at its steps. */
export async function* findInSteps<Found>(
  tree: () => Tree,
  work: Generator<Found | Step>,
): AsyncGenerator<Found> {
  let found = 0;
  for (;;) {
    tree();
    const { value, done } = work.next();
    if (done) return;
    if (value === STEP) {
      await pause();
      continue;
    }
    yield value;
    found += 1;
    if (found % STEP_FOUND === 0) await pause();
  }
}
