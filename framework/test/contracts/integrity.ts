import { createHash } from "node:crypto";
import { CHUNK_BYTES, INLINE_BYTES, REMOVED, ROOT } from "../../src/vfs/layout.ts";
import { isDirectory, type Node } from "../../src/vfs/node.ts";
import type { Sql } from "../../src/vfs/sql/types.ts";

/**
 * What is wrong with a tree's rows when nothing is going on: every count, every size, every hash, nothing
 * that leads nowhere, nothing that nothing leads to. An empty list is a sound tree.
 */
export function problems(sql: Sql): string[] {
  const found: string[] = [];
  const nodes = new Map(sql.exec<Node>("SELECT * FROM vfs_node").map((node) => [node.id, node]));
  const links = new Map<number, number>([[ROOT, 0]]);
  for (const { parent, node } of sql.exec<{ parent: number; node: number }>(
    "SELECT parent, node FROM vfs_dirent",
  )) {
    const child = nodes.get(node);
    const holder = nodes.get(parent);
    if (parent === REMOVED) found.push(`node ${node} was removed, but is still there`);
    else if (holder === undefined || !isDirectory(holder.mode))
      found.push(`an entry lies in ${parent}, no directory`);
    if (child === undefined) found.push(`an entry names node ${node}, which is missing`);
    links.set(node, (links.get(node) ?? 0) + 1);
    if (child && isDirectory(child.mode)) links.set(parent, (links.get(parent) ?? 0) + 1);
  }
  for (const { id, mode, nlink } of nodes.values()) {
    const counted = (links.get(id) ?? 0) + (isDirectory(mode) ? (id === ROOT ? 2 : 1) : 0);
    if (nlink !== counted) found.push(`node ${id} has ${counted} links, but says ${nlink}`);
    if (!links.has(id)) found.push(`nothing leads to node ${id}`);
  }
  return [...found, ...contentProblems(sql, nodes)];
}

function contentProblems(sql: Sql, nodes: Map<number, Node>): string[] {
  const found: string[] = [];
  const inline = new Set<number>();
  for (const { node, size } of sql.exec<{ node: number; size: number }>(
    "SELECT node, length(data) AS size FROM vfs_content",
  )) {
    inline.add(node);
    const expected = nodes.get(node)?.size;
    if (size !== expected) found.push(`node ${node} has ${size} bytes, but says ${expected}`);
    if (size === 0 || size > INLINE_BYTES) found.push(`node ${node} has ${size} bytes in one row`);
  }
  for (const { id, size } of nodes.values()) {
    if (size > 0 && size <= INLINE_BYTES && !inline.has(id)) found.push(`node ${id} has lost its content`);
  }
  const uses = new Map<string, number>();
  for (const { node, idx, hash } of sql.exec<{ node: number; idx: number; hash: Uint8Array }>(
    "SELECT node, idx, hash FROM vfs_extent",
  )) {
    const size = nodes.get(node)?.size ?? 0;
    if (size <= INLINE_BYTES || idx * CHUNK_BYTES >= size)
      found.push(`node ${node} has an extent too many, ${idx}`);
    const key = hex(hash);
    uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  for (const { hash } of sql.exec<{ hash: Uint8Array }>("SELECT hash FROM vfs_extent_past")) {
    uses.set(hex(hash), (uses.get(hex(hash)) ?? 0) + 1);
  }
  const bytes = new Set(sql.exec<{ id: number }>("SELECT id FROM vfs_bytes").map(({ id }) => id));
  for (const chunk of sql.exec<{ hash: Uint8Array; refs: number; size: number; bytes: number }>(
    "SELECT * FROM vfs_chunk",
  )) {
    const key = hex(chunk.hash);
    const counted = uses.get(key) ?? 0;
    uses.delete(key);
    if (chunk.refs !== counted) found.push(`chunk ${key} has ${counted} uses, but says ${chunk.refs}`);
    if (counted === 0) found.push(`chunk ${key} is used by nothing`);
    bytes.delete(chunk.bytes);
    const [row] = sql.exec<{ data: Uint8Array }>("SELECT data FROM vfs_bytes WHERE id = ?", chunk.bytes);
    const data = row?.data ?? new Uint8Array();
    if (data.length !== chunk.size || data.length > CHUNK_BYTES)
      found.push(`chunk ${key} has the wrong length`);
    if (createHash("sha256").update(data).digest("hex") !== key) found.push(`chunk ${key} has other bytes`);
  }
  for (const key of uses.keys()) found.push(`chunk ${key} is used, but missing`);
  for (const id of bytes) found.push(`the bytes ${id} belong to no chunk`);
  return found;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
