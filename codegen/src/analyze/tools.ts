import { ts } from "ts-morph";
import type { ParameterModel, ToolModel, TypeModel } from "../model.ts";
import { RESERVED_TOOL_NAMES, TOOL_NAME } from "../names.ts";
import { type Context, resolveAlias, spanOf } from "./context.ts";
import { descriptionOf } from "./docs.ts";
import { literalOf } from "./literals.ts";
import { findMarker, readMarker } from "./markers.ts";
import { type TypeReader, unionOf } from "./types.ts";

/** A member of a class that carries `@tool`. */
interface Marked {
  readonly member: ts.ClassElement;
  readonly decorator: ts.Decorator;
  readonly owner: ts.ClassDeclaration;
}

/** The classes whose members an agent's instance has: its own first, then those that it extends. */
export function classChain(checker: ts.TypeChecker, declaration: ts.ClassDeclaration): ts.ClassDeclaration[] {
  const chain: ts.ClassDeclaration[] = [];
  for (let current: ts.ClassDeclaration | undefined = declaration; current && !chain.includes(current); ) {
    chain.push(current);
    const heritage: ts.HeritageClause | undefined = current.heritageClauses?.find(
      ({ token }) => token === ts.SyntaxKind.ExtendsKeyword,
    );
    const expression: ts.Expression | undefined = heritage?.types[0]?.expression;
    const symbol: ts.Symbol | undefined = expression && checker.getSymbolAtLocation(expression);
    current = symbol && resolveAlias(checker, symbol).declarations?.find(ts.isClassDeclaration);
  }
  return chain;
}

/** Reads every tool of an agent class, those that it inherits included. */
export function readTools(
  context: Context,
  reader: TypeReader,
  declaration: ts.ClassDeclaration,
): ToolModel[] {
  const className = declaration.name?.text ?? "";
  const seen = new Set<string>();
  const tools: ToolModel[] = [];
  for (const owner of classChain(context.checker, declaration)) {
    const here = new Set<string>();
    for (const member of owner.members) {
      const name = member.name && memberName(member.name);
      const decorator = findMarker(context, member, "tool");
      // What a class overrides is no longer what its parent marked.
      if (decorator && !(name !== undefined && seen.has(name))) {
        const tool = readTool(context, reader, className, declaration, { member, decorator, owner });
        if (tool) tools.push(tool);
      }
      if (name !== undefined) here.add(name);
    }
    for (const name of here) seen.add(name);
  }
  reportDoubles(context, className, declaration, tools);
  return tools;
}

function memberName(name: ts.PropertyName): string | undefined {
  if (ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isPrivateIdentifier(name)) return name.text;
  return undefined;
}

function readTool(
  context: Context,
  reader: TypeReader,
  className: string,
  declaration: ts.ClassDeclaration,
  { member, decorator, owner }: Marked,
): ToolModel | undefined {
  const marker = readMarker(context, decorator, ["name", "description"]);
  const at = member.name ?? member;
  const method = member.name && memberName(member.name);
  const label = `${className}.${method ?? member.name?.getText() ?? "?"}`;
  if (!ts.isMethodDeclaration(member) || method === undefined) {
    const what = ts.isMethodDeclaration(member) ? "has a computed name" : "is not a method";
    context.report("CMP1032", at, `The tool \`${label}\` ${what}.`);
    return undefined;
  }
  let sound = true;
  const fail = (...[code, node, message]: Parameters<Context["report"]>) => {
    context.report(code, node, message);
    sound = false;
  };
  const modifiers = ts.getCombinedModifierFlags(member);
  const hidden =
    modifiers & ts.ModifierFlags.Private
      ? "private"
      : modifiers & ts.ModifierFlags.Protected
        ? "protected"
        : undefined;
  if (hidden ?? ts.isPrivateIdentifier(member.name))
    fail("CMP1030", at, `The tool \`${label}\` is ${hidden ?? "private"}.`);
  if (modifiers & ts.ModifierFlags.Static) fail("CMP1031", at, `The tool \`${label}\` is static.`);
  if (member.typeParameters) fail("CMP1033", at, `The tool \`${label}\` has type parameters.`);
  const overloads = owner.members.filter(
    (other) => ts.isMethodDeclaration(other) && other.name && memberName(other.name) === method,
  );
  if (overloads.length > 1)
    fail("CMP1034", at, `The tool \`${label}\` has ${overloads.length - 1} overloads.`);
  if (member.questionToken) fail("CMP1032", at, `The tool \`${label}\` is optional.`);
  const given = marker.options.get("name");
  const name = given?.value ?? method;
  checkName(context, given?.node ?? at, label, name);
  if (!sound) return undefined;

  const symbol = context.checker.getSymbolAtLocation(member.name);
  // Asked of the instance, not of the declaration, so that a generic base's parameters are filled in.
  const instance = context.checker.getTypeAtLocation(declaration.name ?? declaration);
  const property = owner === declaration ? undefined : instance.getProperty(method);
  const signature = property
    ? context.checker.getTypeOfSymbolAtLocation(property, declaration).getCallSignatures()[0]
    : context.checker.getSignatureFromDeclaration(member);
  if (!signature) return undefined;
  const description = marker.options.get("description")?.value ?? descriptionOf(context.checker, symbol);
  return {
    name,
    method,
    ...(description === undefined ? {} : { description }),
    at: spanOf(context.projectDir, at),
    parameters: readParameters(context, reader, label, signature),
    result: readResult(context, reader, label, signature, member),
  };
}

