import { isDirectory, isFile } from "../vfs/node.ts";
import { GlobSet, type GlobState, parseGlob } from "./glob-set.ts";
import type { Entry, Source } from "./source.ts";

/** Bytes of a `.gitignore` that is read, and places that the rules in force may have together. */
const FILE_MAX = 32 * 1024;
const PLACES_MAX = 10_000;

/** Characters of a rule. */
const RULE_MAX = 1024;

/** The rules of one `.gitignore`, with what the names from its directory down have matched. */
interface Rules {
  readonly set: GlobSet;
  readonly negated: readonly boolean[];
  readonly state: GlobState;
}

/** The rules in force in a directory, those of the outermost file first. */
export interface IgnoreState {
  readonly rules: readonly Rules[];
  readonly places: number;
  /** Rules were left out, since there were too many. */
  readonly cut: boolean;
}

/** What git's ignore rules say of the entries of a walk. */
export class Ignore {
  readonly #source: Source;
  /** Whether rules were left out anywhere. */
  cut = false;

  constructor(source: Source) {
    this.#source = source;
  }

  /** The rules in force in a directory that is reached by its path without symbolic links. */
  at(path: string): IgnoreState {
    let state: IgnoreState = { rules: [], places: 0, cut: false };
    this.#source.ancestors(path).forEach(({ id, name }, depth) => {
      state = this.#read(id, depth === 0 ? state : step(state, name));
    });
    return state;
  }

  /** Whether an entry of a directory is ignored. */
  ignores({ rules }: IgnoreState, entry: Entry): boolean {
    const directory = isDirectory(entry.mode);
    if (directory && entry.name === ".git") return true;
    for (let i = rules.length - 1; i >= 0; i--) {
      const { set, negated, state } = rules[i] as Rules;
      const last = set.accepts(set.step(state, entry.name), directory);
      if (last >= 0) return negated[last] !== true;
    }
    return false;
  }

  /** The rules in force in a directory below. */
  enter(state: IgnoreState, entry: Entry, id = entry.node): IgnoreState {
    return this.#read(id, step(state, entry.name));
  }

  #read(directory: number, state: IgnoreState): IgnoreState {
    const entry = this.#source.entry(directory, GITIGNORE);
    if (entry === undefined || !isFile(entry.mode) || entry.size === 0) return state;
    const bytes = this.#source.small(entry, FILE_MAX);
    const parsed = bytes && parseIgnore(decoder.decode(bytes));
    if (parsed === undefined || state.places + parsed.set.size > PLACES_MAX) {
      this.cut = true;
      return state;
    }
    const rules = [...state.rules, { ...parsed, state: parsed.set.start }];
    return { rules, places: state.places + parsed.set.size, cut: state.cut };
  }
}

function step({ rules, places, cut }: IgnoreState, name: string): IgnoreState {
  return {
    rules: rules
      .map((one) => ({ ...one, state: one.set.step(one.state, name) }))
      .filter(({ state }) => state.length > 0),
    places,
    cut,
  };
}

/** The rules of a file; undefined when there are too many, or one cannot be matched in bounded time. */
export function parseIgnore(text: string): Omit<Rules, "state"> | undefined {
  const negated: boolean[] = [];
  const patterns: ReturnType<typeof parseGlob>[] = [];
  for (const line of text.split(/\r?\n/)) {
    let end = line.length;
    // Spaces at the end go, unless they are escaped.
    while (line[end - 1] === " " && line[end - 2] !== "\\") end -= 1;
    let rule = line.startsWith("#") ? "" : line.slice(0, end);
    const isNegated = rule.startsWith("!");
    if (isNegated) rule = rule.slice(1);
    if (rule.length > RULE_MAX) return undefined;
    if (rule === "" || rule === "/" || rule.split("/").some((part) => part === ".." || part === "."))
      continue;
    const anywhere = !rule.slice(0, -1).includes("/");
    let glob = anywhere ? `**/${rule}` : rule;
    // All that is in a folder, but not the folder itself.
    if (glob.endsWith("/**")) glob += "/*";
    else if (glob.endsWith("/**/")) glob += "*/";
    patterns.push(parseGlob(glob, negated.length, { dot: true, extended: false, ignoreCase: false }));
    negated.push(isNegated);
  }
  try {
    return { set: new GlobSet(patterns, { dot: true }), negated };
  } catch {
    return undefined;
  }
}

const GITIGNORE = new TextEncoder().encode(".gitignore");
const decoder = new TextDecoder("utf-8", { ignoreBOM: false });
