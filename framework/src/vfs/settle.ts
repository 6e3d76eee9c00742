import { pause } from "./pause.ts";
import type { Tree } from "./tree.ts";

/**
 * Takes apart what was removed and frees what nothing uses, in steps, until nothing is left of it or the
 * tree is closed. Never fails: what is left stays, out of sight, for the next time.
 */
export async function settle(tree: Tree): Promise<void> {
  try {
    while (!tree.store.closed && tree.recover()) await pause();
  } catch {
    // A database that cannot be written says so to whoever wants something of it.
  }
}
