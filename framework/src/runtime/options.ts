import { ComputerError } from "../errors.ts";
import type { ExecOptions } from "./types.ts";

/** How long a run may take unless it says otherwise. */
export const DEFAULT_TIMEOUT_MS = 120_000;
/** The longest that a run may ask for: a day. */
export const MAX_TIMEOUT_MS = 86_400_000;
/** How much output a run keeps unless it says otherwise. */
export const DEFAULT_MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
/** The most output that a run may ask to keep. */
export const MAX_MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The longest source, in UTF-16 code units. */
export const MAX_SOURCE_LENGTH = 1024 * 1024;
/** The most that `env` may hold, names and values together, in UTF-16 code units. */
export const MAX_ENV_LENGTH = 1024 * 1024;
/** The most that stdin may hold, in bytes: an RPC message of Workers holds at most 32 MiB. */
export const MAX_STDIN_BYTES = 24 * 1024 * 1024;

/** {@link ExecOptions}, checked, with the defaults filled in; the backend's name is not looked up yet. */
export interface CheckedOptions {
  readonly source: string;
  readonly backend: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal | undefined;
}

const OPTIONS: ReadonlySet<string> = new Set([
  "backend",
  "cwd",
  "env",
  "stdin",
  "timeoutMs",
  "maxOutputBytes",
  "signal",
] satisfies (keyof ExecOptions)[]);

/** Checks what `exec` was given; throws `ERR_BAD_ARGUMENT` with the `path` of the first fault. */
export function checkOptions(source: unknown, options: unknown = {}): CheckedOptions {
  if (typeof source !== "string") throw bad("/source", `The source must be a string, not ${kind(source)}.`);
  if (source.length > MAX_SOURCE_LENGTH) {
    throw bad(
      "/source",
      `The source has ${source.length} characters; at most ${MAX_SOURCE_LENGTH} are allowed.`,
    );
  }
  if (source.includes("\0"))
    throw bad("/source", "The source holds a NUL character, which no shell can read.");
  if (typeof options !== "object" || options === null) {
    throw bad("/options", `The options must be an object, not ${kind(options)}.`);
  }
  for (const name of Object.keys(options)) {
    if (!OPTIONS.has(name)) {
      throw bad(pointer(name), `There is no option "${name}"; there are ${[...OPTIONS].join(", ")}.`);
    }
  }
  const given = options as { readonly [name in keyof ExecOptions]?: unknown };
  return {
    source,
    backend: checkBackend(given.backend),
    cwd: checkCwd(given.cwd),
    env: checkEnv(given.env),
    stdin: checkStdin(given.stdin),
    timeoutMs: checkNumber("timeoutMs", given.timeoutMs, DEFAULT_TIMEOUT_MS, 1, MAX_TIMEOUT_MS),
    maxOutputBytes: checkNumber(
      "maxOutputBytes",
      given.maxOutputBytes,
      DEFAULT_MAX_OUTPUT_BYTES,
      0,
      MAX_MAX_OUTPUT_BYTES,
    ),
    signal: checkSignal(given.signal),
  };
}

function checkBackend(backend: unknown): string | undefined {
  if (backend === undefined || typeof backend === "string") return backend;
  throw bad("/backend", `The name of a backend is a string, not ${kind(backend)}.`);
}

function checkCwd(cwd: unknown): string {
  if (cwd === undefined) return "/";
  if (typeof cwd !== "string") throw bad("/cwd", `The working directory must be a string, not ${kind(cwd)}.`);
  if (!cwd.startsWith("/")) {
    throw bad(
      "/cwd",
      `The working directory must be an absolute path; ${quote(cwd)} does not begin with "/".`,
    );
  }
  if (cwd.includes("\0")) throw bad("/cwd", "The working directory holds a NUL character.");
  return cwd;
}

function checkEnv(env: unknown): Readonly<Record<string, string>> {
  const checked: Record<string, string> = Object.create(null);
  if (env === undefined) return checked;
  if (typeof env !== "object" || env === null || Array.isArray(env)) {
    throw bad("/env", `The environment must be an object of strings, not ${kind(env)}.`);
  }
  let length = 0;
  for (const [name, value] of Object.entries(env)) {
    const path = pointer("env", name);
    if (name === "" || name.includes("=") || name.includes("\0")) {
      throw bad(path, `${quote(name)} cannot name an environment variable: no "=", no NUL, not empty.`);
    }
    if (typeof value !== "string") throw bad(path, `${quote(name)} must be a string, not ${kind(value)}.`);
    if (value.includes("\0")) throw bad(path, `The value of ${quote(name)} holds a NUL character.`);
    length += name.length + value.length;
    if (length > MAX_ENV_LENGTH) {
      throw bad(
        "/env",
        `The environment holds more than ${MAX_ENV_LENGTH} characters; put large values into files.`,
      );
    }
    checked[name] = value;
  }
  return checked;
}

function checkStdin(stdin: unknown): Uint8Array {
  if (stdin === undefined) return new Uint8Array(0);
  let bytes: Uint8Array;
  if (typeof stdin === "string") bytes = new TextEncoder().encode(stdin);
  // A copy: the caller may reuse the buffer while the run is still to read it.
  else if (stdin instanceof Uint8Array) bytes = Uint8Array.prototype.slice.call(stdin);
  else throw bad("/stdin", `Standard input must be a string or a Uint8Array, not ${kind(stdin)}.`);
  if (bytes.byteLength > MAX_STDIN_BYTES) {
    throw bad(
      "/stdin",
      `Standard input has ${bytes.byteLength} bytes; at most ${MAX_STDIN_BYTES} are allowed. Write a file instead.`,
    );
  }
  return bytes;
}

function checkNumber(name: string, value: unknown, fallback: number, least: number, most: number): number {
  if (value === undefined) return fallback;
  if (typeof value !== "number") throw bad(pointer(name), `${name} must be a number, not ${kind(value)}.`);
  if (!(value >= least && value <= most)) {
    throw bad(pointer(name), `${name} must be between ${least} and ${most}, not ${value}.`);
  }
  return Math.ceil(value);
}

function checkSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw bad("/signal", `The signal must be an AbortSignal, not ${kind(signal)}.`);
}

function bad(path: string, message: string): ComputerError {
  return new ComputerError("ERR_BAD_ARGUMENT", message, { path });
}

/** A JSON Pointer. */
function pointer(...names: string[]): string {
  return names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function kind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : typeof value;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}
