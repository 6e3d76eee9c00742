import type { ProjectModel } from "../model.ts";
import { header } from "./text.ts";

/** The day whose Workers runtime the generated code is written for. */
export const COMPATIBILITY_DATE = "2026-11-01";

/** `wrangler.jsonc`: what wrangler builds, serves and deploys. Paths in it start at its own folder. */
export function emitWrangler({ name, agents, retired }: ProjectModel): string {
  const exports: Record<string, unknown> = {};
  for (const { objectName } of agents) exports[objectName] = { type: "durable-object", storage: "sqlite" };
  for (const { objectName, renamedTo } of retired) {
    exports[objectName] =
      renamedTo === undefined
        ? { type: "durable-object", state: "deleted" }
        : { type: "durable-object", state: "renamed", renamed_to: renamedTo };
  }
  const config = {
    name,
    main: "worker.ts",
    compatibility_date: COMPATIBILITY_DATE,
    compatibility_flags: ["nodejs_compat"],
    durable_objects: {
      bindings: agents.map(({ binding, objectName }) => ({ name: binding, class_name: objectName })),
    },
    exports,
    worker_loaders: [{ binding: "LOADER" }],
    // Guests are read as text and handed to the loader, not bundled into the worker. wrangler's own rules for text
    // (`*.txt`, `*.html`, `*.sql`) stay in force, which the developer's imports may need.
    rules: [{ type: "Text", globs: ["**/guests/*.js"], fallthrough: true }],
    observability: { enabled: true },
  };
  return `${header()}${JSON.stringify(config, null, 2)}\n`;
}
