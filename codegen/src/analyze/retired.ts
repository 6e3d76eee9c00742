import { compare, type Diagnostic, diagnostic } from "../diagnostics/diagnostic.ts";
import type { RetiredClass } from "../model.ts";
import type { ReadAgent } from "./agents.ts";
import type { Context } from "./context.ts";

/** A Durable Object class that the last good output had, and the agent it belonged to. */
export interface PreviousClass {
  readonly objectName: string;
  readonly className: string;
  /** The file of its source, then. */
  readonly file: string;
}

/**
 * Classes of earlier versions (D16): storage belongs to a class by its name, so one that is no longer
 * there must be declared as renamed or deleted. Reports what is not.
 */
export function readRetired(
  context: Context,
  agents: readonly ReadAgent[],
  deleted: readonly string[],
  previous: readonly PreviousClass[],
): RetiredClass[] {
  const live = new Set(agents.map(({ model }) => model.objectName));
  const retired = new Map<string, RetiredClass>();
  for (const { model, renamedFrom } of agents) {
    if (!renamedFrom) continue;
    const objectName = objectNameOf(renamedFrom.className, previous);
    if (live.has(objectName)) {
      context.report(
        "CMP1061",
        renamedFrom.node,
        `\`${model.className}\` says it was \`${renamedFrom.className}\`, which is still an agent.`,
      );
    } else if (retired.has(objectName)) {
      context.report(
        "CMP1061",
        renamedFrom.node,
        `Two agents say that they were \`${renamedFrom.className}\`.`,
        "Only one can have its data.",
      );
    } else retired.set(objectName, { objectName, renamedTo: model.objectName });
  }
  for (const name of deleted) {
    const objectName = objectNameOf(name, previous);
    const problem = live.has(objectName)
      ? `package.json declares \`${name}\` deleted, but it is still an agent.`
      : retired.has(objectName)
        ? `package.json declares \`${name}\` deleted, but \`${retired.get(objectName)?.renamedTo}\` takes over its data.`
        : undefined;
    if (problem !== undefined) context.diagnostics.push(diagnostic("CMP1061", problem));
    else retired.set(objectName, { objectName });
  }
  for (const { objectName, className, file } of previous) {
    if (live.has(objectName) || retired.has(objectName)) continue;
    context.diagnostics.push(vanished(className, objectName, file));
  }
  return [...retired.values()].sort((a, b) => compare(a.objectName, b.objectName));
}

function vanished(className: string, objectName: string, file: string): Diagnostic {
  return diagnostic(
    "CMP1060",
    `The agent \`${className}\` of ${file} is no longer there, and deployed data may hang on its class \`${objectName}\`.`,
    {
      mend:
        `Renamed: write \`@Agent({ renamedFrom: "${className}" })\` on its successor. Gone for good, with all its data: write ` +
        `\`"computer": { "deleted": ["${objectName}"] }\` in package.json. Never deployed: delete generated/manifest.json.`,
    },
  );
}

/** Both the agent's class and its Durable Object class are understood. */
function objectNameOf(name: string, previous: readonly PreviousClass[]): string {
  const known = previous.find((each) => each.className === name || each.objectName === name);
  return known?.objectName ?? (name.endsWith("Object") ? name : `${name}Object`);
}
