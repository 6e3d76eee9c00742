import type { WireDirent, WireError, WireStats } from "../doors/protocol.ts";
import { ComputerError, ERROR_STATUS, type ErrorCode } from "../errors.ts";
import type { Dirent, NodeKind, Stats } from "../vfs/types.ts";

/** An error as it crossed: what {@link WireError} says, in an `Error` of capnweb or in JSON. */
export function reviveError(wire: WireError): Error {
  const { code, message, path, dest, syscall, errno, stack } = wire;
  let cause: Error | undefined;
  if (stack !== undefined) {
    // Where it happened in the worker; only a worker in development says so.
    cause = new Error(message);
    cause.stack = stack;
  }
  if (Object.hasOwn(ERROR_STATUS, code)) {
    return new ComputerError(code as ErrorCode, message, { ...(path === undefined ? {} : { path }), cause });
  }
  const error = new Error(message, cause === undefined ? undefined : { cause });
  const fields = { code, errno, syscall, path, dest };
  return Object.assign(
    error,
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
  );
}

/** What a value rejected with says, if it is an error that a door sent. */
export function asWireError(error: unknown): WireError | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, message, path, dest, syscall, errno, stack } = error as Partial<
    Record<keyof WireError, unknown>
  >;
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  const wire: WireError = { code, message };
  if (typeof path === "string") wire.path = path;
  if (typeof dest === "string") wire.dest = dest;
  if (typeof syscall === "string") wire.syscall = syscall;
  if (typeof errno === "number") wire.errno = errno;
  if (typeof stack === "string" && stack !== "" && isRemoteStack(stack)) wire.stack = stack;
  return wire;
}

/** capnweb makes its errors while it reads a message, so a stack of this side names it. */
function isRemoteStack(stack: string): boolean {
  return !/\bEvaluator\b|\bevaluateImpl\b/.test(stack);
}

/** The error that a door answered over HTTP. */
export async function responseError(response: Response): Promise<Error> {
  const text = await response.text().catch(() => "");
  try {
    const wire = asWireError((JSON.parse(text) as { error?: unknown }).error);
    if (wire !== undefined) return reviveError(wire);
  } catch {
    // Not one of our answers.
  }
  return new ComputerError(
    "ERR_CONNECTION_FAILED",
    `The server answered ${response.status} ${text.slice(0, 200)}`.trim(),
  );
}

/** A value without what capnweb puts on it: bytes as plain `Uint8Array`, no disposer. */
export function plainValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  // A small `Buffer` is a window on memory that it shares, so it is copied.
  if (value instanceof Uint8Array) return value.constructor === Uint8Array ? value : Uint8Array.from(value);
  if (Array.isArray(value)) return value.map(plainValue);
  return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, plainValue(property)]));
}

const KIND_BITS = 0o170000;
const FILE = 0o100000;
const DIRECTORY = 0o040000;
const SYMLINK = 0o120000;

/** `Stats` of what crossed as plain data. */
export class RemoteStats implements Stats {
  declare readonly ino: number;
  declare readonly mode: number;
  declare readonly nlink: number;
  declare readonly uid: number;
  declare readonly gid: number;
  declare readonly size: number;
  declare readonly blocks: number;
  declare readonly blksize: number;
  declare readonly atimeMs: number;
  declare readonly mtimeMs: number;
  declare readonly ctimeMs: number;
  declare readonly birthtimeMs: number;

  constructor(wire: WireStats) {
    Object.assign(this, plainValue(wire));
  }

  get atime(): Date {
    return new Date(this.atimeMs);
  }
  get mtime(): Date {
    return new Date(this.mtimeMs);
  }
  get ctime(): Date {
    return new Date(this.ctimeMs);
  }
  get birthtime(): Date {
    return new Date(this.birthtimeMs);
  }

  isFile(): boolean {
    return (this.mode & KIND_BITS) === FILE;
  }
  isDirectory(): boolean {
    return (this.mode & KIND_BITS) === DIRECTORY;
  }
  isSymbolicLink(): boolean {
    return (this.mode & KIND_BITS) === SYMLINK;
  }
}

/** `Dirent` of what crossed as plain data. */
export class RemoteDirent implements Dirent {
  readonly name: string;
  readonly parentPath: string;
  readonly #kind: NodeKind;

  constructor({ name, parentPath, kind }: WireDirent) {
    this.name = name;
    this.parentPath = parentPath;
    this.#kind = kind;
  }

  isFile(): boolean {
    return this.#kind === "file";
  }
  isDirectory(): boolean {
    return this.#kind === "directory";
  }
  isSymbolicLink(): boolean {
    return this.#kind === "symlink";
  }
}
