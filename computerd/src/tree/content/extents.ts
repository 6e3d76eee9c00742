/** Bytes per block: a page, so that holes are told as the kernel sees them. */
export const BLOCK = 4096;

/** Blocks per file of the store: 256 MiB. No run reaches from one file into the next. */
export const SEGMENT_BLOCKS = 65_536;

/**
 * Which blocks of a file lie where in the store: runs `[first block of the file, first block in the store,
 * how many]`, sorted, in one flat array of small integers. What no run covers is a hole and reads as zeros.
 */
export class Extents {
  /** Three numbers per run. Read only, but by this class. */
  runs: number[] = [];
  /** Blocks that the runs cover. */
  blocks = 0;
  /** Runs of which somebody reads a pinned version: not overwritten in place. */
  pins: number[][] | undefined = undefined;
  /** Blocks that were let go while pinned: start and count in turn, free when the last pin is. */
  deferred: number[] | undefined = undefined;
  /** The version of the tree in which the runs last changed. */
  version = 0;

  /** The index in `runs` of the first run that ends after a block: see {@link findRun}. */
  find(block: number): number {
    const { runs } = this;
    const last = runs.length - 3;
    if (last < 0) return 0;
    // Appending and reading on are the usual cases: look at the last run first.
    if ((runs[last] as number) + (runs[last + 2] as number) <= block) return last + 3;
    return findRun(runs, block);
  }

  /** The hole around a block: its first block, and the first one after it. */
  hole(block: number): [number, number] {
    const { runs } = this;
    const next = this.find(block);
    const low = next === 0 ? 0 : (runs[next - 3] as number) + (runs[next - 1] as number);
    return [low, next < runs.length ? (runs[next] as number) : Number.POSITIVE_INFINITY];
  }

  /** Whether somebody reads a version in which a block of the file lies at a block of the store. */
  isPinned(block: number, store: number): boolean {
    for (const runs of this.pins ?? []) {
      const at = findRun(runs, block);
      if (at < runs.length && (runs[at] as number) <= block) {
        if ((runs[at + 1] as number) + block - (runs[at] as number) === store) return true;
      }
    }
    return false;
  }

  /** The block of the store that would continue the run before a block of the file; 0 when there is none. */
  near(block: number): number {
    const before = this.find(block) - 3;
    if (before < 0) return 0;
    const { runs } = this;
    if ((runs[before] as number) + (runs[before + 2] as number) !== block) return 0;
    return (runs[before + 1] as number) + (runs[before + 2] as number);
  }

  /** Maps blocks that are a hole so far. */
  insert(block: number, store: number, count: number): void {
    this.blocks += count;
    if (this.runs.length === 0) {
      // Most files have one run. Pushing would make room for seventeen numbers.
      this.runs = [block, store, count];
      return;
    }
    const { runs } = this;
    const at = this.find(block);
    const before = at - 3;
    if (
      before >= 0 &&
      (runs[before] as number) + (runs[before + 2] as number) === block &&
      (runs[before + 1] as number) + (runs[before + 2] as number) === store &&
      store % SEGMENT_BLOCKS !== 0
    ) {
      runs[before + 2] = (runs[before + 2] as number) + count;
      return;
    }
    if (at === runs.length) runs.push(block, store, count);
    else runs.splice(at, 0, block, store, count);
  }

  /** Unmaps what lies in `[from, to)` and calls back with what was there. */
  remove(from: number, to: number, freed: (store: number, count: number) => void): void {
    const { runs } = this;
    let at = this.find(from);
    const kept: number[] = [];
    const start = at;
    while (at < runs.length && (runs[at] as number) < to) {
      const block = runs[at] as number;
      const store = runs[at + 1] as number;
      const count = runs[at + 2] as number;
      const first = Math.max(block, from);
      const end = Math.min(block + count, to);
      if (first > block) kept.push(block, store, first - block);
      if (end < block + count) kept.push(end, store + end - block, block + count - end);
      this.blocks -= end - first;
      freed(store + first - block, end - first);
      at += 3;
    }
    if (at > start) runs.splice(start, at - start, ...kept);
  }
}

/** The index of the first run that ends after a block. */
export function findRun(runs: readonly number[], block: number): number {
  let low = 0;
  let high = runs.length / 3;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle * 3] as number) + (runs[middle * 3 + 2] as number) > block) high = middle;
    else low = middle + 1;
  }
  return low * 3;
}
