import { allocate, FALLOC_PUNCH_HOLE, killPrivileges, writeFile } from "../../../tree/attributes.ts";
import { SIZE_MAX } from "../../../tree/content/content.ts";
import { E } from "../../../tree/errors.ts";
import type { Inode } from "../../../tree/inode.ts";
import { type Context, LATER } from "../context.ts";
import { isStranger } from "../groups.ts";
import { PAYLOAD } from "../reply.ts";
import { FALLOCATE_IN, LSEEK_IN, LSEEK_OUT, READ_IN, WRITE, WRITE_IN, WRITE_OUT } from "../wire.ts";

const SEEK_DATA = 3;
const SEEK_HOLE = 4;

export function read({ request, tree, reply }: Context, node: Inode): number {
  const body = request.body(READ_IN.size);
  if (!node.isFile) throw node.isDirectory ? E.EISDIR : E.EINVAL;
  const size = Math.min(request.u32(body + READ_IN.at.size), reply.bytes.length - PAYLOAD);
  return tree.content.read(node, request.u64(body + READ_IN.at.offset), size, reply.bytes, PAYLOAD);
}

export function write({ request, tree, reply }: Context, node: Inode): number {
  const body = request.body(WRITE_IN.size);
  const size = request.u32(body + WRITE_IN.at.size);
  const data = body + WRITE_IN.size;
  if (data + size > request.length) throw E.EINVAL;
  writeFile(tree, node, request.offset(body + WRITE_IN.at.offset), request.bytes, data, size);
  if ((request.u32(body + WRITE_IN.at.write_flags) & WRITE.KILL_SUIDGID) !== 0) {
    killPrivileges(node, isStranger(request, node));
    tree.touchAttributes(node);
  }
  reply.u32(PAYLOAD + WRITE_OUT.at.size, size);
  reply.u32(PAYLOAD + WRITE_OUT.at.padding, 0);
  return WRITE_OUT.size;
}

export function fallocate({ request, tree, outside }: Context, node: Inode): number {
  const body = request.body(FALLOCATE_IN.size);
  const { at } = FALLOCATE_IN;
  const mode = request.u32(body + at.mode);
  const offset = request.offset(body + at.offset);
  const length = request.offset(body + at.length);
  if (offset + length > SIZE_MAX) throw E.EFBIG;
  if ((mode & FALLOC_PUNCH_HOLE) === 0) {
    const { available, blockSize } = outside.space();
    if (length > available * blockSize) throw E.ENOSPC;
  }
  allocate(tree, node, offset, length, mode);
  return 0;
}

/**
 * The next data or hole. The kernel does not write back first, so what it still holds would look like a
 * hole; have it write back, and answer then.
 */
export function lseek({ request, outside }: Context, node: Inode): number {
  request.body(LSEEK_IN.size);
  outside.writeBack(request, node);
  return LATER;
}

/** The answer to {@link lseek}, when the kernel has written back. */
export function sought({ request, tree, reply }: Context, node: Inode): number {
  const body = request.body(LSEEK_IN.size);
  const whence = request.u32(body + LSEEK_IN.at.whence);
  if (whence !== SEEK_DATA && whence !== SEEK_HOLE) throw E.EINVAL;
  const offset = request.i64(body + LSEEK_IN.at.offset);
  const found = offset < 0 ? undefined : tree.content.seek(node, offset, whence === SEEK_DATA);
  if (found === undefined) throw E.ENXIO;
  reply.u64(PAYLOAD + LSEEK_OUT.at.offset, found);
  return LSEEK_OUT.size;
}

export function readlink({ reply }: Context, node: Inode): number {
  if (node.target === undefined) throw E.EINVAL;
  return node.target.copy(reply.bytes, PAYLOAD);
}

export function fsync({ request, outside }: Context): number {
  outside.sync(request);
  return LATER;
}
