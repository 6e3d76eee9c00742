import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { projectFiles } from "../lib/files.ts";
import { ROOT } from "../lib/packages.ts";
import { capture, type Findings } from "../lib/steps.ts";

const FOLDERS = [
  ".ci",
  "codegen",
  "computerd",
  "create-computer",
  "examples",
  "framework",
  "runtime-adapters",
];
const LONG = 400;
/** Folders that say nothing about a machine when they stand in a file. */
const COMMON = ["/", "/home", "/opt", "/root", "/srv", "/tmp", "/usr", "/var", "/Users", "/workspace"];

/** Top-level folders, long files, and traces of the machine that a file was written on. */
export async function checkLayout(): Promise<Findings> {
  const files = projectFiles();
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const folder of new Set(
    files.filter((name) => name.includes("/")).map((name) => name.split("/", 1)[0] ?? ""),
  )) {
    if (!FOLDERS.includes(folder)) problems.push(`${folder}/ is not one of the top-level folders`);
  }
  const traces = await machineTraces();
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), "utf8");
    const lines = text.split("\n");
    for (const trace of traces) {
      const at = lines.findIndex((line) => trace.in(line));
      if (at >= 0) problems.push(`${file}:${at + 1} names ${trace.what}`);
    }
    if (/\.(ts|mts|mjs|js)$/.test(file) && lines.length > LONG)
      warnings.push(`${file} has ${lines.length} lines`);
  }
  return { problems, warnings };
}

interface Trace {
  what: string;
  in(line: string): boolean;
}

async function machineTraces(): Promise<Trace[]> {
  const folders = [ROOT, dirname(ROOT), homedir()].filter((folder) => !COMMON.includes(folder));
  const traces: Trace[] = folders.map((folder) => ({
    what: "a folder of this machine",
    in: (line) => line.includes(`${folder}/`) || line.endsWith(folder),
  }));
  const host = /"resolved": "https?:|registry\.(npmjs|yarnpkg)\.(org|com)/;
  traces.push({ what: "a package registry's host", in: (line) => host.test(line) });
  const { stdout } = await capture("npm", ["config", "get", "registry"]);
  if (URL.canParse(stdout.trim())) {
    const { hostname } = new URL(stdout.trim());
    traces.push({ what: "this machine's package registry", in: (line) => line.includes(hostname) });
  }
  return traces;
}
