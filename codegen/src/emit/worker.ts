import type { ProjectModel } from "../model.ts";
import { isIdentifier } from "../names.ts";
import { importAgent, localName } from "./agent.ts";
import { header, quote } from "./text.ts";

/** `worker.ts`: the worker's entry, its doors and its Durable Object classes. */
export function emitWorker({ agents }: ProjectModel): string {
  const guarded = agents.filter(({ authorize }) => authorize);
  const entries = agents.map((agent) => {
    const { name, binding, authorize } = agent;
    const className = localName(agent);
    const key = isIdentifier(name) ? name : quote(name);
    // Called on its class, whose other static members it may use.
    const hook = authorize
      ? `, authorize: (request, env) => ${className}.authorize(...([request, env] as unknown as Parameters<typeof ${className}.authorize>))`
      : "";
    return `    ${key}: { namespace: (env) => env.${binding}${hook} },\n`;
  });
  return `${header()}import { createDoor } from "@computer/framework/worker";
${guarded.map((agent) => importAgent(agent, ".")).join("")}import type { Env } from "./env.ts";
import { manifest } from "./manifest.ts";

${agents.map(({ name, objectName }) => `export { ${objectName} } from "./agents/${name}.ts";\n`).join("")}
export default createDoor<Env>({
  manifest,
  agents: {
${entries.join("")}  },
});
`;
}
