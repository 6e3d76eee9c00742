import { pause } from "./pause.ts";
import type { Tree } from "./tree.ts";

/**
 * Takes apart what was removed and frees what nothing uses, in steps, until nothing is left of it or the
 * tree is closed. Never fails: what is left stays, out of sight, for the next time.
 */
export async function settle(tree: Tree): Promise<void> {
  await untilDone(tree, () => tree.recover());
}

/**
 * Takes apart what was removed, likewise: after it names, links and counts are as they should be. The bytes of large
 * files are freed behind, unless there are very many.
 */
export async function takeApart(tree: Tree): Promise<void> {
  await untilDone(tree, () => tree.takeApart());
}

async function untilDone(tree: Tree, step: () => boolean): Promise<void> {
  try {
    while (!tree.store.closed && step()) await pause();
  } catch {
    // A database that cannot be written says so to whoever wants something of it.
  }
}
