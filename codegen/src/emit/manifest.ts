import type { AgentModel, NamedType, ProjectModel } from "../model.ts";
import { parametersSchema, resultSchema } from "../schema/schema.ts";
import { VERSION } from "../version.ts";
import { header, STAMP } from "./text.ts";

/** What `manifest.json` holds: what was generated, from where, and by which version. */
export interface ManifestFile {
  readonly generator: string;
  readonly version: string;
  readonly name: string;
  readonly agents: readonly unknown[];
  /** The Durable Object classes of this output; the next one must account for each (D16). */
  readonly classes: readonly { objectName: string; className: string; file: string }[];
  /** Every file that was written, by path from `generated/`; the next run removes those that it does not write. */
  readonly files: readonly string[];
}

/** `manifest.json`: agents, tools, schemas, source locations, and the files that belong to this output. */
export function emitManifest(model: ProjectModel, files: readonly string[]): string {
  const { name, agents, types } = model;
  const manifest: ManifestFile = {
    generator: STAMP,
    version: VERSION,
    name,
    agents: agents.map((agent) => ({
      ...describeAgent(agent, types),
      className: agent.className,
      objectName: agent.objectName,
      binding: agent.binding,
      source: `${agent.at.file}:${agent.at.line}:${agent.at.column}`,
    })),
    classes: agents.map(({ objectName, className, at }) => ({ objectName, className, file: at.file })),
    files: [...files].sort(),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** `manifest.ts`: what the worker tells of itself at `/`. */
export function emitManifestModule({ name, agents, types }: ProjectModel): string {
  const manifest = { name, version: VERSION, agents: agents.map((agent) => describeAgent(agent, types)) };
  return `${header()}import type { Manifest } from "@computer/framework/worker";

/** What this worker tells of itself at its root. */
export const manifest: Manifest = ${JSON.stringify(manifest, null, 2)};
`;
}

function describeAgent({ name, description, tools }: AgentModel, types: Readonly<Record<string, NamedType>>) {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    tools: tools.map((tool) => {
      const result = resultSchema(tool.result, types);
      return {
        name: tool.name,
        ...(tool.description === undefined ? {} : { description: tool.description }),
        parameters: parametersSchema(tool.parameters, types),
        ...(result === undefined ? {} : { result }),
      };
    }),
  };
}
