import type { ExecOptions } from "../runtime/types.ts";
import { options } from "./check.ts";

const KEYS = ["backend", "cwd", "env", "stdin", "timeoutMs", "maxOutputBytes"];

/** The options of a run that came through a door: those that are data. Their values the runtime checks itself. */
export function checkExecOptions(value: unknown, path = "/options"): ExecOptions {
  return options(value, path, KEYS) as ExecOptions;
}
