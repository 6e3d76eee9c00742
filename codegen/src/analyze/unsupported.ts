import { ts } from "ts-morph";
import type { Context } from "./context.ts";

/** The way from a tool to a type inside one of its parameters, for messages. */
export interface Trail {
  /** `Reader.shelve` */
  readonly owner: string;
  /** The parameter, or undefined for the result. */
  readonly parameter?: string;
  /** Steps from there: `.when`, `[]`, `[key]`. */
  readonly path: readonly string[];
  /** What the report points at. */
  readonly node: ts.Node;
}

/** `Reader.shelve(options.when.callback)`; of a result `Reader.shelve() result[].when`. */
export function trailText({ owner, parameter, path }: Trail): string {
  const steps = path.join("");
  return parameter === undefined ? `${owner}() result${steps}` : `${owner}(${parameter}${steps})`;
}

/** Global types that have a plain counterpart. */
const INSTEAD: Readonly<Record<string, string>> = {
  Map: "Use a record: `Record<string, T>`.",
  ReadonlyMap: "Use a record: `Record<string, T>`.",
  Set: "Use an array.",
  ReadonlySet: "Use an array.",
  Buffer: "Use `Uint8Array`.",
  ArrayBuffer: "Use `Uint8Array`.",
  SharedArrayBuffer: "Use `Uint8Array`.",
  DataView: "Use `Uint8Array`.",
  Blob: "Use `Uint8Array`.",
  URL: "Use `string`.",
  RegExp: "Use `string`.",
  Error: "Throw it, or use an interface with its message.",
  String: "Use `string`.",
  Number: "Use `number`.",
  Boolean: "Use `boolean`.",
  Object: "Use `Record<string, unknown>`.",
  Function: "Leave it out.",
  Promise: "Await it in the tool; only a tool's whole result may be a promise.",
  ReadableStream: "Write to a file of the workspace and return its path.",
};

/** The globals that do cross the boundary. */
const SUPPORTED = new Set(["Array", "ReadonlyArray", "Date", "Uint8Array"]);

/** Why a type that is no primitive and no union cannot cross the boundary, or undefined when it may. */
export function unsupportedReason(
  context: Context,
  type: ts.Type,
): { why: string; mend?: string } | undefined {
  // Only asked for a type that is refused: an endless one takes its time to print.
  const print = () => context.checker.typeToString(type).slice(0, 80);
  if (type.flags & ts.TypeFlags.BigIntLike)
    return { why: "JSON has no `bigint`", mend: "Use `number` or `string`." };
  if (type.flags & ts.TypeFlags.ESSymbolLike)
    return { why: "a `symbol` has no meaning outside its program", mend: "Use `string`." };
  if (type.flags & (ts.TypeFlags.TemplateLiteral | ts.TypeFlags.StringMapping)) {
    return {
      why: `the pattern type \`${print()}\` has no schema yet`,
      mend: "Use `string` and check it in the tool.",
    };
  }
  if (type.flags & ts.TypeFlags.NonPrimitive)
    return {
      why: "`object` says nothing of what is in it",
      mend: "Use `Record<string, unknown>` or an interface.",
    };
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) {
    return {
      why: `\`${print()}\` is not a fixed type`,
      mend: "Name the type: arguments from outside are checked against it.",
    };
  }
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) {
    return { why: "a function cannot cross the boundary", mend: "Take it out of the type, or make it data." };
  }
  const { symbol } = type;
  if (!symbol) return undefined;
  if (symbol.flags & ts.SymbolFlags.Class && !isGlobal(context, symbol)) {
    return {
      why: `\`${print()}\` is an instance of a class, and only its data would arrive`,
      mend: "Use an interface with the data.",
    };
  }
  if (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class) && isGlobal(context, symbol)) {
    if (SUPPORTED.has(symbol.name)) return undefined;
    const mend = INSTEAD[symbol.name];
    return { why: `\`${print()}\` cannot cross the boundary`, ...(mend === undefined ? {} : { mend }) };
  }
  return undefined;
}

/** Whether a symbol is one of the platform's: declared by TypeScript's library or an ambient package, in no module. */
export function isGlobal(context: Context, symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some((declaration) => {
    const file = declaration.getSourceFile();
    if (context.program.isSourceFileDefaultLibrary(file)) return true;
    return file.fileName.includes("/node_modules/") && !ts.isExternalModule(file);
  });
}
