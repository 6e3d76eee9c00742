import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { ROOT } from "./packages.ts";

/** What one step of a check found. */
export interface Findings {
  /** Fail the check. */
  problems: string[];
  /** Are only printed. */
  warnings?: string[];
}

/** One independent step of a check. */
export interface Step {
  name: string;
  run(): Promise<Findings>;
}

/**
 * Runs independent steps, as many at a time as there are CPUs, and prints each with its time as it
 * ends. All run, whatever fails.
 *
 * @returns How many failed.
 */
export async function runSteps(steps: Step[]): Promise<number> {
  let failed = 0;
  const queue = [...steps];
  const width = Math.max(...steps.map((step) => step.name.length));
  const worker = async (): Promise<void> => {
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
      const started = performance.now();
      const { problems, warnings = [] } = await step.run().catch(
        (error: unknown) =>
          ({
            problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
          }) as Findings,
      );
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const lines = [...problems, ...warnings.map((text) => `warning: ${text}`)];
      console.log(`${problems.length > 0 ? "FAIL" : "ok  "}  ${step.name.padEnd(width)}  ${seconds} s`);
      if (lines.length > 0) console.log(lines.map((text) => text.replace(/^/gm, "      ")).join("\n"));
      if (problems.length > 0) failed++;
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), steps.length) }, worker));
  return failed;
}

/**
 * Runs a command; its output is a problem when it fails.
 *
 * @param file The program; `node` stands for this Node.
 */
export async function command(file: string, args: string[], cwd: string = ROOT): Promise<Findings> {
  const { code, output } = await capture(file, args, cwd);
  return { problems: code === 0 ? [] : [output.trim() || `${file} ended with ${code}`] };
}

/** Runs a command and keeps what it prints; standard error comes apart only on request. */
export function capture(
  file: string,
  args: string[],
  cwd: string = ROOT,
): Promise<{ code: number | null; output: string; stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(file === "node" ? process.execPath : file, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32" && file !== "node",
    });
    let output = "";
    let stdout = "";
    child.stdout.on("data", (data: Buffer) => {
      output += data;
      stdout += data;
    });
    child.stderr.on("data", (data: Buffer) => {
      output += data;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output, stdout }));
  });
}
