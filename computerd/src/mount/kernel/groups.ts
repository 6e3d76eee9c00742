import { readFileSync } from "node:fs";
import { type Inode, S_ISGID, S_IXGRP } from "../../tree/inode.ts";
import type { Request } from "./request.ts";

/**
 * Whether whoever asks is neither root nor in a node's group. It matters only for setgid where the group may
 * not execute, so that the process is looked at only then.
 */
export function isStranger({ uid, gid, pid }: Request, node: Inode): boolean {
  if ((node.mode & S_ISGID) === 0 || (node.mode & S_IXGRP) !== 0) return false;
  if (uid === 0 || gid === node.gid) return false;
  try {
    const groups = /^Groups:(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "";
    return !groups.trim().split(/\s+/).includes(String(node.gid));
  } catch {
    return true;
  }
}
