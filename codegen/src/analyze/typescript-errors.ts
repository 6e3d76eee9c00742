import { ts } from "ts-morph";
import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.ts";
import { frameAt } from "./context.ts";

/** Errors beyond this many of one file add nothing. */
const MAX_PER_FILE = 20;

/** The compiler's own errors in the given files and in the project's files that they import. */
export function typescriptErrors(
  program: ts.Program,
  projectDir: string,
  roots: readonly ts.SourceFile[],
  isGenerated: (file: string) => boolean,
): Diagnostic[] {
  return importedBy(program, roots, isGenerated).flatMap((file) =>
    [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
      .filter(({ category }) => category === ts.DiagnosticCategory.Error)
      .slice(0, MAX_PER_FILE)
      .map((error) => {
        const text = ts.flattenDiagnosticMessageText(error.messageText, " ").replace(/\s+/g, " ");
        const start = error.start ?? 0;
        return diagnostic("CMP1005", `TS${error.code}: ${text}`, {
          at: frameAt(projectDir, file, start, start + (error.length ?? 1)),
        });
      }),
  );
}

/** The files themselves and, transitively, what they import, packages and generated files aside. */
function importedBy(
  program: ts.Program,
  roots: readonly ts.SourceFile[],
  isGenerated: (file: string) => boolean,
): ts.SourceFile[] {
  const checker = program.getTypeChecker();
  const seen = new Set<ts.SourceFile>();
  const visit = (file: ts.SourceFile): void => {
    if (seen.has(file) || isGenerated(file.fileName) || file.isDeclarationFile) return;
    if (file.fileName.includes("/node_modules/") || program.isSourceFileFromExternalLibrary(file)) return;
    seen.add(file);
    for (const statement of file.statements) {
      const specifier =
        ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
          ? statement.moduleSpecifier
          : undefined;
      const target = specifier && checker.getSymbolAtLocation(specifier)?.valueDeclaration;
      if (target && ts.isSourceFile(target)) visit(target);
    }
  };
  for (const root of roots) visit(root);
  return [...seen];
}
