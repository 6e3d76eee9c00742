/**
 * `npm run check`: everything about the repository that is no test. All steps run, whatever fails.
 * `npm run check -- --update` also formats the sources and rewrites each api-surface.md.
 */
import { parseArgs } from "node:util";
import { checkApiSurface } from "./checks/api-surface.ts";
import { checkExports } from "./checks/exports.ts";
import { checkImports } from "./checks/imports.ts";
import { checkLayout } from "./checks/layout.ts";
import { checkLockFile } from "./checks/lock-file.ts";
import { checkExampleTypes, checkTypes } from "./checks/types.ts";
import { command, runSteps } from "./lib/steps.ts";

const { values } = parseArgs({ options: { update: { type: "boolean", default: false } } });
const biome = ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings"];
const failed = await runSteps([
  { name: "types", run: checkTypes },
  { name: "types of the examples", run: checkExampleTypes },
  { name: "lint and format", run: () => command("node", values.update ? [...biome, "--write"] : biome) },
  { name: "package exports", run: checkExports },
  { name: "api surface", run: () => checkApiSurface(values.update) },
  { name: "imports", run: checkImports },
  { name: "layout", run: checkLayout },
  { name: "lock file", run: checkLockFile },
]);
console.log(failed === 0 ? "all checks passed" : `${failed} of the checks failed`);
process.exitCode = failed === 0 ? 0 : 1;
