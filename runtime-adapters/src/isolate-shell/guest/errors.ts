import type { FileFault } from "../protocol.ts";

/** An error of the workspace's files, with the code and message of Node. */
export class FileError extends Error {
  readonly code: string;

  constructor({ code, message }: FileFault) {
    super(message);
    this.code = code;
  }
}

/** An error whose message is for the script's stderr as it is. */
export class ShellError extends Error {}

/** What the C library calls an error. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "Permission denied",
  EBUSY: "Device or resource busy",
  EEXIST: "File exists",
  EFBIG: "File too large",
  EINVAL: "Invalid argument",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  EPERM: "Operation not permitted",
  EROFS: "Read-only file system",
};

/** An error as a shell reports it. */
export function reason(error: unknown): string {
  const code = error instanceof FileError ? error.code : "";
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}
