import { ASSERT, OP, type Program } from "./program.ts";

/** A match: UTF-16 units from the line's start on. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

/** Conditions that may hold at a place, as bits. */
const CONDITIONS = 64;

/** Instructions in the closures that are remembered. */
const REMEMBERED = 200_000;

/**
 * Runs a program over a line that arrives in parts, and can stop after any character and go on later, so
 * that neither the line's length nor the pattern decides how long it works at a time or how much it holds.
 * It keeps all ways that a match may still go, in the order in which a backtracking engine would try them,
 * and so finds the same match: the leftmost one, by the pattern's preferences.
 */
export class Machine {
  readonly #program: Program;
  /** The ways that are open before the next character: instructions, and where each match began. */
  #pending: Int32Array;
  #pendingStart: Float64Array;
  #pendingCount = 0;
  #threads: Int32Array;
  #threadStart: Float64Array;
  #count = 0;
  readonly #seen: Int32Array;
  #generation = 0;
  /** By instruction and conditions, as far as they were needed. */
  readonly #closures: Int32Array[] = [];
  #remembered = 0;
  /** Whether an ASCII character can begin a match, other ones always may. */
  readonly #first: Uint8Array;
  readonly #onlyAtStart: boolean;
  #position = 0;
  #previous = -1;
  #found: Found | undefined;
  #done = false;
  /** Looks at characters so far; a caller sets it back. */
  work = 0;

  constructor(program: Program) {
    this.#program = program;
    const size = program.op.length;
    // A way leads on to at most one other per character.
    this.#pending = new Int32Array(size);
    this.#pendingStart = new Float64Array(size);
    this.#threads = new Int32Array(size);
    this.#threadStart = new Float64Array(size);
    this.#seen = new Int32Array(size).fill(-1);
    const { first, onlyAtStart } = beginnings(program);
    this.#first = first;
    this.#onlyAtStart = onlyAtStart;
  }

  /** Begins with a new line. */
  reset(): void {
    this.#pendingCount = 0;
    this.#position = 0;
    this.#previous = -1;
    this.#found = undefined;
    this.#done = false;
  }

  /** Whether the rest of the line makes no difference. */
  get done(): boolean {
    return this.#done;
  }

  /** The match; it is final once the machine is done or the line has ended. */
  get found(): Found | undefined {
    return this.#found;
  }

  /**
   * Goes on over a part of the line, until it is at its end, done, or has worked enough.
   *
   * @returns where in the part it stopped.
   */
  feed(text: string, from: number, enough: number): number {
    let at = from;
    while (at < text.length && !this.#done && this.work < enough) {
      if (this.#pendingCount === 0 && this.#position > 0 && this.#found === undefined) {
        if (this.#onlyAtStart) {
          this.#done = true;
          break;
        }
        const next = this.#skip(text, at);
        if (next > at) {
          this.work += (next - at) / 8;
          this.#previous = text.charCodeAt(next - 1);
          this.#position += next - at;
          at = next;
          continue;
        }
      }
      const point = text.codePointAt(at) as number;
      this.#step(point);
      const width = point > 0xffff ? 2 : 1;
      this.#position += width;
      at += width;
      this.#previous = point;
    }
    return at;
  }

