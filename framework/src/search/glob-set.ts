import { expand } from "brace-expansion";
import { ComputerError } from "../errors.ts";
import { PATH_MAX } from "../vfs/layout.ts";
import { Segment, type SegmentOptions } from "./segment.ts";

/** A place in the table of a set: a name must match, any number of names may come, or a pattern is through. */
type Place = Segment | "globstar" | { readonly end: number; readonly directory: boolean };

/** The places that a path has reached in a {@link GlobSet}, in order. */
export type GlobState = readonly number[];

/** Places that a set may have, all its patterns together. */
const PLACES_MAX = 10_000;

/** What braces may become. */
const EXPANSION = { max: 1000, maxLength: 200_000, maxDepth: 50, maxRewrites: 100, maxSteps: 500_000 };

/** A pattern of a set, cut into segments. */
interface Pattern {
  /** Number of the pattern as it was given; several come of one with braces. */
  readonly index: number;
  readonly segments: readonly (Segment | "globstar")[];
  readonly directory: boolean;
}

/**
 * Globs that are matched together, one name of a path at a time: a walk carries a state down the tree, so
 * that no path is ever put together to be matched, however long it is, and whole folders are left out in
 * which nothing can match.
 */
export class GlobSet {
  readonly #places: Place[] = [];
  readonly #starts: number[] = [];
  readonly #dot: boolean;

  /** @param options whether globstars go through names that begin with a dot. */
  constructor(patterns: readonly Pattern[], { dot }: { dot: boolean }) {
    this.#dot = dot;
    for (const { index, segments, directory } of patterns) {
      this.#starts.push(this.#places.length);
      this.#places.push(...segments, { end: index, directory });
      if (this.#places.length > PLACES_MAX) {
        throw new ComputerError(
          "ERR_BAD_ARGUMENT",
          `Too many globs: together they may have ${PLACES_MAX} segments.`,
        );
      }
    }
  }

  /** Places there are: what a step may cost at most. */
  get size(): number {
    return this.#places.length;
  }

  /** The state before the first name. */
  get start(): GlobState {
    return this.#close(this.#starts);
  }

  /**
   * The state behind one more name.
   *
   * @param linked the name is that of a symbolic link that is followed only where a pattern spells it out.
   */
  step(state: GlobState, name: string, linked = false): GlobState {
    const next: number[] = [];
    for (const at of state) {
      const place = this.#places[at];
      if (place === "globstar") {
        if (!linked && (this.#dot || !name.startsWith("."))) next.push(at);
      } else if (place instanceof Segment && (!linked || place.literal !== undefined) && place.test(name)) {
        next.push(at + 1);
      }
    }
    return next.length === 0 ? NONE : this.#close(next);
  }

  /** The last of the patterns (by number) that the path matches; -1 for none. */
  accepts(state: GlobState, isDirectory: boolean): number {
    let last = -1;
    for (const at of state) {
      const place = this.#places[at];
      if (typeof place === "object" && "end" in place && (isDirectory || !place.directory)) {
        last = Math.max(last, place.end);
      }
    }
    return last;
  }

  /** Whether something below may match. */
  leadsOn(state: GlobState): boolean {
    return state.some((at) => this.#places[at] instanceof Segment || this.#places[at] === "globstar");
  }

  /** The only names that lead on, when they are spelled out. */
  names(state: GlobState): string[] | undefined {
    const names = new Set<string>();
    for (const at of state) {
      const place = this.#places[at];
      if (place === "globstar") return undefined;
      if (!(place instanceof Segment)) continue;
      if (place.literal === undefined) return undefined;
      names.add(place.literal);
    }
    return [...names];
  }

  #close(places: readonly number[]): GlobState {
    const closed = new Set<number>();
    for (let at of places) {
      closed.add(at);
      while (this.#places[at] === "globstar") closed.add(++at);
    }
    return [...closed];
  }
}

const NONE: GlobState = [];

/** Cuts globs as users write them into segments: braces are expanded, `.` and doubled slashes dropped. */
export function parseGlobs(globs: readonly string[], options: SegmentOptions): Pattern[] {
  const patterns: Pattern[] = [];
  globs.forEach((glob, index) => {
    checkGlob(glob);
    const expanded = /[{]/.test(glob) ? expand(glob, EXPANSION) : [glob];
    if (expanded.length >= EXPANSION.max) {
      throw new ComputerError(
        "ERR_BAD_ARGUMENT",
        `The glob's braces stand for more than ${EXPANSION.max - 1} patterns.`,
      );
    }
    for (const one of expanded)
      patterns.push(...withoutLastGlobstar(parseGlob(one, index, options), options));
  });
  return patterns;
}

/** As in Node, `a/**` is all that is in `a`, and `a` itself only if that is a directory. */
function withoutLastGlobstar(pattern: Pattern, options: SegmentOptions): Pattern[] {
  const { segments } = pattern;
  if (segments.at(-1) !== "globstar") return [pattern];
  return [
    { ...pattern, segments: segments.slice(0, -1), directory: true },
    { ...pattern, segments: [...segments, new Segment("*", options)] },
  ];
}

/** One glob without braces. */
export function parseGlob(glob: string, index: number, options: SegmentOptions): Pattern {
  const segments: (Segment | "globstar")[] = [];
  for (const part of glob.split("/")) {
    if (part === "..") {
      throw new ComputerError("ERR_BAD_ARGUMENT", `A glob cannot go up by '..': '${glob}'.`);
    }
    if (part === "" || part === ".") continue;
    if (part !== "**") segments.push(new Segment(part, options));
    else if (segments.at(-1) !== "globstar") segments.push("globstar");
  }
  return { index, segments, directory: glob.endsWith("/") };
}

function checkGlob(glob: unknown): asserts glob is string {
  if (typeof glob !== "string") throw new ComputerError("ERR_BAD_ARGUMENT", "A glob must be a string.");
  if (glob.includes("\0")) throw new ComputerError("ERR_BAD_ARGUMENT", "A glob has no null character.");
  if (glob.length >= PATH_MAX) {
    throw new ComputerError("ERR_BAD_ARGUMENT", `A glob has less than ${PATH_MAX} characters.`);
  }
}
