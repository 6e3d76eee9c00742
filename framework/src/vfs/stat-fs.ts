import { FILE_MAX } from "./layout.ts";
import { pause } from "./pause.ts";
import type { Tree } from "./tree.ts";
import type { StatFs } from "./types.ts";
import type { Limits } from "./usage.ts";

/** How full a workspace is. */
export interface WorkspaceUsage {
  /** Bytes of all files and links, each with its whole size, however it is stored; what is removed but still open too. */
  readonly bytes: number;
  /** Files, directories and symbolic links, the root aside. */
  readonly entries: number;
  /** Bytes of the database: content that is equal is stored once; history is stored too. */
  readonly storedBytes: number;
  /** What may come yet: the least that any limit leaves. */
  readonly free: { readonly bytes: number; readonly entries: number };
  readonly limits: Limits;
}

/** Entries that the tree holds at most, as far as numbers go. */
const ENTRIES_MAX = 2 ** 32;
const BLOCK_BYTES = 4096;
const TYPE = 0x636f6d70;

/** Counts, in steps, and tells. */
export async function measure(tree: () => Tree): Promise<WorkspaceUsage> {
  while (tree().store.usage.step() || tree().chunks.sweep()) await pause();
  const { sql, usage } = tree().store;
  const { limits } = usage;
  const { bytes, entries } = usage.counts;
  const storedBytes = sql.databaseSize;
  const left = [
    (limits.bytes ?? FILE_MAX) - bytes,
    limits.storedBytes === undefined ? FILE_MAX : limits.storedBytes - storedBytes,
  ];
  return {
    bytes,
    entries,
    storedBytes,
    free: {
      bytes: Math.max(0, Math.min(...left)),
      entries: Math.max(0, (limits.entries ?? ENTRIES_MAX) - entries),
    },
    limits,
  };
}

/** The same in the shape of `statfs`. */
export async function statFs(tree: () => Tree): Promise<StatFs> {
  const { bytes, entries, free } = await measure(tree);
  const bfree = Math.floor(free.bytes / BLOCK_BYTES);
  return {
    type: TYPE,
    bsize: BLOCK_BYTES,
    blocks: Math.ceil(bytes / BLOCK_BYTES) + bfree,
    bfree,
    bavail: bfree,
    files: entries + free.entries,
    ffree: free.entries,
  };
}
