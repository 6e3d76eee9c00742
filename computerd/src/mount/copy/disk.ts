import { spawnSync } from "node:child_process";
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import type { NodeKind } from "../../tree/changes.ts";
import type { Inode } from "../../tree/inode.ts";
import type { Tree } from "../../tree/tree.ts";

const PIECE = 1 << 20;
const TEMPORARY = ".computerd-new";
const KINDS: Record<number, NodeKind> = {
  [constants.S_IFREG]: "file",
  [constants.S_IFDIR]: "directory",
  [constants.S_IFLNK]: "symlink",
  [constants.S_IFIFO]: "fifo",
  [constants.S_IFSOCK]: "socket",
};
const root = process.getuid?.() === 0;

/** Names here are one character per byte, as in the tree. */
export function bytesOf(path: string): Buffer {
  return Buffer.from(path, "latin1");
}

export function statOf(path: string): BigIntStats | undefined {
  return lstatSync(bytesOf(path), { bigint: true, throwIfNoEntry: false });
}

export function kindOf(stats: BigIntStats): NodeKind {
  return KINDS[Number(stats.mode) & constants.S_IFMT] ?? "device";
}

/** Seconds and nanoseconds of a time that the system tells in nanoseconds. */
export function timeOf(nanoseconds: bigint): [number, number] {
  const sec = nanoseconds / 1_000_000_000n;
  const nsec = nanoseconds - sec * 1_000_000_000n;
  return nsec < 0n ? [Number(sec) - 1, Number(nsec) + 1e9] : [Number(sec), Number(nsec)];
}

/** The names in a folder, without what a write that was cut short may have left. */
export function namesIn(path: string): string[] {
  return readdirSync(bytesOf(path), { encoding: "buffer" })
    .map((name) => name.toString("latin1"))
    .filter((name) => !name.startsWith(TEMPORARY));
}

export function targetOf(path: string): string {
  return readlinkSync(bytesOf(path), { encoding: "buffer" }).toString("latin1");
}

export function remove(path: string): void {
  rmSync(bytesOf(path), { recursive: true, force: true });
}

export function link(from: string, to: string): void {
  linkSync(bytesOf(from), bytesOf(to));
}

/** Puts a node of the tree at a path: whole, and in place of what was there, at one moment. */
export function write(tree: Tree, node: Inode, kind: NodeKind, folder: string, name: string): void {
  const path = `${folder}/${name}`;
  const fresh = `${folder}/${TEMPORARY}-${node.id}`;
  if (kind === "directory") {
    if (statOf(path)?.isDirectory() !== true) {
      remove(path);
      mkdirSync(bytesOf(path));
    }
    dress(node, path);
    return;
  }
  remove(fresh);
  if (kind === "symlink") symlinkSync(node.target ?? "", bytesOf(fresh));
  else if (kind === "fifo") spawnSync("mkfifo", [fresh], { cwd: "/" });
  else if (kind === "file") fill(tree, node, fresh, constants.O_CREAT | constants.O_EXCL);
  else return;
  dress(node, fresh);
  renameSync(bytesOf(fresh), bytesOf(path));
}

/** Writes a file's bytes where it is, for files with several names. */
export function overwrite(tree: Tree, node: Inode, path: string): void {
  fill(tree, node, path, constants.O_TRUNC);
  dress(node, path);
}

/** Gives a path the owner, permissions and times of a node. */
export function dress(node: Inode, path: string): void {
  const at = bytesOf(path);
  if (root) lchownSync(at, node.uid, node.gid);
  if (!node.isSymlink) chmodSync(at, node.mode & 0o7777);
  lutimesSync(at, node.atimeSec + node.atimeNsec / 1e9, node.mtimeSec + node.mtimeNsec / 1e9);
}

function fill(tree: Tree, node: Inode, path: string, flags: number): void {
  const fd = openSync(bytesOf(path), constants.O_WRONLY | flags, 0o600);
  try {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, node.size)));
    for (let offset = 0; offset < node.size; offset += piece.length) {
      const length = tree.content.read(node, offset, piece.length, piece, 0);
      for (let done = 0; done < length; ) done += writeSync(fd, piece, done, length - done, offset + done);
    }
  } finally {
    closeSync(fd);
  }
}

/** The bytes of a file, piece by piece, in one buffer that is used again. */
export function* piecesOf(path: string): Generator<{ bytes: Buffer; offset: number }> {
  const fd = openSync(bytesOf(path), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    for (let offset = 0; ; ) {
      const length = readSync(fd, piece, 0, piece.length, offset);
      if (length === 0) return;
      yield { bytes: piece.subarray(0, length), offset };
      offset += length;
    }
  } finally {
    closeSync(fd);
  }
}
