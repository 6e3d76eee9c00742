import { capture, type Findings } from "../lib/steps.ts";

/** Whether `npm ci` would take package-lock.json: a clean checkout installs by it. */
export async function checkLockFile(): Promise<Findings> {
  const { code, output } = await capture("npm", ["ci", "--dry-run", "--ignore-scripts", "--loglevel=error"]);
  if (code === 0) return { problems: [] };
  const said = output.split("\n").filter((line) => /(Missing|Invalid): |code E/.test(line));
  return {
    problems: [...[...new Set(said)].slice(0, 10), "Run `npm install` and commit package-lock.json."],
  };
}
