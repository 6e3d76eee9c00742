import { readFileSync } from "node:fs";
import path from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.ts";

/** What codegen takes from a project's package.json. */
export interface PackageSettings {
  /** The worker's name: the package's, made fit for Cloudflare. */
  readonly name: string;
  /** `"computer": { "deleted": [...] }`: classes whose data may go. */
  readonly deleted: readonly string[];
}

/** Reads package.json; a missing one is no problem. */
export function readPackageSettings(projectDir: string): {
  settings: PackageSettings;
  diagnostics: Diagnostic[];
} {
  const fallback = workerName(path.basename(path.resolve(projectDir)));
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path.join(projectDir, "package.json"), "utf8"));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return {
      settings: { name: fallback, deleted: [] },
      diagnostics: missing
        ? []
        : [diagnostic("CMP1007", `package.json cannot be read: ${(error as Error).message}.`)],
    };
  }
  const { name, computer } = (isRecord(json) ? json : {}) as { name?: unknown; computer?: unknown };
  const diagnostics: Diagnostic[] = [];
  let deleted: string[] = [];
  if (computer !== undefined) {
    const list = isRecord(computer) ? (computer.deleted ?? []) : undefined;
    if (Array.isArray(list) && list.every((each): each is string => typeof each === "string")) deleted = list;
    else {
      diagnostics.push(
        diagnostic("CMP1007", '"computer" in package.json is not understood.', {
          mend: 'Write it as `"computer": { "deleted": ["OldObject"] }`.',
        }),
      );
    }
  }
  return { settings: { name: typeof name === "string" ? workerName(name) : fallback, deleted }, diagnostics };
}

/** `@acme/My_Agent` -> `my-agent`: letters, digits and hyphens, at most 63. */
export function workerName(name: string): string {
  const plain = name
    .replace(/^@[^/]*\//, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replace(/^-+|-+$/g, "");
  return plain || "computer";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
