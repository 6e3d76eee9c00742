import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Results of whole tools in one folder, in seconds. */
export type ToolResults = Record<string, number>;

/** Packages that together are some 14,000 files. */
const PACKAGES = {
  "@cloudflare/workers-types": "^4.20240925.0",
  "date-fns": "^3.6.0",
  lodash: "^4.17.21",
  rxjs: "^7.8.1",
  typescript: "^5.6.0",
  "core-js": "^3.38.0",
  "@babel/core": "^7.25.0",
  eslint: "^9.11.0",
  webpack: "^5.95.0",
};

/** Makes what the tools work on, outside of what is measured: a repository of 5,000 files. */
export function prepareTools(folder: string): void {
  const source = join(folder, "source");
  mkdirSync(source, { recursive: true });
  for (let index = 0; index < 5000; index++) {
    const place = join(source, `dir${index % 71}`, `sub${index % 7}`);
    mkdirSync(place, { recursive: true });
    const lines = Array.from(
      { length: 20 + (index % 50) },
      (_, line) => `export const v${index}_${line} = ${line * index};`,
    );
    writeFileSync(join(place, `file${index}.ts`), `${lines.join("\n")}\n`);
  }
  const compilerOptions = { outDir: "out", rootDir: ".", skipLibCheck: true, types: [] };
  writeFileSync(
    join(source, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["dir1*/**/*.ts"] }),
  );
  run("git", ["init", "-q"], source);
  run("git", ["-c", "user.name=b", "-c", "user.email=b@b", "add", "."], source);
  run("git", ["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "files"], source);
}

/** Runs the tools in a folder. `npm` only where packages can be had. */
export function runTools(prepared: string, folder: string, tsc: string, npm: boolean): ToolResults {
  const results: ToolResults = {};
  const timed = (name: string, file: string, args: string[], cwd: string) => {
    const start = performance.now();
    run(file, args, cwd);
    results[name] = (performance.now() - start) / 1000;
  };
  const base = join(folder, "tools");
  mkdirSync(base);
  timed("git_clone_s", "git", ["clone", "-q", "--no-hardlinks", join(prepared, "source"), "clone"], base);
  const clone = join(base, "clone");
  timed("git_status_s", "git", ["status", "--porcelain"], clone);
  timed("grep_s", "grep", ["-rc", "v4999_7", "."], clone);
  timed("tsc_s", process.execPath, [tsc, "-p", "."], clone);
  if (npm) {
    const project = join(base, "project");
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), JSON.stringify({ dependencies: PACKAGES }));
    timed(
      "npm_install_s",
      "npm",
      ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"],
      project,
    );
    timed("grep_packages_s", "grep", ["-rc", "no-such-word-anywhere", "node_modules"], project);
  }
  timed("rm_s", "rm", ["-rf", base], folder);
  if (existsSync(base)) throw new Error("rm left something");
  return results;
}

function run(file: string, args: string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28 });
  // grep says 1 when it finds nothing.
  if (status !== 0 && !(file === "grep" && status === 1))
    throw new Error(`${file} ended with ${status}: ${stdout.slice(0, 500)}${stderr}`);
}
