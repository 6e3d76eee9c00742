import { ts } from "ts-morph";
import type { Injection } from "../model.ts";
import { type Context, isFrameworkSymbol, symbolOf } from "./context.ts";
import { classChain } from "./tools.ts";

/** What an agent's constructor takes; a type that codegen does not provide is reported. */
export function readConstructor(context: Context, declaration: ts.ClassDeclaration): Injection[] {
  const className = declaration.name?.text ?? "";
  const found = classChain(context.checker, declaration)
    .map(({ members }) => members.filter(ts.isConstructorDeclaration))
    .find((constructors) => constructors.length > 0);
  const [first] = found ?? [];
  if (!found || !first) return [];
  if (found.length > 1) {
    context.report("CMP1021", first, `The constructor of \`${className}\` is overloaded.`);
    return [];
  }
  if (ts.getCombinedModifierFlags(first) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) {
    context.report("CMP1021", first, `The constructor of \`${className}\` is not public.`);
    return [];
  }
  const injections: Injection[] = [];
  for (const parameter of first.parameters) {
    const injection = parameter.type && injectionOf(context, parameter.type);
    if (injection) injections.push(injection);
    // What the class can do without is left to its default.
    else if (!parameter.initializer && !parameter.questionToken && !parameter.dotDotDotToken) {
      const type = parameter.type ? `of type \`${parameter.type.getText().slice(0, 60)}\`` : "without a type";
      context.report(
        "CMP1020",
        parameter.name,
        `The constructor of \`${className}\` takes \`${parameter.name.getText()}\` ${type}.`,
      );
    } else break;
  }
  return injections;
}

/** Which of the things on offer a written type means, by symbol and through aliases. */
function injectionOf(context: Context, node: ts.TypeNode, depth = 0): Injection | undefined {
  if (depth > 8) return undefined;
  const name = ts.isTypeReferenceNode(node)
    ? node.typeName
    : ts.isImportTypeNode(node)
      ? node.qualifier
      : undefined;
  const symbol = name && symbolOf(context.checker, name);
  if (!symbol) return undefined;
  if (isFrameworkSymbol(symbol, "Workspace")) return "workspace";
  if (isFrameworkSymbol(symbol, "AgentId")) return "id";
  if (symbol.name === "Env" && symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias))
    return "env";
  const alias = symbol.declarations?.find(ts.isTypeAliasDeclaration);
  return alias && injectionOf(context, alias.type, depth + 1);
}

/** Whether the class has `static authorize(request, env)`; one of another shape is reported. */
export function readAuthorize(context: Context, declaration: ts.ClassDeclaration): boolean {
  const className = declaration.name?.text ?? "";
  const member = classChain(context.checker, declaration)
    .flatMap(({ members }) => [...members])
    .find(
      (each) =>
        each.name !== undefined &&
        ts.isIdentifier(each.name) &&
        each.name.text === "authorize" &&
        ts.getCombinedModifierFlags(each) & ts.ModifierFlags.Static,
    );
  if (!member) return false;
  const hidden =
    ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected);
  if (!ts.isMethodDeclaration(member) || hidden || member.parameters.length > 2) {
    context.report(
      "CMP1018",
      member.name ?? member,
      `\`${className}.authorize\` is not what the worker's doors can call.`,
    );
    return false;
  }
  return true;
}
