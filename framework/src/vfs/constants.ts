/**
 * The numbers that verbs take: modes of `access`, flags of `open`, modes of `copyFile`. They are those of
 * `node:fs` on Linux, wherever this runs.
 *
 * @example
 * ```ts
 * const { O_RDWR, O_CREAT } = workspace.fs.constants;
 * await using file = await workspace.fs.open("/log", O_RDWR | O_CREAT);
 * ```
 */
export const constants = {
  F_OK: 0,
  X_OK: 1,
  W_OK: 2,
  R_OK: 4,
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 0o100,
  O_EXCL: 0o200,
  O_NOCTTY: 0o400,
  O_TRUNC: 0o1000,
  O_APPEND: 0o2000,
  O_NONBLOCK: 0o4000,
  O_DSYNC: 0o10000,
  O_DIRECTORY: 0o200000,
  O_NOFOLLOW: 0o400000,
  O_NOATIME: 0o1000000,
  O_SYNC: 0o4010000,
  COPYFILE_EXCL: 1,
  COPYFILE_FICLONE: 2,
  COPYFILE_FICLONE_FORCE: 4,
} as const;
