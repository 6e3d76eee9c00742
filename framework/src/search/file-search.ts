import { Buffer } from "node:buffer";
import { CHUNK_BYTES } from "../vfs/layout.ts";
import type { Found } from "./machine.ts";
import type { LineMatch, Matcher } from "./matcher.ts";
import { COST, type Steps } from "./steps.ts";
import type { GrepMatch } from "./types.ts";

/** The content of a file that is searched: all of it at once, or a version to be read in parts. */
export interface Content {
  readonly size: number;
  read(start: number, end: number): Uint8Array;
}

/** How matches are shown. */
export interface LineOptions {
  readonly before: number;
  readonly after: number;
  readonly maxLineLength: number;
}

/** A match as it is put together. */
type Draft = { -readonly [K in keyof GrepMatch]: GrepMatch[K] };

/** Bytes of a longer line that are looked at together, and of a line up to which it is held whole. */
const WINDOW_BYTES = 64 * 1024;
const LINE_BYTES = 256 * 1024;

const NEWLINE = 0x0a;

/** What it costs to look at a line, whatever is in it. */
const LINE_WORK = 50;

/**
 * Searches one file, line by line, from its start or from where an earlier search stopped. It holds a few
 * hundred kilobytes, whatever the file: a line too long to be held goes through the matcher in parts.
 */
export class FileSearch {
  readonly #matcher: Matcher;
  readonly #options: LineOptions;
  readonly #steps: Steps;
  readonly #path: string;
  readonly #take: (match: GrepMatch) => boolean;
  readonly #from: number;
  /** Number of the line that comes next, from 1, and the bytes before it. */
  #line: number;
  #at: number;
  /** Lines at the end of what was looked at, for `before`. */
  #recent: string[] = [];
  /** The lines after those matches that wait for more of them. */
  #open: { readonly after: string[] }[] = [];
  #enough = false;
  #refusedAt = 0;
  #size = 0;
  /** A line was shown in part. */
  cut = false;

  /**
   * @param take is given each match, and answers whether it takes it; when not, the search of this file ends.
   * @param from the line to begin with, and where it begins if that is known.
   */
  constructor(
    path: string,
    matcher: Matcher,
    options: LineOptions,
    steps: Steps,
    take: (match: GrepMatch) => boolean,
    from: { readonly line: number; readonly at: number } = { line: 1, at: 0 },
  ) {
    this.#path = path;
    this.#matcher = matcher;
    this.#options = options;
    this.#steps = steps;
    this.#take = take;
    this.#from = from.line;
    this.#line = from.at > 0 ? from.line : 1;
    this.#at = from.at;
  }

  /** Where the line begins whose match was not taken. */
  get refusedAt(): number {
    return this.#refusedAt;
  }

