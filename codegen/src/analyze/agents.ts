import { ts } from "ts-morph";
import type { AgentModel } from "../model.ts";
import { AGENT_NAME, bindingName, camelCase, kebabCase } from "../names.ts";
import { readAuthorize, readConstructor } from "./constructors.ts";
import { type Context, projectPath, resolveAlias, spanOf } from "./context.ts";
import { descriptionOf } from "./docs.ts";
import { findMarker, readMarker } from "./markers.ts";
import { classChain, readTools } from "./tools.ts";
import type { TypeReader } from "./types.ts";

/** A class that carries `@Agent`. */
export interface AgentClass {
  readonly declaration: ts.ClassDeclaration;
  readonly decorator: ts.Decorator;
}

/** An agent with what only the analysis needs. */
export interface ReadAgent {
  readonly model: AgentModel;
  readonly declaration: ts.ClassDeclaration;
  readonly renamedFrom?: { readonly className: string; readonly node: ts.Node };
}

/** Finds every class declaration with the framework's `Agent`, wherever in a file it stands. */
export function findAgents(context: Context, files: readonly ts.SourceFile[]): AgentClass[] {
  const found: AgentClass[] = [];
  for (const file of files) {
    // A file that never says @ holds no decorator, and is not walked.
    if (!file.text.includes("@")) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isClassDeclaration(node)) {
        const decorator = findMarker(context, node, "Agent");
        if (decorator) found.push({ declaration: node, decorator });
      } else if (ts.isClassExpression(node) && findMarker(context, node, "Agent")) {
        context.report(
          "CMP1010",
          node,
          "This agent is a class expression, which no file can export by its name.",
        );
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

/** Reports tools in classes that neither are agents nor are extended by one. */
export function reportStrayTools(
  context: Context,
  files: readonly ts.SourceFile[],
  agents: readonly AgentClass[],
): void {
  const claimed = new Set(agents.flatMap(({ declaration }) => classChain(context.checker, declaration)));
  for (const file of files) {
    if (!file.text.includes("@")) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isClassDeclaration(node) && !claimed.has(node)) {
        const member = node.members.find((each) => findMarker(context, each, "tool"));
        const name = node.name?.text ?? "A class";
        if (member) context.report("CMP1038", node.name ?? member, `\`${name}\` has tools but is no agent.`);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
}

/** Reads one agent class; undefined when it is too broken to go on with. */
export function readAgent(
  context: Context,
  reader: TypeReader,
  { declaration, decorator }: AgentClass,
): ReadAgent | undefined {
  const marker = readMarker(context, decorator, ["name", "description", "renamedFrom"]);
  if (!declaration.name) {
    context.report("CMP1013", declaration, "This agent class has no name.");
    return undefined;
  }
  const className = declaration.name.text;
  const symbol = context.checker.getSymbolAtLocation(declaration.name);
  if (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Abstract) {
    context.report("CMP1011", declaration.name, `The agent \`${className}\` is abstract.`);
  }
  if (declaration.typeParameters)
    context.report("CMP1012", declaration.name, `The agent \`${className}\` has type parameters.`);
  const exportName = symbol && exportNameOf(context, declaration, symbol);
  if (exportName === undefined)
    context.report("CMP1010", declaration.name, `The agent \`${className}\` is not exported by its file.`);

  const given = marker.options.get("name");
  const name = given?.value ?? kebabCase(className);
  const clientName = camelCase(name);
  if (!AGENT_NAME.test(name) || name.length > 63 || clientName === "then" || clientName in Object.prototype) {
    context.report(
      "CMP1015",
      given?.node ?? declaration.name,
      `The agent \`${className}\` cannot be called \`${name}\`.`,
    );
  }
  const description = marker.options.get("description")?.value ?? descriptionOf(context.checker, symbol);
  const renamedFrom = marker.options.get("renamedFrom");
  return {
    declaration,
    ...(renamedFrom ? { renamedFrom: { className: renamedFrom.value, node: renamedFrom.node } } : {}),
    model: {
      className,
      exportName: exportName ?? className,
      objectName: `${className}Object`,
      binding: bindingName(className),
      name,
      clientName,
      ...(description === undefined ? {} : { description }),
      at: {
        ...spanOf(context.projectDir, declaration.name),
        file: projectPath(context.projectDir, declaration.getSourceFile().fileName),
      },
      constructorParameters: readConstructor(context, declaration),
      authorize: readAuthorize(context, declaration),
      tools: readTools(context, reader, declaration),
    },
  };
}

function exportNameOf(
  context: Context,
  declaration: ts.ClassDeclaration,
  symbol: ts.Symbol,
): string | undefined {
  const module = context.checker.getSymbolAtLocation(declaration.getSourceFile());
  if (!module) return undefined;
  const own = context.checker
    .getExportsOfModule(module)
    .filter((exported) => sameClass(resolveAlias(context.checker, exported), symbol, declaration))
    .map((exported) => exported.name);
  return own.find((name) => name === declaration.name?.text) ?? own.sort()[0];
}

/** An exported class has two symbols, a local and an exported one, with one declaration. */
function sameClass(exported: ts.Symbol, symbol: ts.Symbol, declaration: ts.ClassDeclaration): boolean {
  return exported === symbol || (exported.declarations ?? []).includes(declaration);
}

/** Reports agents whose names, classes or bindings collide. */
export function reportClashes(context: Context, agents: readonly ReadAgent[]): void {
  for (const [index, { model, declaration }] of agents.entries()) {
    const before = agents.slice(0, index);
    const node = declaration.name ?? declaration;
    const place = ({ at }: AgentModel) => `${at.file}:${at.line}`;
    const sameName = before.find((other) => other.model.clientName === model.clientName);
    if (sameName) {
      context.report(
        "CMP1016",
        node,
        `This agent and the one in ${place(sameName.model)} are both called \`${model.name}\`.`,
      );
    }
    const sameObject = before.find(
      (other) => other.model.objectName === model.objectName || other.model.binding === model.binding,
    );
    if (sameObject) {
      context.report(
        "CMP1017",
        node,
        `\`${model.className}\` and \`${sameObject.model.className}\` in ${place(sameObject.model)} would share one storage class.`,
      );
    }
  }
}
