import { ComputerError } from "../errors.ts";
import type { ExecOptions } from "../runtime/types.ts";
import { bad, content, defined, optionalCount, optionalText, options } from "./check.ts";

const KEYS = ["backend", "cwd", "env", "stdin", "timeoutMs", "maxOutputBytes"];
const MAX_ENV_VARIABLES = 1024;
/** Output that a run started from outside may have kept: 64 MiB. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The options of a run that came through a door. What they mean, the runtime checks. */
export function checkExecOptions(value: unknown, path = "/options"): ExecOptions {
  const given = options(value, path, KEYS);
  const maxOutputBytes = optionalCount(given.maxOutputBytes, `${path}/maxOutputBytes`);
  if (maxOutputBytes !== undefined && maxOutputBytes > MAX_OUTPUT_BYTES) {
    throw new ComputerError("ERR_BAD_ARGUMENT", `maxOutputBytes: must be at most ${MAX_OUTPUT_BYTES}`, {
      path: `${path}/maxOutputBytes`,
    });
  }
  return defined({
    backend: optionalText(given.backend, `${path}/backend`),
    cwd: optionalText(given.cwd, `${path}/cwd`),
    env: given.env === undefined ? undefined : checkEnv(given.env, `${path}/env`),
    stdin: given.stdin === undefined ? undefined : content(given.stdin, `${path}/stdin`),
    timeoutMs: optionalCount(given.timeoutMs, `${path}/timeoutMs`),
    maxOutputBytes,
  });
}

function checkEnv(value: unknown, path: string): Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw bad(path, "an object of strings", value);
  const entries = Object.entries(value);
  if (entries.length > MAX_ENV_VARIABLES) {
    throw new ComputerError("ERR_BAD_ARGUMENT", `env: at most ${MAX_ENV_VARIABLES} variables`, { path });
  }
  for (const [name, held] of entries)
    if (typeof held !== "string") throw bad(`${path}/${name}`, "a string", held);
  return Object.fromEntries(entries) as Record<string, string>;
}