  /** The line is over. */
  end(): Found | undefined {
    if (!this.#done) this.#step(-1);
    this.#done = true;
    return this.#found;
  }

  /** The next place where a match can begin. */
  #skip(text: string, from: number): number {
    let at = from;
    // The character before may matter to what begins: it is kept by stopping one short of nothing.
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 127 || this.#first[unit] === 1) break;
    }
    return at;
  }

  #step(point: number): void {
    const { op, out, ascii } = this.#program;
    const conditions = this.#conditions(point);
    this.#count = 0;
    this.#generation += 1;
    for (let i = 0; i < this.#pendingCount; i++) {
      this.#add(this.#pending[i] as number, this.#pendingStart[i] as number, conditions);
    }
    if (this.#found === undefined) this.#add(this.#program.start, this.#position, conditions);
    this.work += this.#count + 1;
    let pending = 0;
    const isAscii = point >= 0 && point < 128;
    for (let i = 0; i < this.#count; i++) {
      const at = this.#threads[i] as number;
      if (op[at] === OP.match) {
        this.#found = { start: this.#threadStart[i] as number, end: this.#position };
        // Ways that come later are less preferred.
        break;
      }
      if (isAscii ? ascii[at * 128 + point] === 1 : point >= 0 && this.#program.takes(at, point)) {
        this.#pending[pending] = out[at] as number;
        this.#pendingStart[pending] = this.#threadStart[i] as number;
        pending += 1;
      }
    }
    this.#pendingCount = pending;
    if (this.#found !== undefined && pending === 0) this.#done = true;
  }

  /** Adds what an instruction leads to without a character, unless a preferred way has led there already. */
  #add(first: number, start: number, conditions: number): void {
    const reached = this.#closures[first * CONDITIONS + conditions] ?? this.#close(first, conditions);
    for (let i = 0; i < reached.length; i++) {
      const at = reached[i] as number;
      if (this.#seen[at] === this.#generation) continue;
      this.#seen[at] = this.#generation;
      this.#threads[this.#count] = at;
      this.#threadStart[this.#count] = start;
      this.#count += 1;
    }
    this.work += reached.length / 4;
  }

  /** What an instruction leads to without a character, in the order of preference. */
  #close(first: number, conditions: number): Int32Array {
    const { op, out, arg } = this.#program;
    const reached: number[] = [];
    const passed = new Set<number>();
    const stack = [first];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (passed.has(at)) continue;
      passed.add(at);
      if (op[at] === OP.split) stack.push(arg[at] as number, out[at] as number);
      else if (op[at] === OP.jump) stack.push(out[at] as number);
      else if (op[at] === OP.assert) {
        if (((arg[at] as number) & ~conditions) === 0) stack.push(out[at] as number);
      } else if (op[at] !== OP.fail) reached.push(at);
    }
    this.work += passed.size * 4;
    const closure = Int32Array.from(reached);
    this.#remembered += closure.length + 8;
    if (this.#remembered > REMEMBERED) {
      this.#closures.length = 0;
      this.#remembered = closure.length + 8;
    }
    this.#closures[first * CONDITIONS + conditions] = closure;
    return closure;
  }

  /** What holds between the last character and this one. */
  #conditions(point: number): number {
    if (!this.#program.asserts) return 0;
    let conditions = isWord(this.#previous) === isWord(point) ? ASSERT.notWord : ASSERT.word;
    if (this.#position === 0) conditions |= ASSERT.beginLine | ASSERT.beginText;
    if (point === -1) conditions |= ASSERT.endLine | ASSERT.endText;
    return conditions;
  }
}

function isWord(point: number): boolean {
  return (
    (point >= 0x61 && point <= 0x7a) ||
    (point >= 0x41 && point <= 0x5a) ||
    (point >= 0x30 && point <= 0x39) ||
    point === 0x5f
  );
}

/** The ASCII characters that can begin a match, and whether one can begin only with the line. */
function beginnings({ op, out, arg, start, takes }: Program): { first: Uint8Array; onlyAtStart: boolean } {
  const first = new Uint8Array(128);
  const seen = new Map<number, boolean>();
  let onlyAtStart = true;
  const stack: [number, boolean][] = [[start, false]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [at, anchored] = next;
    const known = seen.get(at);
    if (known !== undefined && (known === anchored || known === false)) continue;
    seen.set(at, anchored);
    if (op[at] === OP.match || op[at] === OP.character) {
      if (!anchored) onlyAtStart = false;
      // What matches without a character may begin anywhere.
      for (let point = 0; point < 128; point++) if (op[at] === OP.match || takes(at, point)) first[point] = 1;
    } else if (op[at] === OP.split) stack.push([arg[at] as number, anchored], [out[at] as number, anchored]);
    else if (op[at] === OP.jump) stack.push([out[at] as number, anchored]);
    else if (op[at] === OP.assert) {
      const begins = ((arg[at] as number) & (ASSERT.beginLine | ASSERT.beginText)) !== 0;
      stack.push([out[at] as number, anchored || begins]);
    }
  }
  return { first, onlyAtStart };
}