  async run(content: Content): Promise<void> {
    this.#size = content.size;
    if (this.#at > 0) this.#lookBack(content);
    let carry: Uint8Array = NOTHING;
    for (let at = this.#at; at < content.size && !this.#finished; ) {
      const end = Math.min(content.size, at + CHUNK_BYTES - (at % CHUNK_BYTES));
      const part = content.read(at, end);
      at = end;
      const last = at >= content.size;
      const bytes = carry.length === 0 ? part : join(carry, part);
      if (this.#steps.spent(part.length * COST.byte)) await this.#steps.rest();
      const whole = last ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
      await this.#windows(bytes.subarray(0, whole));
      carry = bytes.slice(whole);
      release(bytes);
      if (bytes !== part) release(part);
      if (carry.length > LINE_BYTES && !this.#finished) {
        const next = await this.#longLine(content, carry, at);
        at = next.at;
        carry = next.rest;
        if (at >= content.size && carry.length > 0) {
          await this.#windows(carry);
          carry = NOTHING;
        }
      }
    }
  }

  /** Reads the lines before the place where this search begins, as far as they are to be shown. */
  #lookBack(content: Content): void {
    let bytes: Uint8Array = NOTHING;
    for (let from = Math.max(0, this.#at - WINDOW_BYTES); from < this.#at; ) {
      const part = content.read(from, this.#at);
      if (part.length === 0) break;
      bytes = join(bytes, part);
      from += part.length;
    }
    this.#remember(decoder.decode(bytes));
  }

  get #finished(): boolean {
    return this.#enough && this.#open.length === 0;
  }

  /** Looks at whole lines, some at a time. */
  async #windows(bytes: Uint8Array): Promise<void> {
    const size = this.#matcher.window;
    for (let start = 0; start < bytes.length && !this.#finished; ) {
      let end = bytes.length;
      if (end - start > size) {
        const cut = bytes.lastIndexOf(NEWLINE, start + size - 1) + 1;
        const next = bytes.indexOf(NEWLINE, start + size) + 1;
        end = cut > start ? cut : next > 0 ? next : end;
      }
      await this.#window(bytes.subarray(start, end));
      start = end;
    }
  }

  async #window(bytes: Uint8Array): Promise<void> {
    const { needle } = this.#matcher;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const hopeless = this.#enough || (needle !== undefined && buffer.indexOf(needle) === -1);
    if (!hopeless || this.#open.length > 0 || this.#options.before > 0) {
      const text = decoder.decode(bytes);
      if (this.#steps.spent(text.length * COST.character)) await this.#steps.rest();
      this.#fill(text);
      if (!hopeless && !this.#matcher.excludes(text, text.length === bytes.length)) {
        await this.#lines(text, buffer);
      }
      this.#remember(text);
    }
    this.#at += bytes.length;
    if (this.#at < this.#size) this.#line += count(buffer);
  }

  /** Looks for matching lines in a text of whole lines. */
  async #lines(text: string, buffer: Buffer): Promise<void> {
    let line = this.#line;
    let counted = 0;
    for (let at = 0; at < text.length && !this.#enough; ) {
      const candidate = this.#matcher.candidate(text, at);
      if (candidate === -1) return;
      const start = candidate === 0 ? 0 : text.lastIndexOf("\n", candidate - 1) + 1;
      const newline = text.indexOf("\n", candidate);
      const end = newline === -1 ? text.length : newline;
      for (
        let next = text.indexOf("\n", counted);
        next !== -1 && next < start;
        next = text.indexOf("\n", counted)
      ) {
        line += 1;
        counted = next + 1;
      }
      at = end + 1;
      if (this.#steps.spent(LINE_WORK)) await this.#steps.rest();
      if (line < this.#from) continue;
      const content = text.slice(start, end);
      const result = this.#matcher.begin().feed(content, true, this.#steps);
      const found = result instanceof Promise ? await result : result;
      if (found === undefined) continue;
      this.#report(line, { text: content, at: 0 }, found, found, { text, start, next: end + 1 });
      if (this.#enough) this.#refusedAt = this.#at + offsetOfLine(buffer, line - this.#line);
    }
  }

  /**
   * A line that is too long to be held, from its beginning.
   *
   * @returns where reading goes on, and what was read beyond the line.
   */
  async #longLine(
    content: Content,
    begun: Uint8Array,
    from: number,
  ): Promise<{ at: number; rest: Uint8Array }> {
    const stream = new TextDecoder("utf-8", { ignoreBOM: true });
    const start = this.#at;
    const match = this.#line >= this.#from && !this.#enough ? this.#matcher.begin() : undefined;
    // The end of what the matcher has taken, to be shown around a match.
    const shown = { text: "", at: 0 };
    let state: LineMatch | undefined = match;
    let head = "";
    let found: Found | undefined;
    let part = begun;
    let at = from;
    let rest: Uint8Array = NOTHING;
    for (let ended = false; !ended; ) {
      const newline = part.indexOf(NEWLINE);
      ended = newline !== -1 || at >= content.size;
      const line = newline === -1 ? part : part.subarray(0, newline);
      if (newline !== -1) rest = part.subarray(newline + 1);
      this.#at += line.length + (newline === -1 ? 0 : 1);
      if (state !== undefined || head === "") {
        for (let i = 0; i < line.length || ended; i += WINDOW_BYTES) {
          const piece = line.subarray(i, i + WINDOW_BYTES);
          const last = ended && i + WINDOW_BYTES >= line.length;
          const text = stream.decode(piece, { stream: !last });
          if (head === "") head = text.slice(0, this.#options.maxLineLength);
          if (state !== undefined) {
            if (this.#steps.spent(text.length * COST.character)) await this.#steps.rest();
            keep(shown, text);
            found = await state.feed(text, last, this.#steps);
            if (found !== undefined) state = undefined;
          }
          if (last || state === undefined) break;
        }
      }
      if (ended) break;
      if (this.#steps.spent(CHUNK_BYTES * COST.byte)) await this.#steps.rest();
      const end = Math.min(content.size, at + CHUNK_BYTES - (at % CHUNK_BYTES));
      release(part);
      part = content.read(at, end);
      at = end;
    }
    if (rest.length > 0) rest = rest.slice();
    release(part);
    this.cut = true;
    this.#fill(head);
    if (found !== undefined) {
      const inside = found.start >= shown.at;
      // What began too far back is not held any more: then the part around its end is shown.
      const window = inside ? found : { start: Math.max(shown.at, found.end - 1), end: found.end };
      this.#report(this.#line, shown, found, window, { text: "", start: 0, next: 0 });
      this.#refusedAt = start;
    }
    this.#remember(head);
    this.#line += 1;
    return { at, rest };
  }

  /**
   * Hands a match on.
   *
   * @param held the line, or what is held of it.
   * @param window the part of it that is to be shown.
   * @param around the text that the line stands in.
   */
  #report(
    line: number,
    held: { readonly text: string; readonly at: number },
    found: Found,
    window: Found,
    around: { readonly text: string; readonly start: number; readonly next: number },
  ): void {
    const { before, after, maxLineLength } = this.#options;
    const part = cutAround(held.text, window.start - held.at, window.end - held.at, maxLineLength);
    if (part.text.length < held.text.length) this.cut = true;
    const match: Draft = {
      path: this.#path,
      line,
      column: found.start + 1,
      length: found.end - found.start,
      text: part.text,
      offset: held.at + part.offset,
    };
    if (before > 0) {
      const earlier = linesBefore(around.text, around.start, before);
      const missing = before - earlier.length;
      const all = missing > 0 ? [...this.#recent.slice(-missing), ...earlier] : earlier;
      match.before = all.map((one) => this.#cut(one));
    }
    if (after > 0) {
      match.after = linesAfter(around.text, around.next, after).map((one) => this.#cut(one));
    }
    this.#enough = !this.#take(match);
    if (!this.#enough && match.after !== undefined && match.after.length < after) {
      this.#open.push({ after: match.after as string[] });
    }
  }

  /** Gives the matches that wait for lines after them those that come now. */
  #fill(text: string): void {
    if (this.#open.length === 0) return;
    this.#open = this.#open.filter(({ after }) => {
      for (const line of linesAfter(text, 0, this.#options.after - after.length)) after.push(this.#cut(line));
      return after.length < this.#options.after;
    });
  }

  #remember(text: string): void {
    const { before } = this.#options;
    if (before === 0) return;
    const lines = linesBefore(text, text.length, before).map((one) => this.#cut(one));
    this.#recent = [...this.#recent, ...lines].slice(-before);
  }

  #cut(line: string): string {
    const max = this.#options.maxLineLength;
    if (line.length <= max) return line;
    this.cut = true;
    return cutAround(line, 0, 0, max).text;
  }
}

const NOTHING = new Uint8Array();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Gives memory back that nobody else holds: what is read piece by piece would else be garbage of many megabytes,
 * outside of the heap, before the collector sees a reason to come.
 */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

/** Keeps the end of a long line, enough to show the surroundings of a match. */
function keep(shown: { text: string; at: number }, more: string): void {
  const tail = shown.text.slice(-WINDOW_BYTES);
  shown.at += shown.text.length - tail.length;
  shown.text = tail + more;
}

/** The part of a line around a match, with more of what comes before it than after when it is short. */
export function cutAround(
  line: string,
  start: number,
  end: number,
  max: number,
): { text: string; offset: number } {
  if (line.length <= max) return { text: line, offset: 0 };
  const spare = Math.max(0, max - (end - start));
  let from = Math.max(0, Math.min(start - Math.floor(spare / 2), line.length - max));
  let to = from + max;
  // No half of a character.
  if (isLow(line.charCodeAt(from))) from += 1;
  if (isLow(line.charCodeAt(to))) to -= 1;
  return { text: line.slice(from, to), offset: from };
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Up to so many lines that end before a place where a line begins. */
function linesBefore(text: string, end: number, limit: number): string[] {
  const lines: string[] = [];
  for (let to = text[end - 1] === "\n" ? end - 1 : end; lines.length < limit && to >= 0 && end > 0; ) {
    const newline = to === 0 ? -1 : text.lastIndexOf("\n", to - 1);
    lines.unshift(text.slice(newline + 1, to));
    to = newline;
  }
  return lines;
}

/** Up to so many lines from a place where a line begins. */
function linesAfter(text: string, start: number, limit: number): string[] {
  const lines: string[] = [];
  for (let from = start; lines.length < limit && from < text.length; ) {
    const newline = text.indexOf("\n", from);
    const to = newline === -1 ? text.length : newline;
    lines.push(text.slice(from, to));
    from = to + 1;
  }
  return lines;
}

/** Newlines in bytes. */
function count(buffer: Buffer): number {
  let newlines = 0;
  for (let at = buffer.indexOf(NEWLINE); at !== -1; at = buffer.indexOf(NEWLINE, at + 1)) newlines += 1;
  return newlines;
}

/** Where a line begins, so many lines on. */
function offsetOfLine(buffer: Buffer, lines: number): number {
  let at = 0;
  for (let i = 0; i < lines; i++) {
    const newline = buffer.indexOf(NEWLINE, at);
    if (newline === -1) return buffer.length;
    at = newline + 1;
  }
  return at;
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}
