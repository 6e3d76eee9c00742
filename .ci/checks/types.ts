import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, workspaces } from "../lib/packages.ts";
import { command, type Findings } from "../lib/steps.ts";

const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const COMPUTER = join(ROOT, "codegen/bin/computer.mjs");

/** Types of the packages, their tests and benches, and of this tooling. */
export function checkTypes(): Promise<Findings> {
  return command("node", [TSC, "-p", "tsconfig.json"]);
}

/** Types of each example, generated code included, as a user's project has them. */
export async function checkExampleTypes(): Promise<Findings> {
  if (!existsSync(COMPUTER)) return { problems: ["codegen/bin/computer.mjs is missing"] };
  const problems: string[] = [];
  for (const { dir, path } of workspaces().filter((item) => item.dir.startsWith("examples/"))) {
    const generated = await command("node", [COMPUTER, "codegen", "--project", path]);
    const typed = generated.problems.length > 0 ? generated : await command("node", [TSC, "-p", path]);
    problems.push(...typed.problems.map((text) => `${dir}:\n${text}`));
  }
  return { problems };
}
