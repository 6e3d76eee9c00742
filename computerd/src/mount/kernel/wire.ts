/**
 * The kernel's FUSE protocol as data: every structure, operation and flag that we use, in one place.
 * A test compares it with `linux/fuse.h`. All numbers are little-endian: Node runs on no big-endian
 * machine that has FUSE.
 */
import { struct } from "./struct.ts";

/** The version of the protocol that is spoken here; an older kernel makes it smaller. */
export const MAJOR = 7;
export const MINOR = 38;
/** Below this the kernel knows neither `max_pages` nor refusing OPENDIR: Linux 5.4. */
export const MINOR_AT_LEAST = 31;

export const IN_HEADER = struct("fuse_in_header", {
  len: "u32",
  opcode: "u32",
  unique: "u64",
  nodeid: "u64",
  uid: "u32",
  gid: "u32",
  pid: "u32",
  total_extlen: "u16",
  padding: "u16",
});
export const OUT_HEADER = struct("fuse_out_header", { len: "u32", error: "i32", unique: "u64" });

export const ATTR = struct("fuse_attr", {
  ino: "u64",
  size: "u64",
  blocks: "u64",
  atime: "u64",
  mtime: "u64",
  ctime: "u64",
  atimensec: "u32",
  mtimensec: "u32",
  ctimensec: "u32",
  mode: "u32",
  nlink: "u32",
  uid: "u32",
  gid: "u32",
  rdev: "u32",
  blksize: "u32",
  flags: "u32",
});
export const ENTRY_OUT = struct("fuse_entry_out", {
  nodeid: "u64",
  generation: "u64",
  entry_valid: "u64",
  attr_valid: "u64",
  entry_valid_nsec: "u32",
  attr_valid_nsec: "u32",
  attr: ATTR,
});
export const ATTR_OUT = struct("fuse_attr_out", {
  attr_valid: "u64",
  attr_valid_nsec: "u32",
  dummy: "u32",
  attr: ATTR,
});
export const OPEN_OUT = struct("fuse_open_out", { fh: "u64", open_flags: "u32", padding: "u32" });
export const WRITE_OUT = struct("fuse_write_out", { size: "u32", padding: "u32" });
export const GETXATTR_OUT = struct("fuse_getxattr_out", { size: "u32", padding: "u32" });
export const LSEEK_OUT = struct("fuse_lseek_out", { offset: "u64" });
export const KSTATFS = struct("fuse_kstatfs", {
  blocks: "u64",
  bfree: "u64",
  bavail: "u64",
  files: "u64",
  ffree: "u64",
  bsize: "u32",
  namelen: "u32",
  frsize: "u32",
  padding: "u32",
  spare: ["u32", 6],
});
export const STATFS_OUT = struct("fuse_statfs_out", { st: KSTATFS });
export const DIRENT = struct("fuse_dirent", { ino: "u64", off: "u64", namelen: "u32", type: "u32" });

export const INIT_IN = struct("fuse_init_in", {
  major: "u32",
  minor: "u32",
  max_readahead: "u32",
  flags: "u32",
  flags2: "u32",
  unused: ["u32", 11],
});
/** What a kernel before 7.36 sends of {@link INIT_IN}. */
export const INIT_IN_SHORT = 16;
export const INIT_OUT = struct("fuse_init_out", {
  major: "u32",
  minor: "u32",
  max_readahead: "u32",
  flags: "u32",
  max_background: "u16",
  congestion_threshold: "u16",
  max_write: "u32",
  time_gran: "u32",
  max_pages: "u16",
  map_alignment: "u16",
  flags2: "u32",
  unused: ["u32", 7],
});

