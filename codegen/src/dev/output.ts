import path from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** A line for the developer. */
export interface Line {
  readonly kind: "plain" | "error" | "warning" | "stack";
  readonly text: string;
}

/** Lines that wrangler says about itself on standard output. What is not known is shown. */
const NOISE = [
  /^\[wrangler:info\] /,
  // The message is repeated on standard error, with its stack.
  /^\[wrangler:error\] /,
  /^\[wrangler:warn\] The Workers runtime crashed unexpectedly/,
  /^Using (secrets|vars) defined in /,
  /^⎔ /,
  /^\s*⛅️ wrangler /,
  /^[─-]{4,}$/,
  /^Total Upload: /,
];

/** A table of bindings follows, up to an empty line. */
const TABLE = /^Your Worker has access to the following bindings:/;

const HEADING = /^(?:✘ \[ERROR\]|▲ \[WARNING\]) ?(.*)$/;

/** wrangler's notes on what went well in the end. */
const RECOVERED = /^ProxyWorker: .* recovered on attempt /;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const FRAME = /^ +at /;

/** How much of an unfinished line is kept, in UTF-16 units; a worker may print megabytes without a newline. */
const MAX_LINE = 64 * 1024;

/**
 * Makes lines for the developer of what wrangler prints: the worker's console output and errors, without what
 * wrangler says about itself, and with stack traces that name files from the project's folder.
 */
export class OutputReader {
  readonly #project: string;
  #rest = "";
  #inTable = false;
  #skipping = false;
  #afterHeading = false;
  #heading = "";
  #blank = false;

  constructor(project: string) {
    this.#project = project;
  }

  /** Takes the next part of one stream; returns the lines that it completes. */
  read(text: string): Line[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > MAX_LINE) {
      lines.push(this.#rest);
      this.#rest = "";
    }
    return lines.flatMap((line) => this.#line(line));
  }

  #line(raw: string): Line[] {
    // Hostile code may print, too; nothing but text reaches the terminal.
    const text = stripVTControlCharacters(raw).replaceAll(CONTROL, "");
    if (text.trim() === "") {
      if (this.#inTable) {
        this.#inTable = false;
        return [];
      }
      // Blank lines stand around each of wrangler's headings; a worker's own are kept, one at a time.
      if (this.#afterHeading || this.#blank) return [];
      this.#blank = true;
      return [{ kind: "plain", text: "" }];
    }
    this.#blank = false;
    if (TABLE.test(text)) this.#inTable = true;
    if (this.#inTable || NOISE.some((pattern) => pattern.test(text))) return [];

    const heading = HEADING.exec(text.trimStart());
    if (heading) {
      // Some come with the bare word at their end, and once more without a stack.
      const message = (heading[1] ?? "").replace(/^(Uncaught .*) Error$/, "$1").trimEnd();
      const repeated = this.#afterHeading && message.startsWith("Uncaught ") && message === this.#heading;
      this.#afterHeading = true;
      this.#heading = message;
      this.#skipping = repeated || RECOVERED.test(message);
      if (this.#skipping) return [];
      return [{ kind: text.includes("[ERROR]") ? "error" : "warning", text: message }];
    }
    if (FRAME.test(text))
      return this.#skipping ? [] : [{ kind: "stack", text: `    ${this.#relative(text.trim())}` }];
    this.#skipping = false;
    this.#afterHeading = false;
    return [{ kind: "plain", text: this.#relative(text) }];
  }

  /** `file:///home/me/app/src/a.ts:3:7` and the like, from the project's folder. */
  #relative(text: string): string {
    return text.replaceAll(/file:\/\/\/[^\s()]+/g, (url) => {
      try {
        const file = path.relative(this.#project, fileURLToPath(url));
        return file.startsWith("..") ? fileURLToPath(url) : file;
      } catch {
        return url;
      }
    });
  }
}
