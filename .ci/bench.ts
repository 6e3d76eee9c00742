/**
 * `npm run bench -- SUITE...` runs `<package>/bench/<suite>/main.ts` one after the other; without a name
 * it lists what there is. Each suite prints one JSON object as its last line.
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, dirname } from "node:path";
import { ROOT } from "./lib/packages.ts";

const suites = new Map(
  globSync("*/bench/*/main.ts", { cwd: ROOT })
    .sort()
    .map((file) => [basename(dirname(file)), file] as const),
);
const list = `suites: ${[...suites.keys()].join(", ") || "none yet"}`;
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !suites.has(name));
if (unknown.length > 0) {
  console.error(`no suite ${unknown.join(", ")}; ${list}`);
  process.exitCode = 1;
} else if (wanted.length === 0) {
  console.log(`npm run bench -- SUITE...\n${list}`);
} else {
  for (const name of wanted) {
    const { status } = spawnSync(process.execPath, [suites.get(name) as string], {
      cwd: ROOT,
      stdio: "inherit",
    });
    if (status !== 0) {
      console.error(`bench ${name} ended with ${status ?? "a signal"}`);
      process.exitCode = 1;
    }
  }
}
