import { ComputerError } from "../errors.ts";

/** How a segment of a glob is read. */
export interface SegmentOptions {
  /** Whether wildcards match a dot at the start of a name. */
  readonly dot: boolean;
  /** Whether `@(a|b)` and its like are patterns. */
  readonly extended: boolean;
  readonly ignoreCase: boolean;
}

/** Part of a segment: what it matches, as a step from the places reached so far to those reached with it. */
type Part =
  | { readonly kind: "text"; readonly points: readonly number[] }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | {
      readonly kind: "class";
      readonly negated: boolean;
      readonly ranges: readonly (readonly [number, number])[];
    }
  | {
      readonly kind: "group";
      readonly type: "@" | "?" | "*" | "+" | "!";
      readonly choices: readonly (readonly Part[])[];
    };

/** Work that matching one name may take; nested repetitions could take more than anyone waits for. */
const WORK_LIMIT = 400_000;

/**
 * A segment of a glob: what stands between two slashes. Matching goes over the name once per part and keeps
 * all places that the parts so far can end at, instead of trying one way after the other: it takes time in
 * proportion to name times pattern, where a backtracking regular expression may take for ever.
 */
export class Segment {
  /** The one name that matches, if there are no wildcards. */
  readonly literal: string | undefined;
  readonly #parts: readonly Part[];
  readonly #dot: boolean;
  readonly #fold: boolean;
  readonly #affixes: { readonly prefix: string; readonly suffix: string } | undefined;
  readonly #source: string;

  constructor(source: string, options: SegmentOptions) {
    this.#source = source;
    this.#fold = options.ignoreCase;
    this.#parts = new Parser(options.ignoreCase ? fold(source) : source, options).parse();
    const [first] = this.#parts;
    this.#dot = options.dot || (first?.kind === "text" && first.points[0] === DOT);
    const plain = this.#parts.every((part) => part.kind === "text");
    this.literal = plain && !options.ignoreCase ? this.#parts.map(text).join("") : undefined;
    this.#affixes = affixes(this.#parts);
  }

