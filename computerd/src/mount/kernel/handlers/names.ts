import { E } from "../../../tree/errors.ts";
import { type Inode, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } from "../../../tree/inode.ts";
import { NAME_MAX } from "../../../tree/names.ts";
import { type Context, nodeAt } from "../context.ts";
import { PAYLOAD } from "../reply.ts";
import {
  CREATE_IN,
  ENTRY_OUT,
  FOPEN,
  LINK_IN,
  MKDIR_IN,
  MKNOD_IN,
  OPEN_OUT,
  RENAME_IN,
  RENAME2_IN,
} from "../wire.ts";

const S_IFSOCK = 0o140000;
const S_IFIFO = 0o010000;
const S_IFCHR = 0o020000;
const S_IFBLK = 0o060000;
const O_EXCL = 0o200;

export function lookup({ tree, request, reply, stage }: Context, parent: Inode): number {
  const name = request.name(request.body(1));
  if (name.length > NAME_MAX) throw E.ENAMETOOLONG;
  const node = tree.entry(parent, name)?.node;
  const scene = stage.isPlayer(request.pid) ? stage.scene(parent, name) : undefined;
  if (scene !== undefined) {
    // What a player sees is for that player only: the kernel must not keep it.
    if (scene.ghost === undefined || node !== undefined) reply.noEntry(PAYLOAD, false);
    else {
      answer(reply, scene.ghost);
      reply.u64(PAYLOAD + ENTRY_OUT.at.entry_valid, 0);
    }
    return ENTRY_OUT.size;
  }
  if (node === undefined) {
    reply.noEntry(PAYLOAD, !stage.enters(request.pid, name));
    return ENTRY_OUT.size;
  }
  return answer(reply, node);
}

export function mknod(context: Context, parent: Inode): number {
  const { request, tree, reply } = context;
  const body = request.body(MKNOD_IN.size + 1);
  const mode = request.u32(body + MKNOD_IN.at.mode);
  const kind = mode & S_IFMT;
  if (![S_IFREG, S_IFIFO, S_IFSOCK, S_IFCHR, S_IFBLK].includes(kind)) throw E.EINVAL;
  // A device of the tree would be a door to the host's: it can be neither made nor carried.
  if ((kind === S_IFCHR && request.u32(body + MKNOD_IN.at.rdev) !== 0) || kind === S_IFBLK) throw E.EPERM;
  const name = request.name(body + MKNOD_IN.size);
  const rdev = request.u32(body + MKNOD_IN.at.rdev);
  return answer(
    reply,
    tree.make(parent, name, { mode: mode & 0o177777, uid: request.uid, gid: request.gid, rdev }),
  );
}

export function mkdir({ request, tree, reply, stage }: Context, parent: Inode): number {
  const body = request.body(MKDIR_IN.size + 1);
  const mode = S_IFDIR | (request.u32(body + MKDIR_IN.at.mode) & 0o7777);
  const name = request.name(body + MKDIR_IN.size);
  if (stage.isPlayer(request.pid)) return answer(reply, stage.made(parent, name));
  return answer(reply, tree.make(parent, name, { mode, uid: request.uid, gid: request.gid }));
}

export function symlink({ request, tree, reply, stage }: Context, parent: Inode): number {
  const body = request.body(2);
  const name = request.name(body);
  if (stage.isPlayer(request.pid)) return answer(reply, stage.made(parent, name));
  const target = Buffer.from(request.name(body + name.length + 1), "latin1");
  const mode = S_IFLNK | 0o777;
  return answer(reply, tree.make(parent, name, { mode, uid: request.uid, gid: request.gid, target }));
}

export function create({ request, tree, reply, stage }: Context, parent: Inode): number {
  const body = request.body(CREATE_IN.size + 1);
  const name = request.name(body + CREATE_IN.size);
  if (stage.isPlayer(request.pid)) {
    answer(reply, stage.made(parent, name));
    return ENTRY_OUT.size + opened(reply);
  }
  if (tree.entry(parent, name) !== undefined) {
    // It came from outside since the kernel looked. ESTALE makes the kernel look again and open it.
    throw (request.u32(body + CREATE_IN.at.flags) & O_EXCL) !== 0 ? E.EEXIST : E.ESTALE;
  }
  const mode = S_IFREG | (request.u32(body + CREATE_IN.at.mode) & 0o7777);
  answer(reply, tree.make(parent, name, { mode, uid: request.uid, gid: request.gid }));
  return ENTRY_OUT.size + opened(reply);
}

export function tmpfile({ request, tree, reply }: Context, parent: Inode): number {
  const body = request.body(CREATE_IN.size);
  const mode = S_IFREG | (request.u32(body + CREATE_IN.at.mode) & 0o7777);
  answer(reply, tree.makeUnnamed(parent, { mode, uid: request.uid, gid: request.gid }));
  return ENTRY_OUT.size + opened(reply);
}

export function unlink({ request, tree, stage }: Context, parent: Inode): number {
  const name = request.name(request.body(1));
  if (stage.isPlayer(request.pid)) stage.removed(parent, name);
  else tree.unlink(parent, name);
  return 0;
}

export function rmdir({ request, tree, stage }: Context, parent: Inode): number {
  const name = request.name(request.body(1));
  if (stage.isPlayer(request.pid)) stage.removed(parent, name);
  else tree.rmdir(parent, name);
  return 0;
}

export function rename(context: Context, parent: Inode): number {
  return move(context, parent, context.request.body(RENAME_IN.size + 2) + RENAME_IN.size, 0);
}

export function rename2(context: Context, parent: Inode): number {
  const body = context.request.body(RENAME2_IN.size + 2);
  const flags = context.request.u32(body + RENAME2_IN.at.flags);
  return move(context, parent, body + RENAME2_IN.size, flags);
}

export function link(context: Context, parent: Inode): number {
  const { request, tree, reply } = context;
  const body = request.body(LINK_IN.size + 1);
  const node = nodeAt(context, body + LINK_IN.at.oldnodeid);
  tree.link(node, parent, request.name(body + LINK_IN.size));
  return answer(reply, node);
}

function move(context: Context, parent: Inode, names: number, flags: number): number {
  const { request, tree } = context;
  const toParent = nodeAt(context, request.body(RENAME_IN.size) + RENAME_IN.at.newdir);
  const name = request.name(names);
  tree.rename(parent, name, toParent, request.name(names + name.length + 1), flags);
  return 0;
}

/** The entry of a node, which the kernel knows from now on. */
function answer(reply: Context["reply"], node: Inode): number {
  reply.entry(PAYLOAD, node);
  node.lookups++;
  return ENTRY_OUT.size;
}

/** The second half of CREATE's answer: no handle, keep what is cached. */
function opened(reply: Context["reply"]): number {
  const at = PAYLOAD + ENTRY_OUT.size;
  reply.u64(at + OPEN_OUT.at.fh, 0);
  reply.u32(at + OPEN_OUT.at.open_flags, FOPEN.KEEP_CACHE);
  reply.u32(at + OPEN_OUT.at.padding, 0);
  return OPEN_OUT.size;
}
