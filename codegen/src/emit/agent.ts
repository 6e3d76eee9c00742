import path from "node:path";
import type { AgentModel, Injection, NamedType, ToolModel } from "../model.ts";
import { propertyAccess, RESERVED_WORDS } from "../names.ts";
import { needsWire, parametersSchema } from "../schema/schema.ts";
import { docComment, header, quote } from "./text.ts";
import { validatorNames } from "./validators.ts";

/** `agents/<name>.ts`: the Durable Object of one agent, and what an RPC session sees of it. */
export function emitAgent(
  agent: AgentModel,
  agents: readonly AgentModel[],
  types: Readonly<Record<string, NamedType>>,
): string {
  const { objectName, name, tools } = agent;
  const className = localName(agent);
  const wired = tools.filter((tool) => needsWire(parametersSchema(tool.parameters, types)));
  return `${header()}import { DurableObject } from "cloudflare:workers";
import { AgentHost, AgentStub } from "@computer/framework/worker";
${importAgent(agent, "..")}import type { Env } from "../env.ts";
import { backends } from "../loader.ts";
${wired.length > 0 ? `import { schemas } from "../schemas.ts";\n` : ""}${tools.length > 0 ? `import * as validate from "../validators.js";\n` : ""}
/** What an RPC session sees of ${className}: its tools. */
class ${className}Tools extends AgentStub {
${tools.map(stubMethod).join("\n")}}

${docComment(`The Durable Object of ${className}: one per id, with a workspace of its own.`)}export class ${objectName} extends DurableObject<Env> {
  readonly #host = new AgentHost({
    agent: ${quote(name)},
    ctx: this.ctx,
    env: this.env,
    backends: backends(this.ctx, this.env),
    ${create(agent)},
    tools: {
${tools.map((tool) => toolEntry(tool, agent, agents, wired.includes(tool))).join("")}    },
    rpc: (session) => new ${className}Tools(session),
  });

  override fetch(request: Request): Promise<Response> {
    return this.#host.fetch(request);
  }

  override alarm(): Promise<void> {
    return this.#host.alarm();
  }
}
`;
}

/** What generated files call their own things, and what they need of the platform. */
const TAKEN = new Set(
  (
    "AgentHost AgentStub ConstructorParameters DurableObject Env Parameters Promise Request Response backends " +
    "createDoor manifest schemas validate"
  ).split(" "),
);

/** What an agent's class is called in generated files: by its name, unless that means something else there. */
export function localName({ className }: Pick<AgentModel, "className">): string {
  return TAKEN.has(className) ? `${className}Agent` : className;
}

/** The import of an agent's class; `up` leads from the importing file to `generated/`. */
export function importAgent(agent: AgentModel, up: string): string {
  const { exportName, at } = agent;
  const className = localName(agent);
  const specifier = path.posix.join(up, "..", at.file);
  const binding =
    exportName === className
      ? `{ ${className} }`
      : exportName === "default"
        ? className
        : `{ ${exportName} as ${className} }`;
  return `import ${binding} from ${quote(specifier.startsWith(".") ? specifier : `./${specifier}`)};\n`;
}

function stubMethod({ name, description, parameters }: ToolModel): string {
  const names = parameters.map((parameter) =>
    RESERVED_WORDS.has(parameter.name) ? `${parameter.name}_` : parameter.name,
  );
  return `${docComment(description, "  ")}  ${name}(...args: [${names.map((each) => `${each}?: unknown`).join(", ")}]): Promise<unknown> {
    return this.call(${quote(name)}, args);
  }
`;
}

function create(agent: AgentModel): string {
  const { constructorParameters } = agent;
  const className = localName(agent);
  const expressions: Record<Injection, (index: number) => string> = {
    workspace: () => "workspace",
    id: () => "id",
    // The class may declare an Env of its own: the bindings that it expects of this worker.
    env: (index) => `env as unknown as ConstructorParameters<typeof ${className}>[${index}]`,
  };
  const used = [...new Set(constructorParameters)];
  const taken = used.length === 0 ? "" : `{ ${used.join(", ")} }`;
  const args = constructorParameters.map((injection, index) => expressions[injection](index));
  return `create: (${taken}) => new ${className}(${args.join(", ")})`;
}

function toolEntry(
  tool: ToolModel,
  agent: AgentModel,
  agents: readonly AgentModel[],
  wired: boolean,
): string {
  const validator = validatorNames(agents).get(`${agent.name} ${tool.name}`);
  const args = tool.parameters.map(({ name }) => propertyAccess("args", name)).join(", ");
  return `      ${tool.name}: {
        parameters: [${tool.parameters.map(({ name }) => quote(name)).join(", ")}],
        validate: validate.${validator},
${wired ? `        wire: { parameters: schemas.${validator} },\n` : ""}        invoke: (agent: ${localName(agent)}${tool.parameters.length > 0 ? ", args" : ""}) => agent.${tool.method}(${args}),
      },
`;
}
