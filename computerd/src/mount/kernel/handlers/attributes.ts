import { type NewAttributes, setAttributes } from "../../../tree/attributes.ts";
import { E } from "../../../tree/errors.ts";
import type { Inode } from "../../../tree/inode.ts";
import { getXattr, listXattrs, removeXattr, setXattr } from "../../../tree/xattrs.ts";
import type { Context } from "../context.ts";
import { isStranger } from "../groups.ts";
import { PAYLOAD } from "../reply.ts";
import {
  ATTR_OUT,
  FATTR,
  GETXATTR_IN,
  GETXATTR_OUT,
  KSTATFS,
  SETATTR_IN,
  SETXATTR_IN,
  SETXATTR_IN_SHORT,
  STATFS_OUT,
} from "../wire.ts";

export function getattr({ reply }: Context, node: Inode): number {
  reply.attrOut(PAYLOAD, node);
  return ATTR_OUT.size;
}

export function setattr({ request, tree, reply, stage }: Context, node: Inode): number {
  const body = request.body(SETATTR_IN.size);
  const { at } = SETATTR_IN;
  const valid = request.u32(body + at.valid);
  if (!stage.isPlayer(request.pid)) {
    const wanted: NewAttributes = {};
    if ((valid & FATTR.MODE) !== 0) wanted.mode = request.u32(body + at.mode);
    if ((valid & FATTR.UID) !== 0) wanted.uid = request.u32(body + at.uid);
    if ((valid & FATTR.GID) !== 0) wanted.gid = request.u32(body + at.gid);
    if ((valid & FATTR.SIZE) !== 0) wanted.size = request.offset(body + at.size);
    if ((valid & FATTR.KILL_SUIDGID) !== 0) wanted.kill = true;
    const now = tree.clock;
    if ((valid & (FATTR.ATIME_NOW | FATTR.MTIME_NOW)) !== 0) now.tick();
    if ((valid & FATTR.ATIME) !== 0) {
      const isNow = (valid & FATTR.ATIME_NOW) !== 0;
      wanted.atimeSec = isNow ? now.sec : request.i64(body + at.atime);
      wanted.atimeNsec = isNow ? now.nsec : nanoseconds(request.u32(body + at.atimensec));
    }
    if ((valid & FATTR.MTIME) !== 0) {
      const isNow = (valid & FATTR.MTIME_NOW) !== 0;
      wanted.mtimeSec = isNow ? now.sec : request.i64(body + at.mtime);
      wanted.mtimeNsec = isNow ? now.nsec : nanoseconds(request.u32(body + at.mtimensec));
    }
    if ((valid & FATTR.CTIME) !== 0) {
      wanted.ctimeSec = request.i64(body + at.ctime);
      wanted.ctimeNsec = nanoseconds(request.u32(body + at.ctimensec));
    }
    if ((valid & (FATTR.UID | FATTR.GID | FATTR.KILL_SUIDGID)) !== 0)
      wanted.stranger = isStranger(request, node);
    setAttributes(tree, node, wanted);
  }
  reply.attrOut(PAYLOAD, node);
  return ATTR_OUT.size;
}

export function setxattr({ request, tree }: Context, node: Inode): number {
  const body = request.body(SETXATTR_IN_SHORT + 1);
  const name = request.name(body + SETXATTR_IN_SHORT);
  const at = body + SETXATTR_IN_SHORT + name.length + 1;
  const size = request.u32(body + SETXATTR_IN.at.size);
  if (at + size > request.length) throw E.EINVAL;
  setXattr(tree, node, name, request.bytes.subarray(at, at + size), request.u32(body + SETXATTR_IN.at.flags));
  return 0;
}

export function getxattr({ request, reply }: Context, node: Inode): number {
  const body = request.body(GETXATTR_IN.size + 1);
  const value = getXattr(node, request.name(body + GETXATTR_IN.size));
  if (value === undefined) throw E.ENODATA;
  return sized(reply, value, request.u32(body + GETXATTR_IN.at.size));
}

export function listxattr({ request, reply }: Context, node: Inode): number {
  const body = request.body(GETXATTR_IN.size);
  return sized(reply, listXattrs(node), request.u32(body + GETXATTR_IN.at.size));
}

export function removexattr({ request, tree }: Context, node: Inode): number {
  removeXattr(tree, node, request.name(request.body(1)));
  return 0;
}

export function statfs({ reply, outside, tree }: Context): number {
  const { at } = KSTATFS;
  const space = outside.space();
  reply.zero(PAYLOAD, STATFS_OUT.size);
  reply.u64(PAYLOAD + at.blocks, space.blocks);
  reply.u64(PAYLOAD + at.bfree, space.free);
  reply.u64(PAYLOAD + at.bavail, space.available);
  reply.u64(PAYLOAD + at.files, space.filesFree + tree.table.count);
  reply.u64(PAYLOAD + at.ffree, space.filesFree);
  reply.u32(PAYLOAD + at.bsize, space.blockSize);
  reply.u32(PAYLOAD + at.namelen, 255);
  reply.u32(PAYLOAD + at.frsize, space.blockSize);
  return STATFS_OUT.size;
}

/** A value, or only its size when no room was offered. */
function sized(reply: Context["reply"], value: Buffer, room: number): number {
  if (room === 0) {
    reply.u32(PAYLOAD, value.length);
    reply.u32(PAYLOAD + GETXATTR_OUT.at.padding, 0);
    return GETXATTR_OUT.size;
  }
  if (value.length > room) throw E.ERANGE;
  value.copy(reply.bytes, PAYLOAD);
  return value.length;
}

function nanoseconds(value: number): number {
  if (value > 999_999_999) throw E.EINVAL;
  return value;
}
