import { spawn } from "node:child_process";

/** What a child process did. */
export interface Ran {
  code: number | null;
  out: string;
  err: string;
  /** It did not end in time and was killed. */
  late: boolean;
}

/** How a child process is run. */
export interface RunOptions {
  cwd?: string;
  timeoutMs?: number;
  input?: string | Uint8Array;
  env?: Record<string, string>;
}

/**
 * Runs a program in a process of its own, with a time limit. Tests never touch a mount themselves: one that
 * hangs would freeze the runner with it.
 */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: options.cwd ?? "/",
      env: { ...process.env, LC_ALL: "C", ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    const ran: Ran = { code: null, out: "", err: "", late: false };
    const timer = setTimeout(() => {
      ran.late = true;
      try {
        process.kill(-(child.pid as number), "SIGKILL");
      } catch {
        // It has just ended.
      }
      // A process that hangs in the kernel does not even die: do not wait for it.
      setTimeout(() => resolve(ran), 500).unref();
    }, options.timeoutMs ?? 10_000);
    child.stdout.on("data", (data: Buffer) => {
      ran.out += data.toString("latin1");
    });
    child.stderr.on("data", (data: Buffer) => {
      ran.err += data.toString("latin1");
    });
    child.on("error", (error) => {
      clearTimeout(timer);
      resolve({ ...ran, err: error.message });
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ ...ran, code });
    });
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
  });
}

/** Runs a shell script; rejects when it fails, with what it said. */
export async function sh(script: string, options: RunOptions = {}): Promise<string> {
  const { code, out, err, late } = await run("sh", ["-ec", script], options);
  if (late) throw new Error(`did not end in time: ${script}\n${out}${err}`);
  if (code !== 0) throw new Error(`ended with ${code}: ${script}\n${out}${err}`);
  return out;
}