export const FORGET_IN = struct("fuse_forget_in", { nlookup: "u64" });
export const FORGET_ONE = struct("fuse_forget_one", { nodeid: "u64", nlookup: "u64" });
export const BATCH_FORGET_IN = struct("fuse_batch_forget_in", { count: "u32", dummy: "u32" });
export const SETATTR_IN = struct("fuse_setattr_in", {
  valid: "u32",
  padding: "u32",
  fh: "u64",
  size: "u64",
  lock_owner: "u64",
  atime: "u64",
  mtime: "u64",
  ctime: "u64",
  atimensec: "u32",
  mtimensec: "u32",
  ctimensec: "u32",
  mode: "u32",
  unused4: "u32",
  uid: "u32",
  gid: "u32",
  unused5: "u32",
});
export const MKNOD_IN = struct("fuse_mknod_in", { mode: "u32", rdev: "u32", umask: "u32", padding: "u32" });
export const MKDIR_IN = struct("fuse_mkdir_in", { mode: "u32", umask: "u32" });
export const RENAME_IN = struct("fuse_rename_in", { newdir: "u64" });
export const RENAME2_IN = struct("fuse_rename2_in", { newdir: "u64", flags: "u32", padding: "u32" });
export const LINK_IN = struct("fuse_link_in", { oldnodeid: "u64" });
export const CREATE_IN = struct("fuse_create_in", {
  flags: "u32",
  mode: "u32",
  umask: "u32",
  open_flags: "u32",
});
export const READ_IN = struct("fuse_read_in", {
  fh: "u64",
  offset: "u64",
  size: "u32",
  read_flags: "u32",
  lock_owner: "u64",
  flags: "u32",
  padding: "u32",
});
export const WRITE_IN = struct("fuse_write_in", {
  fh: "u64",
  offset: "u64",
  size: "u32",
  write_flags: "u32",
  lock_owner: "u64",
  flags: "u32",
  padding: "u32",
});
/** With SETXATTR_EXT not negotiated, the kernel sends only {@link SETXATTR_IN_SHORT} bytes. */
export const SETXATTR_IN = struct("fuse_setxattr_in", {
  size: "u32",
  flags: "u32",
  setxattr_flags: "u32",
  padding: "u32",
});
export const SETXATTR_IN_SHORT = 8;
export const GETXATTR_IN = struct("fuse_getxattr_in", { size: "u32", padding: "u32" });
export const FALLOCATE_IN = struct("fuse_fallocate_in", {
  fh: "u64",
  offset: "u64",
  length: "u64",
  mode: "u32",
  padding: "u32",
});
export const LSEEK_IN = struct("fuse_lseek_in", {
  fh: "u64",
  offset: "u64",
  whence: "u32",
  padding: "u32",
});

export const NOTIFY_INVAL_INODE_OUT = struct("fuse_notify_inval_inode_out", {
  ino: "u64",
  off: "i64",
  len: "i64",
});
export const NOTIFY_INVAL_ENTRY_OUT = struct("fuse_notify_inval_entry_out", {
  parent: "u64",
  namelen: "u32",
  flags: "u32",
});
export const NOTIFY_DELETE_OUT = struct("fuse_notify_delete_out", {
  parent: "u64",
  child: "u64",
  namelen: "u32",
  padding: "u32",
});
/** The operations, by their number in a request's header. */
export const OP = {
  LOOKUP: 1,
  FORGET: 2,
  GETATTR: 3,
  SETATTR: 4,
  READLINK: 5,
  SYMLINK: 6,
  MKNOD: 8,
  MKDIR: 9,
  UNLINK: 10,
  RMDIR: 11,
  RENAME: 12,
  LINK: 13,
  OPEN: 14,
  READ: 15,
  WRITE: 16,
  STATFS: 17,
  RELEASE: 18,
  FSYNC: 20,
  SETXATTR: 21,
  GETXATTR: 22,
  LISTXATTR: 23,
  REMOVEXATTR: 24,
  FLUSH: 25,
  INIT: 26,
  OPENDIR: 27,
  READDIR: 28,
  RELEASEDIR: 29,
  FSYNCDIR: 30,
  ACCESS: 34,
  CREATE: 35,
  INTERRUPT: 36,
  DESTROY: 38,
  IOCTL: 39,
  NOTIFY_REPLY: 41,
  BATCH_FORGET: 42,
  FALLOCATE: 43,
  READDIRPLUS: 44,
  RENAME2: 45,
  LSEEK: 46,
  COPY_FILE_RANGE: 47,
  TMPFILE: 51,
} as const;

/** The messages that a daemon may send unasked: their number stands where a reply has its error. */
export const NOTIFY = { INVAL_INODE: 2, INVAL_ENTRY: 3, DELETE: 6 } as const;

/** What INIT negotiates, as bits of `flags`. */
export const INIT = {
  ASYNC_READ: 1 << 0,
  BIG_WRITES: 1 << 5,
  AUTO_INVAL_DATA: 1 << 12,
  DO_READDIRPLUS: 1 << 13,
  READDIRPLUS_AUTO: 1 << 14,
  ASYNC_DIO: 1 << 15,
  WRITEBACK_CACHE: 1 << 16,
  NO_OPEN_SUPPORT: 1 << 17,
  PARALLEL_DIROPS: 1 << 18,
  MAX_PAGES: 1 << 22,
  CACHE_SYMLINKS: 1 << 23,
  NO_OPENDIR_SUPPORT: 1 << 24,
  HANDLE_KILLPRIV_V2: 1 << 28,
} as const;

/** Which fields of {@link SETATTR_IN} count. */
export const FATTR = {
  MODE: 1 << 0,
  UID: 1 << 1,
  GID: 1 << 2,
  SIZE: 1 << 3,
  ATIME: 1 << 4,
  MTIME: 1 << 5,
  ATIME_NOW: 1 << 7,
  MTIME_NOW: 1 << 8,
  CTIME: 1 << 10,
  KILL_SUIDGID: 1 << 11,
} as const;

/** Bits of `open_flags` in {@link OPEN_OUT}. */
export const FOPEN = { KEEP_CACHE: 1 << 1 } as const;
/** Bits of `write_flags` in {@link WRITE_IN}. */
export const WRITE = { CACHE: 1 << 0, KILL_SUIDGID: 1 << 2 } as const;
