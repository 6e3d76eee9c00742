import { invalidType } from "../vfs/errors.ts";
import { isDirectory, isSymlink } from "../vfs/node.ts";
import { DirectoryEntry } from "../vfs/stats.ts";
import type { Tree } from "../vfs/tree.ts";
import { GlobSet, type GlobState, parseGlobs } from "./glob-set.ts";
import { searchRoot } from "./options.ts";
import { type Entry, Source } from "./source.ts";
import { COST, type StepObserver, Steps } from "./steps.ts";
import type { GlobOptions } from "./types.ts";
import { below, type Place, Walk } from "./walk.ts";

interface State {
  readonly wanted: GlobState;
  readonly excluded: GlobState;
}

/** See `FileSystem.glob`. Patterns that begin with a slash come second. */
export async function* glob(
  tree: () => Tree,
  patterns: string | readonly string[],
  options: GlobOptions = {},
  observer?: StepObserver,
): AsyncGenerator<string | DirectoryEntry, void, undefined> {
  const all = typeof patterns === "string" ? [patterns] : patterns;
  if (!Array.isArray(all) || all.some((pattern) => typeof pattern !== "string")) {
    throw invalidType("pattern", "a string or an array of strings", patterns);
  }
  const steps = new Steps(options.signal, tree, observer);
  const cwd = searchRoot(options.cwd);
  const relative = all.filter((pattern: string) => pattern !== "" && !pattern.startsWith("/"));
  const absolute = all.filter((pattern: string) => pattern.startsWith("/"));
  if (relative.length > 0)
    yield* walkGlobs(tree, relative, cwd, cwd === "/" ? 1 : cwd.length + 1, options, steps);
  if (absolute.length > 0) yield* walkGlobs(tree, absolute, "/", 0, options, steps);
}

async function* walkGlobs(
  tree: () => Tree,
  globs: readonly string[],
  root: string,
  /** Characters of a path that are not shown. */
  hidden: number,
  options: GlobOptions,
  steps: Steps,
): AsyncGenerator<string | DirectoryEntry, void, undefined> {
  const source = new Source(tree);
  const node = source.follow(root);
  if (node === undefined || !isDirectory(node.mode)) return;
  const segments = { dot: false, extended: true, ignoreCase: false };
  const wanted = new GlobSet(parseGlobs(globs, segments), { dot: false });
  const exclude = exclusion(options.exclude);
  const start: State = { wanted: wanted.start, excluded: exclude.set?.start ?? [] };
  const follow = options.followSymlinks === true;
  const followed = (place: Place<State>, entry: Entry): GlobState =>
    wanted.step(place.state.wanted, entry.name, isSymlink(entry.mode) && !follow);
  const leavesOut = (place: Place<State>, entry: Entry): boolean => {
    if (exclude.asked?.(below(place.path, entry.name).slice(hidden)) === true) return true;
    if (exclude.set === undefined) return false;
    const directory = isDirectory(entry.mode);
    return exclude.set.accepts(exclude.set.step(place.state.excluded, entry.name), directory) >= 0;
  };
  // A slash at the end asks for a directory, or for a link that leads to one.
  const accepts = (state: GlobState, place: Place<State>, entry: Entry): boolean => {
    if (state.length === 0) return false;
    if (wanted.accepts(state, isDirectory(entry.mode)) >= 0) return true;
    if (!isSymlink(entry.mode) || wanted.accepts(state, true) < 0) return false;
    const target = source.follow(below(place.path, entry.name));
    return target !== undefined && isDirectory(target.mode);
  };
  const walk = new Walk<State>(
    source,
    { id: node.id, path: root, state: start },
    {
      names: (state) => wanted.names(state.wanted),
      follows: (place, entry) => wanted.leadsOn(followed(place, entry)),
      enter(place, entry) {
        const next = followed(place, entry);
        if (!wanted.leadsOn(next) || leavesOut(place, entry)) return undefined;
        return { wanted: next, excluded: exclude.set?.step(place.state.excluded, entry.name) ?? [] };
      },
    },
  );
  const answer = (path: string, parent: string, name: string, mode: number) =>
    options.withFileTypes === true ? new DirectoryEntry(name, parent, mode) : path;
  if (wanted.accepts(start.wanted, true) >= 0) yield answer(hidden > 0 ? "." : root, root, ".", node.mode);
  for (let run = walk.next(); run !== undefined; run = walk.next()) {
    const { place } = run;
    if (steps.spent(walk.work * COST.entry)) await steps.rest();
    const cost = COST.position * (place.state.wanted.length + place.state.excluded.length);
    for (const entry of run.entries) {
      if (steps.spent(cost)) await steps.rest();
      const state = wanted.step(place.state.wanted, entry.name);
      if (!accepts(state, place, entry) || leavesOut(place, entry)) continue;
      yield answer(below(place.path, entry.name).slice(hidden), place.path, entry.name, entry.mode);
    }
  }
}

function exclusion(exclude: GlobOptions["exclude"]): {
  set?: GlobSet;
  asked?: (path: string) => boolean;
} {
  if (exclude === undefined) return {};
  if (typeof exclude === "function") return { asked: exclude };
  if (!Array.isArray(exclude))
    throw invalidType("options.exclude", "a function or an array of globs", exclude);
  const globs = parseGlobs(exclude, { dot: true, extended: true, ignoreCase: false });
  return { set: new GlobSet(globs, { dot: true }) };
}
