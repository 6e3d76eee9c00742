import path from "node:path";
import { ts } from "ts-morph";
import { type Diagnostic, diagnostic, type FramedSpan, type Span } from "../diagnostics/diagnostic.ts";
import type { DiagnosticCode } from "../diagnostics/table.ts";
import { packageOf } from "./packages.ts";

/** The package that the markers and the constructor's types come from. */
export const FRAMEWORK = "@computer/framework";

/** What every step of the analysis shares: the compiler, and the list of what was found wrong. */
export interface Context {
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  /** Absolute, with forward slashes, as the compiler writes paths. */
  readonly projectDir: string;
  readonly diagnostics: Diagnostic[];
  /** Notes a problem at a node. */
  report(code: DiagnosticCode, node: ts.Node, message: string, mend?: string): void;
  /** Notes a problem at a place that was kept from a node. */
  reportAt(code: DiagnosticCode, at: Span, message: string): void;
}

export function createContext(program: ts.Program, projectDir: string): Context {
  const diagnostics: Diagnostic[] = [];
  return {
    program,
    checker: program.getTypeChecker(),
    projectDir,
    diagnostics,
    report(code, node, message, mend) {
      diagnostics.push(diagnostic(code, message, { at: framedSpan(projectDir, node), mend }));
    },
    reportAt(code, at, message) {
      const file = program.getSourceFile(path.posix.join(projectDir, at.file));
      const start = file?.getPositionOfLineAndCharacter(at.line - 1, at.column - 1) ?? 0;
      const frame = file ? frameAt(projectDir, file, start, start + 1) : { ...at, text: "", length: 1 };
      diagnostics.push(diagnostic(code, message, { at: frame }));
    },
  };
}

/** Where a node stands: of a class or a method the name, of anything else its start. */
export function spanOf(projectDir: string, node: ts.Node): Span {
  const { file, line, column } = framedSpan(projectDir, node);
  return { file, line, column };
}

export function framedSpan(projectDir: string, node: ts.Node): FramedSpan {
  const file = node.getSourceFile();
  return frameAt(projectDir, file, node.getStart(file), node.getEnd());
}

/** The frame of a stretch of a file; one that goes over several lines is marked on its first. */
export function frameAt(projectDir: string, file: ts.SourceFile, start: number, end: number): FramedSpan {
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  const starts = file.getLineStarts();
  const lineStart = starts[line] ?? 0;
  const text = file.text.slice(lineStart, starts[line + 1] ?? file.text.length).replace(/\r?\n$|\r$/, "");
  return {
    file: projectPath(projectDir, file.fileName),
    line: line + 1,
    column: character + 1,
    text,
    length: Math.max(1, Math.min(end, lineStart + text.length) - start),
  };
}

/** A file's path from the project's folder, with forward slashes. */
export function projectPath(projectDir: string, file: string): string {
  return path.relative(projectDir, file).split(path.sep).join("/");
}

/** The symbol that a name stands for in the end, through imports and re-exports. */
export function resolveAlias(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The symbol of an expression or a type's name, resolved. */
export function symbolOf(checker: ts.TypeChecker, node: ts.Node): ts.Symbol | undefined {
  const symbol = checker.getSymbolAtLocation(node);
  return symbol && resolveAlias(checker, symbol);
}

/** Whether a resolved symbol is the framework's of that name. */
export function isFrameworkSymbol(symbol: ts.Symbol | undefined, name: string): boolean {
  return (
    symbol?.name === name &&
    (symbol.declarations ?? []).some(
      (declaration) => packageOf(declaration.getSourceFile().fileName) === FRAMEWORK,
    )
  );
}
