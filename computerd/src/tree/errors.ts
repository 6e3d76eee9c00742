import { constants } from "node:os";

/** The errors that the tree answers with, by their POSIX names. */
const CODES = [
  "E2BIG",
  "EACCES",
  "EBUSY",
  "EDQUOT",
  "EEXIST",
  "EFBIG",
  "EINVAL",
  "EIO",
  "EISDIR",
  "ELOOP",
  "EMLINK",
  "ENAMETOOLONG",
  "ENODATA",
  "ENOENT",
  "ENOSPC",
  "ENOSYS",
  "ENOTDIR",
  "ENOTEMPTY",
  "ENOTTY",
  "ENXIO",
  "EOPNOTSUPP",
  "EPERM",
  "ERANGE",
  "EROFS",
  "ESTALE",
  "EXDEV",
] as const;

/** The code of a {@link TreeError}. */
export type TreeErrorCode = (typeof CODES)[number];

/**
 * A refusal of the tree: an error number for the kernel. There is one object per code, made once, since
 * a refusal is ordinary (a file that is not there) and building a stack trace for each would be slow.
 */
export class TreeError extends Error {
  override readonly name = "TreeError";
  readonly code: TreeErrorCode;
  /** Positive, as in `errno.h`. */
  readonly errno: number;

  constructor(code: TreeErrorCode, errno: number) {
    super(code);
    this.code = code;
    this.errno = errno;
    this.stack = `TreeError: ${code}`;
  }
}

/** The one error of each code: `throw E.ENOENT`. */
export const E = Object.fromEntries(
  CODES.map((code) => [code, new TreeError(code, constants.errno[code])]),
) as Readonly<Record<TreeErrorCode, TreeError>>;

/** What an error of Node's file system means to the tree: full disks stay full disks, the rest is EIO. */
export function fromNode(error: unknown): TreeError {
  if (error instanceof TreeError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") return E[code];
  return E.EIO;
}
