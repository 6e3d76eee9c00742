import { RE2JS } from "re2js";
import { ComputerError } from "../errors.ts";

/** Instructions that a pattern may compile to, and characters that it may have. */
export const PROGRAM_MAX = 2000;
export const PATTERN_MAX = 4096;

/** Instructions of a {@link Program}. */
export const OP = { fail: 0, match: 1, jump: 2, split: 3, assert: 4, character: 5 } as const;

/** Conditions of an `assert` instruction, as bits. */
export const ASSERT = { beginLine: 1, endLine: 2, beginText: 4, endText: 8, word: 16, notWord: 32 } as const;

/** A regular expression as instructions for a {@link Machine}. */
export interface Program {
  readonly op: Uint8Array;
  /** Where to go on; of a `split` first `out`, then `arg`. Of an `assert`, `arg` are its conditions. */
  readonly out: Int32Array;
  readonly arg: Int32Array;
  readonly start: number;
  /** Whether an instruction takes an ASCII character: at `128 * instruction + character`. */
  readonly ascii: Uint8Array;
  /** Whether an instruction takes a code point. */
  takes(at: number, point: number): boolean;
  /** Whether there are `assert` instructions. */
  readonly asserts: boolean;
  /** The expression, for its own automaton. */
  readonly re: RE2JS;
}

/** What the engine's compiled form looks like, as far as it is used here. */
interface EngineProgram {
  readonly start: number;
  numInst(): number;
  getInst(at: number): { op: number; out: number; arg: number; matchRune(point: number): boolean };
}

/** The engine's numbers of instructions, and what they become. */
const ENGINE_OPS = [
  undefined,
  OP.split, // ALT
  OP.split, // ALT_MATCH
  OP.jump, // CAPTURE
  OP.assert, // EMPTY_WIDTH
  OP.fail,
  OP.match,
  OP.jump, // NOP
  OP.character, // RUNE
  OP.character, // RUNE1
  OP.character, // RUNE_ANY
  OP.character, // RUNE_ANY_NOT_NL
] as const;

/**
 * Compiles a regular expression in RE2's syntax: no look-around, no back-references, and so no input on
 * which it takes longer than in proportion to the input's length.
 *
 * @throws `ERR_BAD_ARGUMENT` for a pattern that is wrong, too large, or none of RE2's.
 */
export function compile(pattern: string, ignoreCase: boolean): Program {
  if (pattern.length > PATTERN_MAX) throw bad(`it has more than ${PATTERN_MAX} characters`);
  let re: RE2JS;
  try {
    re = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    throw bad((error as Error).message, error);
  }
  const engine = (re.re2() as { prog: EngineProgram }).prog;
  const size = engine.numInst();
  if (size > PROGRAM_MAX) {
    throw bad(`it compiles to ${size} instructions, and ${PROGRAM_MAX} is the most: repeat less often`);
  }
  const op = new Uint8Array(size);
  const out = new Int32Array(size);
  const arg = new Int32Array(size);
  const instructions = Array.from({ length: size }, (_, at) => engine.getInst(at));
  instructions.forEach((instruction, at) => {
    const known = ENGINE_OPS[instruction.op];
    if (known === undefined)
      throw new Error(`re2js has an instruction ${instruction.op} that is not known here`);
    op[at] = known;
    out[at] = instruction.out;
    arg[at] = instruction.arg;
  });
  // What each instruction takes of ASCII, as bits: it is asked for every character.
  const ascii = new Uint8Array(size * 128);
  instructions.forEach((instruction, at) => {
    if (op[at] !== OP.character) return;
    for (let point = 0; point < 128; point++) ascii[at * 128 + point] = instruction.matchRune(point) ? 1 : 0;
  });
  return {
    op,
    out,
    arg,
    start: engine.start,
    ascii,
    takes: (at, point) =>
      point < 128 ? ascii[at * 128 + point] === 1 : (instructions[at]?.matchRune(point) ?? false),
    asserts: op.includes(OP.assert),
    re,
  };
}

function bad(why: string, cause?: unknown): ComputerError {
  return new ComputerError("ERR_BAD_ARGUMENT", `This is no pattern to search for: ${why}.`, { cause });
}
