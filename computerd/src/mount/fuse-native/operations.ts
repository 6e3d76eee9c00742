import { fdatasyncSync, statfsSync } from "node:fs";
import { setAttributes, writeFile } from "../../tree/attributes.ts";
import { E, fromNode } from "../../tree/errors.ts";
import { type Inode, S_IFDIR, S_IFLNK, S_IFREG } from "../../tree/inode.ts";
import { nameFromText, nameToText } from "../../tree/names.ts";
import type { Store } from "../../tree/store/store.ts";
import { getXattr, listXattrs, removeXattr, setXattr } from "../../tree/xattrs.ts";

/** What `fuse-native` calls: the arguments of the operation, then a callback for error and result. */
export type Operation = (...args: never[]) => void;
type Done = (errno: number, ...results: unknown[]) => void;

/** How the file system under the store is known to libfuse. */
const NAME_MAX = 255;

/**
 * The operations of libfuse's path interface over a tree. libfuse does not tell who calls: what is made
 * belongs to the daemon's user.
 */
export function operationsOf(store: Store, folder: string): Record<string, Operation> {
  const { tree } = store;
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

  function node(path: string): Inode {
    let at: Inode = tree.root;
    for (const part of path.split("/")) {
      if (part === "") continue;
      const name = nameFromText(part);
      if (name === undefined) throw E.EINVAL;
      if (name.length > NAME_MAX) throw E.ENAMETOOLONG;
      const found: Inode | undefined = tree.entry(at, name)?.node;
      if (found === undefined) throw E.ENOENT;
      at = found;
    }
    return at;
  }

  /** The directory of a path, and the name in it. */
  function place(path: string): [Inode, string] {
    const cut = path.lastIndexOf("/");
    const name = nameFromText(path.slice(cut + 1));
    if (name === undefined) throw E.EINVAL;
    return [node(path.slice(0, cut)), name];
  }

  function make(path: string, mode: number, target?: Buffer): void {
    const [parent, name] = place(path);
    tree.make(parent, name, { mode, ...owner, ...(target === undefined ? {} : { target }) });
  }

  function sync(): void {
    for (const fd of new Set(store.commitForSync())) fdatasyncSync(fd);
  }

  return {
    getattr: (path: string, done: Done) => answer(done, () => statOf(node(path))),
    readdir: (path: string, done: Done) =>
      answer(done, () => {
        const { directory } = node(path);
        if (directory === undefined) throw E.ENOTDIR;
        return [".", "..", ...[...directory.values()].map(({ name }) => nameToText(name))];
      }),
    readlink: (path: string, done: Done) =>
      answer(done, () => nameToText(node(path).target?.toString("latin1") ?? "")),
    create: (path: string, mode: number, done: Done) =>
      answer(done, () => {
        make(path, S_IFREG | (mode & 0o7777));
        return 0;
      }),
    mknod: (path: string, mode: number, _device: number, done: Done) => answer(done, () => make(path, mode)),
    mkdir: (path: string, mode: number, done: Done) =>
      answer(done, () => make(path, S_IFDIR | (mode & 0o7777))),
    // libfuse names the target first.
    symlink: (target: string, path: string, done: Done) =>
      answer(done, () => make(path, S_IFLNK | 0o777, Buffer.from(target))),
    unlink: (path: string, done: Done) => answer(done, () => void tree.unlink(...place(path))),
    rmdir: (path: string, done: Done) => answer(done, () => void tree.rmdir(...place(path))),
    rename: (from: string, to: string, done: Done) =>
      answer(done, () => tree.rename(...place(from), ...place(to), 0)),
    link: (from: string, to: string, done: Done) => answer(done, () => tree.link(node(from), ...place(to))),
    chmod: (path: string, mode: number, done: Done) =>
      answer(done, () => setAttributes(tree, node(path), { mode })),
    chown: (path: string, uid: number, gid: number, done: Done) =>
      answer(done, () => setAttributes(tree, node(path), { uid: uid >>> 0, gid: gid >>> 0 })),
    utimens: (path: string, atime: number, mtime: number, done: Done) =>
      answer(done, () => {
        const [atimeSec, atimeNsec] = timeOf(atime);
        const [mtimeSec, mtimeNsec] = timeOf(mtime);
        setAttributes(tree, node(path), { atimeSec, atimeNsec, mtimeSec, mtimeNsec });
      }),
    truncate: (path: string, size: number, done: Done) =>
      answer(done, () => setAttributes(tree, node(path), { size })),
    ftruncate: (path: string, _fd: number, size: number, done: Done) =>
      answer(done, () => setAttributes(tree, node(path), { size })),
    open: (path: string, _flags: number, done: Done) => answer(done, () => statOf(node(path)) && 0),
    read: (path: string, _fd: number, into: Buffer, length: number, offset: number, done: Done) =>
      count(done, () => tree.content.read(node(path), offset, length, into, 0)),
    write: (path: string, _fd: number, from: Buffer, length: number, offset: number, done: Done) =>
      count(done, () => {
        writeFile(tree, node(path), offset, from, 0, length);
        return length;
      }),
    fsync: (_path: string, _data: number, _fd: number, done: Done) => answer(done, sync),
    fsyncdir: (_path: string, _data: number, _fd: number, done: Done) => answer(done, sync),
    statfs: (_path: string, done: Done) =>
      answer(done, () => {
        const { bsize, blocks, bfree, bavail, files, ffree } = statfsSync(folder);
        return {
          bsize,
          frsize: bsize,
          blocks,
          bfree,
          bavail,
          files,
          ffree,
          favail: ffree,
          namemax: NAME_MAX,
        };
      }),
    setxattr: (path: string, name: string, value: Buffer, _at: number, flags: number, done: Done) =>
      answer(done, () => setXattr(tree, node(path), name, value, flags)),
    getxattr: (path: string, name: string, _at: number, done: Done) =>
      answer(done, () => getXattr(node(path), name)),
    listxattr: (path: string, done: Done) =>
      answer(done, () => listXattrs(node(path)).toString("latin1").split("\0").filter(Boolean)),
    removexattr: (path: string, name: string, done: Done) =>
      answer(done, () => removeXattr(tree, node(path), name)),
  };
}

function answer(done: Done, work: () => unknown): void {
  let result: unknown;
  try {
    result = work();
  } catch (error) {
    done(-fromNode(error).errno);
    return;
  }
  done(0, result);
}

/** For reading and writing, where the count stands beside the error. */
function count(done: Done, work: () => number): void {
  let bytes: number;
  try {
    bytes = work();
  } catch (error) {
    // libfuse takes the result, negative for an error, from the first argument.
    done(-fromNode(error).errno, 0);
    return;
  }
  done(bytes, bytes);
}

function statOf(node: Inode) {
  return {
    mode: node.mode,
    nlink: node.nlink,
    uid: node.uid,
    gid: node.gid,
    size: node.size,
    ino: node.id,
    blocks: (node.extents?.blocks ?? 0) * 8,
    blksize: 4096,
    atime: node.atimeSec * 1000 + Math.floor(node.atimeNsec / 1e6),
    mtime: node.mtimeSec * 1000 + Math.floor(node.mtimeNsec / 1e6),
    ctime: node.ctimeSec * 1000 + Math.floor(node.ctimeNsec / 1e6),
  };
}

/** Seconds and nanoseconds of milliseconds. */
function timeOf(milliseconds: number): [number, number] {
  const sec = Math.floor(milliseconds / 1000);
  return [sec, Math.round((milliseconds - sec * 1000) * 1e6)];
}
