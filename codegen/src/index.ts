/**
 * Codegen: reads the agent classes of a project and writes everything else.
 *
 * @module
 */
export type { Diagnostic, FramedSpan, Span } from "./diagnostics/diagnostic.ts";
export { type PrintOptions, printDiagnostic, printDiagnostics } from "./diagnostics/print.ts";
export { DIAGNOSTICS, type DiagnosticCode, type DiagnosticKind } from "./diagnostics/table.ts";
export { type GenerateOptions, type GenerateResult, Generator, generate } from "./generate.ts";
export type {
  AgentModel,
  Injection,
  Json,
  NamedType,
  ParameterModel,
  ProjectModel,
  PropertyModel,
  RetiredClass,
  ToolModel,
  TupleElement,
  TypeModel,
} from "./model.ts";
export { VERSION } from "./version.ts";
