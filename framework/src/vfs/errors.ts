/** The errors a file-system verb answers with: `[errno on Linux, libuv's words]`, as Node reports them. */
const FS_ERRORS = {
  EACCES: [13, "permission denied"],
  EBADF: [9, "bad file descriptor"],
  EBUSY: [16, "resource busy or locked"],
  EDQUOT: [122, "disk quota exceeded"],
  EEXIST: [17, "file already exists"],
  EFBIG: [27, "file too large"],
  EILSEQ: [84, "illegal byte sequence"],
  EINVAL: [22, "invalid argument"],
  EISDIR: [21, "illegal operation on a directory"],
  ELOOP: [40, "too many symbolic links encountered"],
  EMFILE: [24, "too many open files"],
  EMLINK: [31, "too many links"],
  ENAMETOOLONG: [36, "name too long"],
  ENOENT: [2, "no such file or directory"],
  ENOSPC: [28, "no space left on device"],
  ENOTDIR: [20, "not a directory"],
  ENOTEMPTY: [39, "directory not empty"],
  EPERM: [1, "operation not permitted"],
  EROFS: [30, "read-only file system"],
} as const;

/** The code of a file-system error. */
export type FsErrorCode = keyof typeof FS_ERRORS;

/** What was being done when a verb failed, for the error's `syscall`, `path` and `dest`. */
export interface Call {
  readonly syscall: string;
  readonly path?: string | undefined;
  readonly dest?: string | undefined;
}

/** A file-system error in Node's shape. */
export interface FsError extends Error {
  code: string;
  errno: number;
  syscall: string;
  path?: string;
  dest?: string;
}

/**
 * Makes the error that Node's `fs` would throw.
 *
 * @param hint Words added to libuv's, where these alone would not tell what to mend.
 * @example
 * ```ts
 * throw fsError("ENOENT", { syscall: "open", path: "/x" }); // ENOENT: no such file or directory, open '/x'
 * ```
 */
export function fsError(code: FsErrorCode, call: Call, hint?: string): FsError {
  const [errno, words] = FS_ERRORS[code];
  let message = `${code}: ${words}${hint === undefined ? "" : ` (${hint})`}, ${call.syscall}`;
  if (call.path !== undefined) message += ` '${call.path}'`;
  if (call.dest !== undefined) message += ` -> '${call.dest}'`;
  const error = new Error(message) as FsError;
  error.errno = -errno;
  error.code = code;
  error.syscall = call.syscall;
  if (call.path !== undefined) error.path = call.path;
  if (call.dest !== undefined) error.dest = call.dest;
  return error;
}

/** Whether something thrown is a file-system error with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && codes.includes((error as Partial<FsError>).code ?? "");
}

/** Node's answer to an argument of the wrong type. */
export function invalidType(name: string, expected: string, value: unknown): TypeError {
  const received = value === null || value === undefined ? String(value) : `type ${typeof value}`;
  return coded(
    new TypeError(`The "${name}" argument must be ${expected}. Received ${received}`),
    "ERR_INVALID_ARG_TYPE",
  );
}

/** Node's answer to an argument of the right type with an impossible value. */
export function invalidValue(name: string, reason: string, value: unknown): TypeError {
  return coded(
    new TypeError(`The argument '${name}' ${reason}. Received ${quote(value)}`),
    "ERR_INVALID_ARG_VALUE",
  );
}

/** Node's answer to a number out of bounds. */
export function outOfRange(name: string, range: string, value: unknown): RangeError {
  return coded(
    new RangeError(`The value of "${name}" is out of range. It must be ${range}. Received ${String(value)}`),
    "ERR_OUT_OF_RANGE",
  );
}

/** Node's answer to a file that is too large to be read in one piece. */
export function tooLarge(size: number, limit: number): RangeError {
  return coded(
    new RangeError(`File size (${size}) is greater than ${limit} bytes: read it with createReadStream`),
    "ERR_FS_FILE_TOO_LARGE",
  );
}

/** Node's answer to `rm` of a directory without `recursive`. */
export function rmIsDirectory(path: string): Error {
  const error = new Error(`Path is a directory: rm returned EISDIR (is a directory) ${path}`);
  error.name = "SystemError";
  return Object.assign(coded(error, "ERR_FS_EISDIR"), { errno: 21, syscall: "rm", path });
}

/** Node's answer to `cp` of what cannot be copied there: a code of Node's own, the errno of a system's error. */
export function cpError(code: CpErrorCode, what: string, path: string): Error {
  const [errno, name] = CP_ERRORS[code];
  const error = new Error(`${CP_WORDS[code]}: cp returned ${name} (${what}) ${path}`);
  error.name = "SystemError";
  return Object.assign(coded(error, code), { errno, syscall: "cp", path });
}

const CP_ERRORS = {
  ERR_FS_CP_DIR_TO_NON_DIR: [21, "EISDIR"],
  ERR_FS_CP_EEXIST: [17, "EEXIST"],
  ERR_FS_CP_EINVAL: [22, "EINVAL"],
  ERR_FS_CP_NON_DIR_TO_DIR: [20, "ENOTDIR"],
  ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY: [22, "EINVAL"],
  ERR_FS_EISDIR: [21, "EISDIR"],
} as const;

const CP_WORDS: Readonly<Record<CpErrorCode, string>> = {
  ERR_FS_CP_DIR_TO_NON_DIR: "Cannot overwrite non-directory with directory",
  ERR_FS_CP_EEXIST: "Target already exists",
  ERR_FS_CP_EINVAL: "Invalid src or dest",
  ERR_FS_CP_NON_DIR_TO_DIR: "Cannot overwrite directory with non-directory",
  ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY: "Cannot overwrite symlink in subdirectory of self",
  ERR_FS_EISDIR: "Recursive option not enabled, cannot copy a directory",
};

type CpErrorCode = keyof typeof CP_ERRORS;

function coded<E extends Error>(error: E, code: string): E & { code: string } {
  return Object.assign(error, { code });
}

function quote(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 128 ? `${text.slice(0, 128)}...` : text;
}
