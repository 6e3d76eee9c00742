import { ts } from "ts-morph";
import { compare, type Diagnostic, diagnostic, sortDiagnostics } from "../diagnostics/diagnostic.ts";
import type { ProjectModel } from "../model.ts";
import { findAgents, type ReadAgent, readAgent, reportClashes, reportStrayTools } from "./agents.ts";
import { createContext, FRAMEWORK, framedSpan } from "./context.ts";
import { finishModels } from "./finish.ts";
import type { PackageSettings } from "./package-json.ts";
import { type PreviousClass, readRetired } from "./retired.ts";
import { TypeReader } from "./types.ts";
import { typescriptErrors } from "./typescript-errors.ts";

/** The markers as most files write them. */
const MARKERS = /@(?:Agent|tool)\b/;

/** What the analysis looks at. */
export interface AnalysisInput {
  readonly program: ts.Program;
  /** Absolute. */
  readonly projectDir: string;
  /** Where agents are looked for: the project's own files. */
  readonly files: readonly ts.SourceFile[];
  readonly settings: PackageSettings;
  /** The classes of the last good output. */
  readonly previous: readonly PreviousClass[];
  /** Whether a file is one that codegen writes. */
  readonly isGenerated: (file: string) => boolean;
}

/** The model, complete only when there are no diagnostics. */
export interface Analysis {
  readonly model: ProjectModel;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a project into its model. Finds all problems in one pass; has no effect on anything. */
export function analyze(input: AnalysisInput): Analysis {
  const { program, projectDir, files, settings } = input;
  const context = createContext(program, projectDir);
  const found = findAgents(context, files);
  if (!program.getCompilerOptions().strict && !program.getCompilerOptions().strictNullChecks) {
    context.diagnostics.push(diagnostic("CMP1006", "tsconfig.json leaves `strict` off."));
  }
  if (found.length === 0) context.diagnostics.push(noAgent(input));

  const reader = new TypeReader(context);
  const agents = found
    .map((each) => readAgent(context, reader, each))
    .filter((each): each is ReadAgent => !!each);
  reportClashes(context, agents);
  reportStrayTools(context, files, found);
  const roots = new Set(found.map(({ declaration }) => declaration.getSourceFile()));
  // A file that fails to import the framework, or forgot to, has no agents that can be found, but its errors say
  // why; also beside other agents, since what is left out there nobody would miss.
  for (const file of files) {
    if (MARKERS.test(file.text) || (roots.size === 0 && file.text.includes(FRAMEWORK))) roots.add(file);
  }
  context.diagnostics.push(...typescriptErrors(program, projectDir, [...roots], input.isGenerated));
  const retired = found.length === 0 ? [] : readRetired(context, agents, settings.deleted, input.previous);

  const finished = finishModels(
    context,
    reader,
    agents.map(({ model }) => model),
  );
  return {
    model: {
      name: settings.name,
      agents: finished.agents.sort((a, b) => compare(a.name, b.name)),
      types: finished.types,
      retired,
    },
    diagnostics: sortDiagnostics(context.diagnostics),
  };
}

/** Tells a project without agents from one where the framework is not installed. */
function noAgent({ program, projectDir, files }: AnalysisInput): Diagnostic {
  const checker = program.getTypeChecker();
  for (const file of files) {
    for (const statement of file.statements) {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
      if (statement.moduleSpecifier.text !== FRAMEWORK) continue;
      if (checker.getSymbolAtLocation(statement.moduleSpecifier)) continue;
      const at = framedSpan(projectDir, statement.moduleSpecifier);
      return diagnostic("CMP1003", `\`${FRAMEWORK}\` is imported but cannot be found.`, { at });
    }
  }
  const looked = files.length === 1 ? "the one file" : `the ${files.length} files`;
  return diagnostic("CMP1004", `There is no class marked with \`@Agent()\` in ${looked} of the project.`);
}
