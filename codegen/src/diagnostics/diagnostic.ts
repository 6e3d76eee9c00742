import { DIAGNOSTICS, type DiagnosticCode } from "./table.ts";

/** A stretch of a source file. Plain data: it outlives the compiler's own nodes. */
export interface Span {
  /** Path from the project's folder, with forward slashes. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units, as editors count. */
  readonly column: number;
}

/** A span with what a code frame needs. */
export interface FramedSpan extends Span {
  /** The text of the line. */
  readonly text: string;
  /** How much of the line is marked, in UTF-16 units; at least 1. */
  readonly length: number;
}

/**
 * One problem in a project: what is wrong, where, and how to mend it.
 *
 * @example
 * ```ts
 * const { diagnostics } = await generate(".");
 * for (const { code, at, message } of diagnostics) console.error(code, at?.file, at?.line, message);
 * ```
 */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  /** Where; absent for a problem of the whole project. */
  readonly at?: FramedSpan;
  /** What is wrong and why, one sentence or two. */
  readonly message: string;
  /** How to mend it. */
  readonly mend: string;
}

/** Makes a diagnostic; the advice comes from the table unless better is given. */
export function diagnostic(
  code: DiagnosticCode,
  message: string,
  options: { at?: FramedSpan | undefined; mend?: string | undefined } = {},
): Diagnostic {
  return {
    code,
    ...(options.at ? { at: options.at } : {}),
    message,
    mend: options.mend ?? DIAGNOSTICS[code].mend,
  };
}

/** In order of place, those without one first; equal ones once. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const key = ({ code, at, message }: Diagnostic) =>
    `${at?.file}:${at?.line}:${at?.column} ${code} ${message}`;
  const distinct = [...new Map(diagnostics.map((each) => [key(each), each])).values()];
  return distinct.sort(
    (a, b) =>
      compare(a.at?.file ?? "", b.at?.file ?? "") ||
      (a.at?.line ?? 0) - (b.at?.line ?? 0) ||
      (a.at?.column ?? 0) - (b.at?.column ?? 0) ||
      compare(a.code, b.code) ||
      compare(a.message, b.message),
  );
}

/** Order by code unit: the same on every machine, whatever its locale. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
