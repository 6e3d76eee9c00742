import type { AgentModel, NamedType, ToolModel, TypeModel } from "../model.ts";
import { pascalCase } from "../names.ts";
import type { Context } from "./context.ts";
import type { TypeReader } from "./types.ts";
import { ambiguity, discriminatorOf } from "./unions.ts";

/** Names that a client's module needs for itself, or that would hide what its types are made of. */
const CLIENT_NAMES = [
  "AgentClient",
  "Array",
  "Client",
  "ConnectOptions",
  "Date",
  "Disposable",
  "Promise",
  "Record",
  "Uint8Array",
  "connect",
  "createClient",
];

/**
 * Turns what was read into its final form: ids become names, unions of tagged objects know their tag, and
 * unions that JSON cannot tell apart are reported.
 */
export function finishModels(
  context: Context,
  reader: TypeReader,
  agents: readonly AgentModel[],
): { agents: AgentModel[]; types: Record<string, NamedType> } {
  const taken = [...CLIENT_NAMES, ...agents.map(({ name }) => clientInterface(name))];
  const names = reader.named.names(taken);
  const rename = (type: TypeModel): TypeModel =>
    mapType(type, (each) =>
      each.kind === "ref" ? { kind: "ref", name: names.get(each.name) ?? each.name } : each,
    );
  const renamed = reader.named.types(names, rename);
  const tag = (type: TypeModel): TypeModel =>
    mapType(type, (each) => {
      const discriminator = each.kind === "union" ? discriminatorOf(each.members, renamed) : undefined;
      return each.kind === "union" && discriminator !== undefined ? { ...each, discriminator } : each;
    });
  const types = Object.fromEntries(
    Object.entries(renamed).map(([name, named]) => [name, { ...named, type: tag(named.type) }]),
  );
  const finished = agents.map((agent) => ({
    ...agent,
    tools: agent.tools.map((tool) => ({
      ...tool,
      parameters: tool.parameters.map((parameter) => ({ ...parameter, type: tag(rename(parameter.type)) })),
      result: tag(rename(tool.result)),
    })),
  }));
  for (const agent of finished)
    for (const tool of agent.tools) reportAmbiguities(context, agent, tool, types);
  return { agents: finished, types };
}

/** `text-reader` -> `TextReaderClient`. */
export function clientInterface(agentName: string): string {
  // The name of what all of them extend.
  if (agentName === "agent") return "TheAgentClient";
  return `${pascalCase(agentName)}Client`;
}

function reportAmbiguities(
  context: Context,
  agent: AgentModel,
  tool: ToolModel,
  types: Readonly<Record<string, NamedType>>,
): void {
  const seen = new Set<string>();
  const owner = `${agent.className}.${tool.method}`;
  const visit = (type: TypeModel, path: string, where: (path: string) => string): void => {
    if (type.kind === "ref") {
      const named = types[type.name];
      if (!named || seen.has(type.name)) return;
      seen.add(type.name);
      visit(named.type, path, where);
      return;
    }
    const found = type.kind === "union" ? ambiguity(type.members, types) : undefined;
    if (found !== undefined)
      context.reportAt(
        "CMP1051",
        tool.at,
        `\`${where(path)}\` may be ${found}, which look the same in JSON.`,
      );
    for (const [step, inner] of children(type)) visit(inner, `${path}${step}`, where);
  };
  for (const { name, type } of tool.parameters) visit(type, name, (path) => `${owner}(${path})`);
  visit(tool.result, "", (path) => `${owner}() result${path}`);
}

/** The types directly inside a type, each with the step that leads there. */
export function children(type: TypeModel): [step: string, TypeModel][] {
  switch (type.kind) {
    case "array":
      return [["[]", type.items]];
    case "tuple":
      return type.elements.map((element, index) => [`[${index}]`, element.type]);
    case "object": {
      const properties = type.properties.map((property): [string, TypeModel] => [
        `.${property.name}`,
        property.type,
      ]);
      return type.values ? [...properties, ["[key]", type.values]] : properties;
    }
    case "union":
      return type.members.map((member) => ["", member]);
    default:
      return [];
  }
}

/** Rebuilds a type from the inside out. */
export function mapType(type: TypeModel, change: (type: TypeModel) => TypeModel): TypeModel {
  const inner = (each: TypeModel) => mapType(each, change);
  switch (type.kind) {
    case "array":
      return change({ ...type, items: inner(type.items) });
    case "tuple":
      return change({
        ...type,
        elements: type.elements.map((each) => ({ ...each, type: inner(each.type) })),
      });
    case "object":
      return change({
        ...type,
        properties: type.properties.map((each) => ({ ...each, type: inner(each.type) })),
        ...(type.values ? { values: inner(type.values) } : {}),
      });
    case "union":
      return change({ ...type, members: type.members.map(inner) });
    default:
      return change(type);
  }
}
