import type { ProjectModel } from "../model.ts";
import { emitAgent } from "./agent.ts";
import { emitClient } from "./client.ts";
import { emitEnv } from "./env.ts";
import { emitGuestTypes, emitLoader } from "./loader.ts";
import { emitManifest, emitManifestModule } from "./manifest.ts";
import { emitSchemas, emitValidators, emitValidatorTypes } from "./validators.ts";
import { emitWorker } from "./worker.ts";
import { emitWrangler } from "./wrangler.ts";

/** Texts by path from `generated/`. */
export type Output = Readonly<Record<string, string>>;

/** Everything that a model makes, except the guests, which do not depend on it. */
export async function emit(model: ProjectModel, guests: Output): Promise<Output> {
  const { agents, types } = model;
  const schemas = emitSchemas(model);
  const files: Record<string, string> = {
    ...Object.fromEntries(
      agents.map((agent) => [`agents/${agent.name}.ts`, emitAgent(agent, agents, types)]),
    ),
    "client.ts": emitClient(model),
    "env.ts": emitEnv(agents),
    ...guests,
    "guests/isolate-shell.d.ts": emitGuestTypes(),
    "loader.ts": emitLoader(),
    "manifest.ts": emitManifestModule(model),
    ...(schemas === undefined ? {} : { "schemas.ts": schemas }),
    "validators.d.ts": emitValidatorTypes(model),
    "validators.js": await emitValidators(model),
    "worker.ts": emitWorker(model),
    "wrangler.jsonc": emitWrangler(model),
  };
  return { ...files, "manifest.json": emitManifest(model, Object.keys(files)) };
}
