import { isDirectory, isFile, isSymlink } from "../vfs/node.ts";
import type { GlobSet, GlobState } from "./glob-set.ts";
import { Ignore, type IgnoreState } from "./ignore.ts";
import { globFilter } from "./options.ts";
import type { Entry, Source } from "./source.ts";
import { COST } from "./steps.ts";
import type { SearchOptions } from "./types.ts";
import type { Place, WalkRules } from "./walk.ts";

/** What a scope knows of a directory. */
export interface ScopeState {
  readonly include: GlobState;
  readonly exclude: GlobState;
  readonly ignore: IgnoreState | undefined;
}

/** Which entries take part in a search: `include`, `exclude`, `gitignore`, `followSymlinks`. */
export class Scope implements WalkRules<ScopeState> {
  readonly #include: GlobSet | undefined;
  readonly #exclude: GlobSet | undefined;
  readonly #ignore: Ignore | undefined;
  readonly #maxDepth: number;
  readonly #follow: boolean;
  readonly root: ScopeState;

  constructor(source: Source, path: string, options: SearchOptions, maxDepth = Number.POSITIVE_INFINITY) {
    this.#include = globFilter("include", options.include);
    this.#exclude = globFilter("exclude", options.exclude);
    this.#ignore = options.gitignore === true ? new Ignore(source) : undefined;
    this.#maxDepth = maxDepth;
    this.#follow = options.followSymlinks === true;
    this.root = {
      include: this.#include?.start ?? [],
      exclude: this.#exclude?.start ?? [],
      ignore: this.#ignore?.at(path),
    };
  }

  /** Whether rules of a `.gitignore` were left out. */
  get cut(): boolean {
    return this.#ignore?.cut === true;
  }

  /** Work that it is to look at an entry. */
  cost({ state }: Place<ScopeState>): number {
    const positions = state.include.length + state.exclude.length;
    const rules = state.ignore?.rules.reduce((sum, one) => sum + one.state.length, 0) ?? 0;
    return COST.entry + COST.position * (positions + rules);
  }

  /** Whether an entry is left out with all below it. */
  leavesOut({ state }: Place<ScopeState>, entry: Entry): boolean {
    const directory = isDirectory(entry.mode);
    if (this.#exclude !== undefined) {
      if (this.#exclude.accepts(this.#exclude.step(state.exclude, entry.name), directory) >= 0) return true;
    }
    return state.ignore !== undefined && this.#ignore?.ignores(state.ignore, entry) === true;
  }

  /** Whether an entry is neither left out nor not included. */
  admits(place: Place<ScopeState>, entry: Entry): boolean {
    return !this.leavesOut(place, entry) && this.includes(place, entry);
  }

  /** Whether an entry, which is not left out, is one to look into. */
  includes({ state }: Place<ScopeState>, entry: Entry): boolean {
    if (this.#include === undefined) return true;
    return this.#include.accepts(this.#include.step(state.include, entry.name), isDirectory(entry.mode)) >= 0;
  }

  follows(): boolean {
    return this.#follow;
  }

  enter(place: Place<ScopeState>, entry: Entry): ScopeState | undefined {
    if (place.depth + 1 >= this.#maxDepth || this.leavesOut(place, entry)) return undefined;
    const { state } = place;
    const include = this.#include?.step(state.include, entry.name) ?? [];
    if (this.#include !== undefined && !this.#include.leadsOn(include)) return undefined;
    return {
      include,
      exclude: this.#exclude?.step(state.exclude, entry.name) ?? [],
      // Behind a link other rules are in force, which are those of where it leads: none are read there.
      ignore:
        state.ignore && (isSymlink(entry.mode) ? state.ignore : this.#ignore?.enter(state.ignore, entry)),
    };
  }
}

/** The kind of an entry, by its mode. */
export function kindOf(mode: number): "file" | "directory" | "symlink" {
  return isDirectory(mode) ? "directory" : isFile(mode) ? "file" : "symlink";
}
