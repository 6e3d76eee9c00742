import { fsError, invalidType } from "../vfs/errors.ts";
import { isDirectory, isFile } from "../vfs/node.ts";
import type { Tree } from "../vfs/tree.ts";
import { behind, decodeCursor, encodeCursor } from "./cursor.ts";
import { ANSWER_MAX, ENTRIES_MAX } from "./grep.ts";
import { searchRoot, whole } from "./options.ts";
import { kindOf, Scope, type ScopeState } from "./scope.ts";
import { type Entry, Source } from "./source.ts";
import { type StepObserver, Steps } from "./steps.ts";
import type { FindOptions, FindResult, FoundEntry, SearchLimit } from "./types.ts";
import { below, type Place, Walk } from "./walk.ts";

/** See `FileSystem.find`. */
export async function find(
  tree: () => Tree,
  options: FindOptions = {},
  observer?: StepObserver,
): Promise<FindResult> {
  const source = new Source(tree, true);
  const steps = new Steps(options.signal, tree, observer);
  const root = searchRoot(options.path);
  const limit = whole("limit", options.limit, 1, 10_000, 1000);
  const wanted = filter(options);
  const maxDepth = whole("maxDepth", options.maxDepth, 1, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY);
  const node = source.existing(root, "scandir");
  if (!isDirectory(node.mode)) throw fsError("ENOTDIR", { syscall: "scandir", path: root });
  const after = options.cursor === undefined ? undefined : decodeCursor(options.cursor, root);
  const scope = new Scope(source, root, options, maxDepth);
  const limits = new Set<SearchLimit>();
  const found: FoundEntry[] = [];
  let size = 0;
  let looked = 0;
  let last: string | undefined;
  const walk = new Walk(source, { id: node.id, path: root, state: scope.root }, scope, after?.names);
  const take = (place: Place<ScopeState>, entry: Entry): boolean => {
    if (!wanted(entry) || scope.leavesOut(place, entry) || !scope.includes(place, entry)) return true;
    if (found.length >= limit) limits.add("results");
    else if (found.length > 0 && size + place.path.length > ANSWER_MAX) limits.add("size");
    else {
      const path = below(place.path, entry.name);
      size += path.length;
      found.push({ path, type: kindOf(entry.mode), size: entry.size, mtimeMs: modified(entry) });
      return true;
    }
    return false;
  };
  let more = true;
  for (let run = walk.next(); run !== undefined && more; run = more ? walk.next() : undefined) {
    looked += walk.work;
    const cost = scope.cost(run.place);
    for (const entry of run.entries) {
      if (steps.spent(cost)) await steps.rest();
      more = take(run.place, entry);
      if (!more) break;
      last = run.place.path.length > 0 ? below(run.place.path, entry.name) : entry.name;
    }
    if (more && looked >= ENTRIES_MAX) {
      limits.add("work");
      more = false;
    }
  }
  if (scope.cut) limits.add("gitignore");
  return {
    entries: found,
    limits: [...limits],
    ...(!more && last !== undefined && { cursor: encodeCursor(behind(last)) }),
  };
}

/** What is asked of an entry besides its path. */
function filter({ type, minSize, maxSize, modifiedSince }: FindOptions): (entry: Entry) => boolean {
  if (type !== undefined && !["file", "directory", "symlink"].includes(type)) {
    throw invalidType("type", "'file', 'directory' or 'symlink'", type);
  }
  const low = whole("minSize", minSize, 0, Number.MAX_SAFE_INTEGER, 0);
  const high = whole("maxSize", maxSize, 0, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY);
  const sized = minSize !== undefined || maxSize !== undefined;
  const since = modifiedSince === undefined ? Number.NEGATIVE_INFINITY : Number(modifiedSince);
  if (Number.isNaN(since))
    throw invalidType("modifiedSince", "a number of milliseconds or a Date", modifiedSince);
  return (entry) => {
    const { mode, size } = entry;
    return (
      (type === undefined || kindOf(mode) === type) &&
      (!sized || (isFile(mode) && size >= low && size <= high)) &&
      (modifiedSince === undefined || modified(entry) >= since)
    );
  };
}

function modified({ mtime: [s, ns] = [0, 0] }: Entry): number {
  return s * 1000 + ns / 1_000_000;
}