  /** Whether a name matches. */
  test(given: string): boolean {
    if (this.literal !== undefined) return given === this.literal;
    if (!this.#dot && given.startsWith(".")) return false;
    const name = this.#fold ? fold(given) : given;
    if (this.#affixes !== undefined) {
      const { prefix, suffix } = this.#affixes;
      return name.length >= prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix);
    }
    const points = Array.from(name, (character) => character.codePointAt(0) ?? 0);
    const from = new Uint8Array(points.length + 1);
    from[0] = 1;
    const budget = { left: WORK_LIMIT };
    try {
      return run(this.#parts, points, from, budget)[points.length] === 1;
    } catch (error) {
      if (error !== OUT_OF_WORK) throw error;
      throw new ComputerError(
        "ERR_BAD_ARGUMENT",
        `The glob '${this.#source}' nests repetitions too deeply to be matched in bounded time.`,
      );
    }
  }
}

const OUT_OF_WORK = Symbol("out of work");
const DOT = 0x2e;

/** Simple case folding, as far as upper and lower case are one character each. */
function fold(name: string): string {
  const lower = name.toLowerCase();
  return lower.length === name.length ? lower : Array.from(name, foldPoint).join("");
}

function foldPoint(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === character.length ? lower : character;
}

function text(part: Part): string {
  return part.kind === "text" ? String.fromCodePoint(...part.points) : "";
}

/** What a name must begin and end with, for the common case of a single star and no other wildcard. */
function affixes(parts: readonly Part[]): { prefix: string; suffix: string } | undefined {
  const star = parts.findIndex(({ kind }) => kind === "star");
  if (star === -1 || parts.some(({ kind }, i) => kind !== "text" && i !== star)) return undefined;
  return {
    prefix: parts.slice(0, star).map(text).join(""),
    suffix: parts
      .slice(star + 1)
      .map(text)
      .join(""),
  };
}

/** The places that a sequence of parts can end at, from those that it can begin at. */
function run(
  parts: readonly Part[],
  name: readonly number[],
  from: Uint8Array,
  budget: { left: number },
): Uint8Array {
  let places = from;
  for (const part of parts) places = step(part, name, places, budget);
  return places;
}

function step(part: Part, name: readonly number[], from: Uint8Array, budget: { left: number }): Uint8Array {
  budget.left -= from.length;
  if (budget.left < 0) throw OUT_OF_WORK;
  const to = new Uint8Array(from.length);
  switch (part.kind) {
    case "star": {
      let reached = 0;
      for (let i = 0; i < from.length; i++) {
        reached |= from[i] as number;
        to[i] = reached;
      }
      return to;
    }
    case "any":
      to.set(from.subarray(0, name.length), 1);
      return to;
    case "text": {
      const { points } = part;
      for (let i = 0; i + points.length <= name.length; i++) {
        if (from[i] === 1 && points.every((point, k) => name[i + k] === point)) to[i + points.length] = 1;
      }
      return to;
    }
    case "class":
      for (let i = 0; i < name.length; i++) {
        if (from[i] !== 1) continue;
        const point = name[i] as number;
        if (part.ranges.some(([low, high]) => point >= low && point <= high) !== part.negated) to[i + 1] = 1;
      }
      return to;
    case "group":
      return group(part, name, from, budget);
  }
}

function group(
  { type, choices }: Part & { kind: "group" },
  name: readonly number[],
  from: Uint8Array,
  budget: { left: number },
): Uint8Array {
  const once = (places: Uint8Array): Uint8Array => {
    const to = new Uint8Array(places.length);
    for (const choice of choices) merge(to, run(choice, name, places, budget));
    return to;
  };
  if (type === "!") {
    // Anything but what the choices match: for each beginning, the ends that none of them has.
    const to = new Uint8Array(from.length);
    const single = new Uint8Array(from.length);
    for (let i = 0; i < from.length; i++) {
      if (from[i] !== 1) continue;
      single.fill(0);
      single[i] = 1;
      const ends = once(single);
      for (let j = i; j < to.length; j++) if (ends[j] === 0) to[j] = 1;
    }
    return to;
  }
  let to = once(from);
  if (type === "@") return to;
  if (type === "?") return merge(to, from);
  const all = type === "*" ? from.slice() : new Uint8Array(from.length);
  // Until nothing new is reached; only new places are gone on from.
  for (let fresh = to; ; fresh = once(to)) {
    to = new Uint8Array(from.length);
    let grown = false;
    for (let i = 0; i < all.length; i++) {
      if (fresh[i] !== 1 || all[i] === 1) continue;
      all[i] = 1;
      to[i] = 1;
      grown = true;
    }
    if (!grown) return all;
  }
}

function merge(into: Uint8Array, more: Uint8Array): Uint8Array {
  for (let i = 0; i < into.length; i++) if (more[i] === 1) into[i] = 1;
  return into;
}

/** POSIX's classes, for ASCII. */
const CLASSES: Readonly<Record<string, readonly (readonly [number, number])[]>> = Object.fromEntries(
  Object.entries({
    alnum: "09AZaz",
    alpha: "AZaz",
    blank: "  \t\t",
    cntrl: "\0\x1f\x7f\x7f",
    digit: "09",
    graph: "!~",
    lower: "az",
    print: " ~",
    punct: "!/:@[`{~",
    space: "  \t\r",
    upper: "AZ",
    word: "09AZaz__",
    xdigit: "09AFaf",
  }).map(([name, ends]) => [
    name,
    Array.from(
      { length: ends.length / 2 },
      (_, i) => [ends.charCodeAt(2 * i), ends.charCodeAt(2 * i + 1)] as const,
    ),
  ]),
);

class Parser {
  readonly #points: readonly number[];
  readonly #extended: boolean;
  readonly #ignoreCase: boolean;
  #at = 0;

