import { clientInterface } from "../analyze/finish.ts";
import type { AgentModel, ParameterModel, ProjectModel, ToolModel } from "../model.ts";
import { RESERVED_WORDS } from "../names.ts";
import { docComment, header, quote } from "./text.ts";
import { namedTypeText, typeText } from "./types.ts";

/** `client.ts`: the typed client, with no import from the user's source, so that it may be published on its own. */
export function emitClient({ agents, types }: ProjectModel): string {
  const named = Object.values(types).map(namedTypeText);
  return [
    header(),
    'import { type AgentClient, type ConnectOptions, createClient } from "@computer/framework/client";\n',
    ...named.map((text) => `\n${text}`),
    ...agents.map((agent) => `\n${agentInterface(agent)}`),
    `\n${clientType(agents)}`,
    `\n${connectFunction(agents)}`,
  ].join("");
}

function agentInterface(agent: AgentModel): string {
  const { name, description, tools } = agent;
  const doc = docComment(description ?? `The agent \`${name}\`, from afar.`);
  return `${doc}export interface ${clientInterface(name)} extends AgentClient {\n${tools.map(method).join("\n")}}\n`;
}

function method({ name, description, parameters, result }: ToolModel): string {
  const list = signature(parameters).join(", ");
  return `${docComment(methodDoc(description, parameters), "  ")}  ${name}(${list}): Promise<${typeText(result, "  ")}>;\n`;
}

/** The parameters as declared; one that a required one follows cannot have `?`, so it allows `undefined` instead. */
function signature(parameters: readonly ParameterModel[]): string[] {
  const lastRequired = parameters.findLastIndex(({ optional }) => !optional);
  return parameters.map(({ name, type, optional }, index) => {
    const key = RESERVED_WORDS.has(name) ? `${name}_` : name;
    const text = typeText(type, "  ");
    if (!optional) return `${key}: ${text}`;
    return index < lastRequired ? `${key}: ${text} | undefined` : `${key}?: ${text}`;
  });
}

function methodDoc(
  description: string | undefined,
  parameters: readonly ParameterModel[],
): string | undefined {
  const lines = parameters
    .filter((parameter) => parameter.description !== undefined || parameter.default !== undefined)
    .map(({ name, description: text, default: value }) => {
      const given = value === undefined ? "" : `Default \`${JSON.stringify(value)}\`.`;
      return `@param ${name} ${[text, given].filter(Boolean).join(" ")}`;
    });
  const body = [description, lines.join("\n")].filter((part) => part);
  return body.length === 0 ? undefined : body.join("\n\n");
}

function clientType(agents: readonly AgentModel[]): string {
  const methods = agents.map(
    ({ name, clientName, description }) =>
      `${docComment(description ?? `The agent \`${name}\` of an id.`, "  ")}  ${clientName}(id: string): ${clientInterface(name)};\n`,
  );
  return `/** The agents of this worker. Disposing it closes every connection. */\nexport interface Client extends Disposable {\n${methods.join("\n")}}\n`;
}

function connectFunction(agents: readonly AgentModel[]): string {
  const first = agents[0];
  const example = first ? `\n * using ${first.clientName} = computer.${first.clientName}("alice");` : "";
  const entries = agents.map(
    ({ name, clientName, tools }) =>
      `    ${clientName}: { agent: ${quote(name)}, tools: [${tools.map((tool) => quote(tool.name)).join(", ")}] },\n`,
  );
  return `/**
 * Connects to the worker.
 *
 * @example
 * \`\`\`ts
 * using computer = connect({ url: "http://127.0.0.1:8787" });${example}
 * \`\`\`
 */
export function connect(options: ConnectOptions): Client {
  return createClient<Client>(options, {
${entries.join("")}  });
}
`;
}
