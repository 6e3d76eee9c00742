import { styleText } from "node:util";
import type { Diagnostic, FramedSpan } from "./diagnostic.ts";

/** Options of {@link printDiagnostic}. */
export interface PrintOptions {
  /** Whether to colour with ANSI sequences. Default no. */
  color?: boolean;
}

/** How much of a line a frame shows at most, in UTF-16 units; source may hold lines of megabytes. */
const FRAME_WIDTH = 120;

/**
 * The diagnostic as a person reads it: place, code, what and why, how to mend, and a code frame.
 *
 * @example
 * ```ts
 * console.error(printDiagnostic(found, { color: process.stderr.isTTY }));
 * // src/a.ts:12:3 - error CMP1030: `Reader.find` is private ... Make the method public ...
 * ```
 */
export function printDiagnostic({ code, at, message, mend }: Diagnostic, options: PrintOptions = {}): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    options.color ? styleText(style, text, { validateStream: false }) : text;
  const place = at ? `${paint("cyan", at.file)}:${at.line}:${at.column} - ` : "";
  const head = `${place}${paint("red", "error")} ${paint("dim", `${code}:`)} ${message} ${mend}`;
  if (!at) return head;
  const { text, marks } = frame(at);
  const number = String(at.line);
  return `${head}\n\n  ${paint("inverse", number)} ${text}\n  ${paint("inverse", " ".repeat(number.length))} ${paint("red", marks)}\n`;
}

/** All of them, and a line that counts them. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], options: PrintOptions = {}): string {
  if (diagnostics.length === 0) return "";
  const count = diagnostics.length === 1 ? "1 problem." : `${diagnostics.length} problems.`;
  return `${diagnostics.map((each) => printDiagnostic(each, options)).join("\n")}\n${count}`;
}

function frame({ text, column, length }: FramedSpan): { text: string; marks: string } {
  const at = column - 1;
  const from = text.length <= FRAME_WIDTH ? 0 : Math.max(0, at - FRAME_WIDTH / 2);
  const shown = text.slice(from, from + FRAME_WIDTH);
  // Tabs stay tabs in the line below, so that the marks stand where they should.
  const indent = shown.slice(0, at - from).replace(/[^\t]/g, " ");
  const marks = "~".repeat(Math.max(1, Math.min(length, shown.length - (at - from))));
  return { text: printable(shown), marks: indent + marks };
}

/** Control characters in a source must not reach the terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "?");
}
