import { ComputerError, ERROR_STATUS, type ErrorCode } from "../errors.ts";
import { describe } from "./describe.ts";
import type { WireError } from "./protocol.ts";

/** What an HTTP door answers for Node's file-system codes. */
const FS_STATUS: Readonly<Record<string, number>> = {
  EACCES: 403,
  EBADF: 400,
  EBUSY: 409,
  EDQUOT: 507,
  EEXIST: 409,
  EFBIG: 413,
  EILSEQ: 400,
  EINVAL: 400,
  EISDIR: 400,
  ELOOP: 400,
  EMFILE: 429,
  EMLINK: 400,
  ENAMETOOLONG: 400,
  ENOENT: 404,
  ENOSPC: 507,
  ENOTDIR: 400,
  ENOTEMPTY: 409,
  EPERM: 403,
  EROFS: 403,
  ERR_DIR_CLOSED: 400,
  ERR_FS_CP_DIR_TO_NON_DIR: 409,
  ERR_FS_CP_EEXIST: 409,
  ERR_FS_CP_EINVAL: 400,
  ERR_FS_CP_NON_DIR_TO_DIR: 409,
  ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY: 409,
  ERR_FS_EISDIR: 400,
  ERR_FS_FILE_TOO_LARGE: 413,
  ERR_INVALID_ARG_TYPE: 400,
  ERR_INVALID_ARG_VALUE: 400,
  ERR_OUT_OF_RANGE: 400,
};

/** A message is cut here, so that an error can never be the largest thing that a door answers. */
const MAX_MESSAGE_CHARS = 8192;
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** An error as a door tells it: the status for HTTP, and the body. */
export interface DescribedError {
  readonly status: number;
  readonly error: WireError;
}

/**
 * The one place that decides what of an error leaves the worker. An error with a code keeps code and message; any
 * other is one of ours to mend, and in a deployment its message stays inside. Stacks leave only in development.
 */
export function describeError(error: unknown, development: boolean): DescribedError {
  const code = codeOf(error);
  const described: WireError =
    code !== undefined
      ? { code, message: cut(messageOf(error)) }
      : {
          code: "ERR_INTERNAL",
          message: development
            ? cut(messageOf(error))
            : "Something failed inside; the worker's log says what.",
        };
  if (code !== undefined && error instanceof Error) {
    const { path, dest, syscall, errno } = error as Partial<Record<keyof WireError, unknown>>;
    if (typeof path === "string") described.path = cut(path);
    if (typeof dest === "string") described.dest = cut(dest);
    if (typeof syscall === "string") described.syscall = cut(syscall);
    if (typeof errno === "number") described.errno = errno;
  }
  if (development && error instanceof Error && (code === undefined || thrownByTools.has(error))) {
    const { stack } = error.cause instanceof Error ? error.cause : error;
    if (stack !== undefined) described.stack = cut(stack);
  }
  return { status: statusOf(described.code), error: described };
}

/** The HTTP status of a code; 500 for one that is not in a table. */
export function statusOf(code: string): number {
  if (Object.hasOwn(ERROR_STATUS, code)) return ERROR_STATUS[code as ErrorCode];
  return Object.hasOwn(FS_STATUS, code) ? (FS_STATUS[code] as number) : 500;
}

/** The code an error carries, if it has the look of one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === "string" && CODE.test(code) ? code : undefined;
}

/** Errors from an agent's own code: the only coded ones whose stack tells a developer something. */
const thrownByTools = new WeakSet<Error>();

/** What a tool threw, made fit for a door: an error with a code stays as it is, anything else gets one. */
export function toolFailure(error: unknown): Error {
  if (!(error instanceof Error)) {
    // It has no stack; ours would lead nowhere.
    const message =
      messageOf(error) || `The tool threw ${describe(error)}; throw an Error, which says where.`;
    return new ComputerError("ERR_TOOL_FAILED", message, { cause: error });
  }
  const failure =
    codeOf(error) !== undefined
      ? error
      : new ComputerError("ERR_TOOL_FAILED", messageOf(error) || "The tool failed without a message.", {
          cause: error,
        });
  thrownByTools.add(failure);
  return failure;
}

/** An error as an HTTP answer. */
export function errorResponse(
  error: unknown,
  development: boolean,
  headers: Record<string, string> = {},
): Response {
  const described = describeError(error, development);
  const response = Response.json({ error: described.error }, { status: described.status, headers });
  response.headers.set("cache-control", "no-store");
  if (described.status === 401) response.headers.set("www-authenticate", "Bearer");
  return response;
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  // What is thrown need not be an Error to have a message: of another realm, or made by hand.
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : "";
  return typeof message === "string" ? message : "";
}

function cut(text: string): string {
  return text.length <= MAX_MESSAGE_CHARS ? text : `${text.slice(0, MAX_MESSAGE_CHARS)}…`;
}
