/**
 * Every error that this framework itself raises, in one table: the code is stable and part of the
 * public API, the status is what an HTTP door answers. File-system errors are not here: they carry
 * Node's own codes (`ENOENT`, `EEXIST`, ...), see `vfs/errors.ts`.
 */
export const ERROR_STATUS = {
  ERR_BAD_ARGUMENT: 400,
  ERR_BAD_JSON: 400,
  ERR_BAD_REQUEST: 400,
  ERR_BODY_TOO_LARGE: 413,
  ERR_BUSY: 429,
  ERR_CHANGED: 412,
  ERR_CLIENT_CLOSED: 500,
  ERR_CONNECTION_FAILED: 503,
  ERR_CONNECTION_LOST: 503,
  ERR_FORBIDDEN_HOST: 421,
  ERR_FORBIDDEN_ORIGIN: 403,
  ERR_HISTORY_OFF: 501,
  ERR_INTERNAL: 500,
  ERR_METHOD_NOT_ALLOWED: 405,
  ERR_NOT_FOUND: 404,
  ERR_TOOL_FAILED: 500,
  ERR_UNAVAILABLE: 503,
  ERR_TOO_MANY_RUNS: 429,
  ERR_UNAUTHORIZED: 401,
  ERR_UNKNOWN_AGENT: 404,
  ERR_UNKNOWN_BACKEND: 404,
  ERR_UNKNOWN_REVISION: 404,
  ERR_UNKNOWN_RUN: 404,
  ERR_UNKNOWN_TOOL: 404,
  ERR_UNSUPPORTED: 501,
  ERR_WORKSPACE_CLOSED: 500,
  ERR_WORKSPACE_DAMAGED: 500,
  ERR_WORKSPACE_LOCKED: 500,
  ERR_WORKSPACE_NEWER: 500,
  ERR_SNAPSHOT_EXISTS: 409,
  ERR_SQL_LIMIT: 500,
  ERR_TARGET_NOT_EMPTY: 409,
} as const;

/** The code of an error that the framework raises. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * The codes after which the same call may be made again. `ERR_BUSY` and `ERR_CONNECTION_FAILED`: it did not
 * start. `ERR_CONNECTION_LOST` and `ERR_UNAVAILABLE`: it may have happened, so only where that does no harm.
 */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "ERR_BUSY",
  "ERR_CONNECTION_FAILED",
  "ERR_CONNECTION_LOST",
  "ERR_UNAVAILABLE",
]);

/** What a {@link ComputerError} may carry besides its message. */
export interface ComputerErrorDetail {
  /** Where in the arguments the fault lies, as a JSON Pointer: `/items/0/title`. */
  path?: string;
  /** The error that led to this one. */
  cause?: unknown;
}

/**
 * An error of the framework: a stable {@link ErrorCode}, and a message that says what was wrong and
 * how to mend it.
 *
 * @example
 * ```ts
 * try {
 *   await workspace.runtime.exec("ls", { backend: "sehll" }).result();
 * } catch (error) {
 *   if (error instanceof ComputerError && error.code === "ERR_UNKNOWN_BACKEND") console.error(error.message);
 * }
 * ```
 */
export class ComputerError extends Error {
  override readonly name = "ComputerError";
  readonly code: ErrorCode;
  readonly path?: string;

  constructor(code: ErrorCode, message: string, detail: ComputerErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    if (detail.path !== undefined) this.path = detail.path;
  }

  /** Whether making the same call again may help: the server was busy, or the connection broke. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}
