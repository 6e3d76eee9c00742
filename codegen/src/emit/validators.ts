import type { AgentModel, ProjectModel } from "../model.ts";
import { camelCase, uniqueNames } from "../names.ts";
import { compileValidators } from "../schema/compile.ts";
import { needsWire, parametersSchema, type Schema } from "../schema/schema.ts";
import { header, json } from "./text.ts";

/** The export of `validators.js` for each tool, by agent's and tool's name with a space between. */
export function validatorNames(agents: readonly AgentModel[]): Map<string, string> {
  const unique = uniqueNames();
  return new Map(
    agents.flatMap(({ name, tools }) =>
      tools.map((tool): [string, string] => [
        `${name} ${tool.name}`,
        unique(`${camelCase(name)}_${tool.name}`),
      ]),
    ),
  );
}

function schemasByName({ agents, types }: ProjectModel): Record<string, Schema> {
  const names = validatorNames(agents);
  return Object.fromEntries(
    agents.flatMap(({ name, tools }) =>
      tools.map((tool): [string, Schema] => [
        names.get(`${name} ${tool.name}`) ?? tool.name,
        parametersSchema(tool.parameters, types),
      ]),
    ),
  );
}

/** `validators.js`: checks the named, decoded arguments of every tool; plain JavaScript, no imports, no `eval`. */
export async function emitValidators(model: ProjectModel): Promise<string> {
  return `${header()}${await compileValidators(schemasByName(model))}`.trimEnd().concat("\n");
}

/** `validators.d.ts`. */
export function emitValidatorTypes(model: ProjectModel): string {
  const names = Object.keys(schemasByName(model));
  const declarations = names.map((name) => `export const ${name}: Validator;\n`);
  return `${header()}import type { Validator } from "@computer/framework/worker";\n\n${declarations.join("") || "export {};\n"}`;
}

/** `schemas.ts`: the schemas of arguments with dates or bytes in them, by which the doors that speak JSON decode. */
export function emitSchemas(model: ProjectModel): string | undefined {
  const wired = Object.entries(schemasByName(model)).filter(([, schema]) => needsWire(schema));
  if (wired.length === 0) return undefined;
  const entries = wired.map(([name, schema]) => `  ${name}: ${json(schema, "  ")},\n`);
  return `${header()}import type { JsonSchema } from "@computer/framework/worker";

/** The schemas of arguments with dates or bytes in them, by which JSON is decoded. */
export const schemas = {
${entries.join("")}} satisfies Record<string, JsonSchema>;
`;
}
