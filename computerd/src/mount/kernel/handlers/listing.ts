import { E } from "../../../tree/errors.ts";
import { COOKIE_PARENT, COOKIE_SELF, type Inode, S_IFDIR } from "../../../tree/inode.ts";
import { parentOf } from "../../../tree/tree.ts";
import type { Context } from "../context.ts";
import { PAYLOAD, type Reply } from "../reply.ts";
import { DIRENT, ENTRY_OUT, READ_IN } from "../wire.ts";

export function readdir(context: Context, node: Inode): number {
  return list(context, node, false);
}

/** As {@link readdir}, and the kernel knows each node afterwards as if it had looked it up. */
export function readdirplus(context: Context, node: Inode): number {
  return list(context, node, true);
}

function list({ request, reply }: Context, node: Inode, plus: boolean): number {
  const body = request.body(READ_IN.size);
  const { directory } = node;
  if (directory === undefined) throw E.ENOTDIR;
  const cookie = request.u64(body + READ_IN.at.offset);
  const room = Math.min(request.u32(body + READ_IN.at.size), reply.bytes.length - PAYLOAD);
  const end = PAYLOAD + room;
  let at = PAYLOAD;
  if (cookie < COOKIE_SELF) {
    const next = dot(reply, at, end, ".", COOKIE_SELF, node, plus);
    if (next === 0) return at - PAYLOAD;
    at = next;
  }
  if (cookie < COOKIE_PARENT) {
    const next = dot(reply, at, end, "..", COOKIE_PARENT, parentOf(node), plus);
    if (next === 0) return at - PAYLOAD;
    at = next;
  }
  for (let index = directory.after(Math.max(cookie, COOKIE_PARENT)); ; index++) {
    const entry = directory.at(index);
    if (entry === undefined) break;
    const child = entry.node;
    if (child === undefined) continue;
    const start = plus ? at + ENTRY_OUT.size : at;
    if (start + sizeOf(entry.name) > end) break;
    if (plus) {
      reply.entry(at, child);
      child.lookups++;
    }
    at = putEntry(reply, start, entry.name, entry.cookie, child.id, child.mode);
  }
  return at - PAYLOAD;
}

/** `.` and `..`, of which the kernel wants no node; where to go on, 0 when there is no room. */
function dot(
  reply: Reply,
  at: number,
  end: number,
  name: string,
  cookie: number,
  node: Inode,
  plus: boolean,
): number {
  const start = plus ? at + ENTRY_OUT.size : at;
  if (start + sizeOf(name) > end) return 0;
  if (plus) reply.zero(at, ENTRY_OUT.size);
  return putEntry(reply, start, name, cookie, node.id, S_IFDIR);
}

function sizeOf(name: string): number {
  return (DIRENT.size + name.length + 7) & ~7;
}

function putEntry(
  reply: Reply,
  start: number,
  name: string,
  cookie: number,
  id: number,
  mode: number,
): number {
  const { at } = DIRENT;
  const next = start + sizeOf(name);
  reply.u64(start + at.ino, id);
  reply.u64(start + at.off, cookie);
  reply.u32(start + at.namelen, name.length);
  reply.u32(start + at.type, mode >>> 12);
  // The padding first: it lies within the last eight bytes, and those all belong to the name.
  reply.u64(next - 8, 0);
  reply.bytes.write(name, start + DIRENT.size, "latin1");
  return next;
}
