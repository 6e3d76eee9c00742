import { RE2JS } from "re2js";
import { ComputerError } from "../errors.ts";
import { invalidType } from "../vfs/errors.ts";
import { isPlain, requiredText } from "./literal.ts";
import { type Found, Machine } from "./machine.ts";
import { compile, PATTERN_MAX } from "./program.ts";
import { COST, type Steps } from "./steps.ts";

/** Finds the first match in a line. A line is what stands between two newlines. */
export interface Matcher {
  /** Bytes that a file must hold for a line of it to match. */
  readonly needle: Uint8Array | undefined;
  /** Bytes of whole lines that it is best asked about at a time. */
  readonly window: number;
  /** Where in a text of whole lines the next match can be, `-1` for nowhere: in the line that this is in, not before it. */
  candidate(text: string, from: number): number;
  /** Says of a text of whole lines, when it is cheap to say, that no line of it matches. */
  excludes(text: string, ascii: boolean): boolean;
  /** A new line, that arrives in parts. */
  begin(): LineMatch;
}

/** Looks for a match in one line. */
export interface LineMatch {
  /** Takes the next part of the line; `last` when the line ends with it. Answers a match once it is certain. */
  feed(text: string, last: boolean, steps: Steps): Found | undefined | Promise<Found | undefined>;
}

/** What a pattern is. */
export interface PatternOptions {
  readonly fixed: boolean;
  readonly ignoreCase: boolean;
}

/** Characters of a text that native search is asked for: it may look at each of them at each place. */
const NATIVE_MAX = 64;

/**
 * Makes a matcher. A plain text is found by native search, all else by a machine that takes time in
 * proportion to what it reads.
 *
 * @throws `ERR_BAD_ARGUMENT` for a pattern that cannot be used.
 */
export function createMatcher(given: string | RegExp, options: PatternOptions): Matcher {
  let pattern = given as string;
  let { ignoreCase } = options;
  if (given instanceof RegExp) {
    pattern = given.source === "(?:)" ? "" : RE2JS.translateRegExp(given.source);
    ignoreCase ||= given.ignoreCase;
  }
  if (typeof pattern !== "string") throw invalidType("pattern", "a string or a regular expression", pattern);
  if (pattern.includes("\n")) throw bad("a match is within one line, so a pattern holds no newline");
  if (pattern.length > PATTERN_MAX) throw bad(`a pattern has at most ${PATTERN_MAX} characters`);
  const plain = pattern !== "" && (options.fixed || isPlain(pattern));
  if (plain && pattern.length <= NATIVE_MAX) return ignoreCase ? foldedText(pattern) : plainText(pattern);
  return expression(options.fixed ? RE2JS.quote(pattern) : pattern, ignoreCase);
}

function bad(why: string): ComputerError {
  return new ComputerError("ERR_BAD_ARGUMENT", `This is no pattern to search for: ${why}.`);
}

/** Bytes of whole lines that are looked at together, where nothing else says how many. */
const WINDOW_BYTES = 64 * 1024;

const encoder = new TextEncoder();

function plainText(text: string): Matcher {
  return {
    // A lone surrogate is in no text that was decoded.
    needle: encoder.encode(text),
    window: WINDOW_BYTES,
    candidate: (lines, from) => lines.indexOf(text, from),
    excludes: () => false,
    begin: () =>
      new NativeLine(text.length, (line) => {
        const start = line.indexOf(text);
        return start === -1 ? undefined : { start, end: start + text.length };
      }),
  };
}

/** A plain text whatever its case, as a native expression of characters only: there is nothing to backtrack. */
function foldedText(text: string): Matcher {
  const source = Array.from(text, (character) => character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&")).join("");
  const expression = new RegExp(source, "giu");
  const find = (lines: string, from: number): RegExpExecArray | null => {
    expression.lastIndex = from;
    return expression.exec(lines);
  };
  return {
    needle: undefined,
    window: WINDOW_BYTES,
    candidate: (lines, from) => find(lines, from)?.index ?? -1,
    excludes: () => false,
    begin: () =>
      new NativeLine(2 * text.length, (line) => {
        const match = find(line, 0);
        return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
      }),
  };
}

/** A line that is searched natively; where its parts meet they are searched together. */
class NativeLine implements LineMatch {
  readonly #overlap: number;
  readonly #find: (text: string) => Found | undefined;
  #rest = "";
  #at = 0;

  constructor(overlap: number, find: (text: string) => Found | undefined) {
    this.#overlap = overlap;
    this.#find = find;
  }

  feed(part: string): Found | undefined {
    const text = this.#rest + part;
    const found = this.#find(text);
    if (found !== undefined) return { start: found.start + this.#at, end: found.end + this.#at };
    this.#rest = text.slice(-this.#overlap);
    this.#at += text.length - this.#rest.length;
    return undefined;
  }
}

/** Instructions up to which the engine's own automaton is asked, and instructions times characters of one question. */
const AUTOMATON_PROGRAM = 100;
const AUTOMATON_WORK = 100_000;

function expression(pattern: string, ignoreCase: boolean): Matcher {
  const program = compile(pattern, ignoreCase);
  const text = ignoreCase
    ? undefined
    : requiredText(pattern)
        ?.slice(0, NATIVE_MAX)
        .replace(/[\ud800-\udbff]$/, "");
  const machine = new Machine(program);
  const automaton = !program.asserts && program.op.length <= AUTOMATON_PROGRAM;
  return {
    needle: text === undefined ? undefined : encoder.encode(text),
    window: automaton ? Math.floor(AUTOMATON_WORK / program.op.length) : WINDOW_BYTES,
    candidate: (lines, from) =>
      text === undefined ? (from < lines.length ? from : -1) : lines.indexOf(text, from),
    excludes: (lines, ascii) =>
      // Its states are remembered, by character: with ASCII their number is bounded.
      automaton && ascii && lines.length * program.op.length <= AUTOMATON_WORK && !program.re.test(lines),
    begin: () => new MachineLine(machine),
  };
}

class MachineLine implements LineMatch {
  readonly #machine: Machine;

  constructor(machine: Machine) {
    // One line at a time, so the machine can be used again.
    this.#machine = machine;
    this.#machine.reset();
  }

  feed(text: string, last: boolean, steps: Steps): Found | undefined | Promise<Found | undefined> {
    const machine = this.#machine;
    machine.work = 0;
    const at = machine.feed(text, 0, steps.left / COST.thread + 1);
    const rest = steps.spent(machine.work * COST.thread);
    if (at < text.length && !machine.done) return this.#goOn(text, at, last, steps);
    if (rest) return steps.rest().then(() => this.#result(last));
    return this.#result(last);
  }

  async #goOn(text: string, from: number, last: boolean, steps: Steps): Promise<Found | undefined> {
    for (let at = from; at < text.length && !this.#machine.done; ) {
      await steps.rest();
      this.#machine.work = 0;
      at = this.#machine.feed(text, at, steps.left / COST.thread + 1);
      steps.spent(this.#machine.work * COST.thread);
    }
    return this.#result(last);
  }

  #result(last: boolean): Found | undefined {
    if (last) return this.#machine.end();
    return this.#machine.done ? this.#machine.found : undefined;
  }
}