  constructor(source: string, { extended, ignoreCase }: SegmentOptions) {
    this.#points = Array.from(source, (character) => character.codePointAt(0) ?? 0);
    this.#extended = extended;
    this.#ignoreCase = ignoreCase;
  }

  parse(): Part[] {
    return this.#sequence(0);
  }

  /** Parts up to the end, or in a group (`depth` > 0) up to what ends a choice. */
  #sequence(depth: number): Part[] {
    const parts: Part[] = [];
    let points: number[] = [];
    const flush = () => {
      if (points.length > 0) parts.push({ kind: "text", points });
      points = [];
    };
    while (this.#at < this.#points.length) {
      const point = this.#points[this.#at] as number;
      const character = String.fromCodePoint(point);
      if (depth > 0 && (character === "|" || character === ")")) break;
      this.#at += 1;
      let part: Part | undefined;
      if (this.#extended && "@?*+!".includes(character) && this.#points[this.#at] === 0x28) {
        part = this.#group(character as "@", depth);
      }
      if (part === undefined) {
        if (character === "*") part = { kind: "star" };
        else if (character === "?") part = { kind: "any" };
        else if (character === "[") part = this.#class();
        else if (character === "\\" && this.#at < this.#points.length) {
          points.push(this.#points[this.#at++] as number);
          continue;
        }
      }
      if (part === undefined) points.push(point);
      else {
        flush();
        if (part.kind !== "star" || parts.at(-1)?.kind !== "star") parts.push(part);
      }
    }
    flush();
    return parts;
  }

  /** `@(a|b)` behind its first character; undefined when it has no end, and so is plain text. */
  #group(type: "@" | "?" | "*" | "+" | "!", depth: number): Part | undefined {
    const start = this.#at;
    if (depth < 8) {
      const choices: Part[][] = [];
      do {
        this.#at += 1;
        choices.push(this.#sequence(depth + 1));
      } while (this.#points[this.#at] === 0x7c);
      if (this.#points[this.#at] === 0x29) {
        this.#at += 1;
        return { kind: "group", type, choices };
      }
    }
    this.#at = start;
    return undefined;
  }

  /** `[a-z]` behind its first character; undefined when it has no end. */
  #class(): Part | undefined {
    const start = this.#at;
    const ranges: (readonly [number, number])[] = [];
    const negated = this.#points[this.#at] === 0x21 || this.#points[this.#at] === 0x5e;
    if (negated) this.#at += 1;
    for (let first = true; this.#at < this.#points.length; first = false) {
      const point = this.#points[this.#at] as number;
      if (point === 0x5d && !first) {
        this.#at += 1;
        return { kind: "class", negated, ranges };
      }
      const named = point === 0x5b ? this.#named() : undefined;
      if (named !== undefined) {
        ranges.push(...named);
        continue;
      }
      const low = this.#classPoint();
      let high = low;
      if (
        this.#points[this.#at] === 0x2d &&
        this.#at + 1 < this.#points.length &&
        this.#points[this.#at + 1] !== 0x5d
      ) {
        this.#at += 1;
        high = this.#classPoint();
      }
      if (low <= high) ranges.push([low, high]);
    }
    this.#at = start;
    return undefined;
  }

  #classPoint(): number {
    const escaped = this.#points[this.#at] === 0x5c && this.#at + 1 < this.#points.length;
    if (escaped) this.#at += 1;
    return this.#points[this.#at++] as number;
  }

  /** `[:alpha:]`, at its first character. */
  #named(): readonly (readonly [number, number])[] | undefined {
    const rest = String.fromCodePoint(...this.#points.slice(this.#at, this.#at + 12));
    const [all, name = ""] = /^\[:([a-z]+):\]/.exec(rest) ?? [];
    const ranges = CLASSES[this.#ignoreCase && name === "upper" ? "lower" : name];
    if (all === undefined || ranges === undefined) return undefined;
    this.#at += all.length;
    return ranges;
  }
}