function checkName(context: Context, node: ts.Node, label: string, name: string): void {
  const reason = RESERVED_TOOL_NAMES.get(name);
  if (reason !== undefined)
    context.report("CMP1036", node, `The tool \`${label}\` cannot be called \`${name}\`: ${reason}.`);
  else if (!TOOL_NAME.test(name))
    context.report("CMP1035", node, `The tool \`${label}\` cannot be called \`${name}\`.`);
}

function readParameters(
  context: Context,
  reader: TypeReader,
  label: string,
  signature: ts.Signature,
): ParameterModel[] {
  const parameters: ParameterModel[] = [];
  for (const symbol of signature.getParameters()) {
    const declaration = symbol.valueDeclaration;
    if (!declaration || !ts.isParameter(declaration)) continue;
    if (!ts.isIdentifier(declaration.name)) {
      context.report(
        "CMP1040",
        declaration.name,
        `A parameter of the tool \`${label}\` is taken apart in its signature.`,
      );
      continue;
    }
    const name = declaration.name.text;
    if (declaration.dotDotDotToken) {
      context.report(
        "CMP1041",
        declaration.name,
        `The parameter \`${name}\` of the tool \`${label}\` takes any number of arguments.`,
      );
      continue;
    }
    if (name in Object.prototype) {
      context.report(
        "CMP1042",
        declaration.name,
        `The tool \`${label}\` has a parameter \`${name}\`, a property that every object has.`,
      );
      continue;
    }
    const trail = { owner: label, parameter: name, path: [], node: declaration.name };
    const { type, optional } = reader.readOptional(
      context.checker.getTypeOfSymbol(symbol),
      declaration.type,
      trail,
    );
    if (type.kind === "never")
      context.report("CMP1050", declaration.name, `\`${label}(${name})\`: no value is of its type.`);
    const value = declaration.initializer && literalOf(context.checker, declaration.initializer);
    const description = descriptionOf(context.checker, symbol);
    parameters.push({
      name,
      ...(description === undefined ? {} : { description }),
      type,
      optional: optional || declaration.initializer !== undefined || declaration.questionToken !== undefined,
      ...(value === undefined ? {} : { default: value }),
    });
  }
  return parameters;
}

function readResult(
  context: Context,
  reader: TypeReader,
  label: string,
  signature: ts.Signature,
  member: ts.MethodDeclaration,
): TypeModel {
  const declared = signature.getReturnType();
  const awaited = context.checker.getAwaitedType(declared) ?? declared;
  const written =
    member.type && ts.isTypeReferenceNode(member.type) ? member.type.typeArguments?.[0] : undefined;
  const node = awaited === declared ? member.type : written;
  const trail = { owner: label, path: [], node: member.type ?? member.name };
  const { type, optional } = reader.readOptional(awaited, node, trail);
  if (type.kind === "never") return { kind: "void" };
  return optional ? unionOf([type, { kind: "void" }]) : type;
}

function reportDoubles(
  context: Context,
  className: string,
  declaration: ts.ClassDeclaration,
  tools: readonly ToolModel[],
): void {
  for (const [index, tool] of tools.entries()) {
    const first = tools.slice(0, index).find(({ name }) => name === tool.name);
    if (!first) continue;
    const member = classChain(context.checker, declaration)
      .flatMap(({ members }) => [...members])
      .find((each) => each.name && memberName(each.name) === tool.method);
    context.report(
      "CMP1037",
      member?.name ?? declaration,
      `The tools \`${className}.${first.method}\` (line ${first.at.line}) and \`${className}.${tool.method}\` are both called \`${tool.name}\`.`,
    );
  }
}
