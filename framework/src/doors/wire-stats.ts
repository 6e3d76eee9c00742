import type { Dirent, Stats } from "../vfs/types.ts";
import type { WireDirent, WireStats } from "./protocol.ts";

/** A file's `stat` as plain data. */
export function wireStats(stats: Stats): WireStats {
  const { ino, mode, nlink, uid, gid, size, blocks, blksize } = stats;
  const { atimeMs, mtimeMs, ctimeMs, birthtimeMs } = stats;
  return { ino, mode, nlink, uid, gid, size, blocks, blksize, atimeMs, mtimeMs, ctimeMs, birthtimeMs };
}

/** A directory's entry as plain data. */
export function wireDirent(entry: Dirent): WireDirent {
  const kind = entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "symlink" : "file";
  return { name: entry.name, parentPath: entry.parentPath, kind };
}
