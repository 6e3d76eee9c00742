import { createHash } from "node:crypto";
import type { Chunks } from "../vfs/chunks.ts";
import { CHUNK_BYTES, INLINE_BYTES } from "../vfs/layout.ts";
import { isFile } from "../vfs/node.ts";
import type { Sql } from "../vfs/sql/types.ts";
import type { Findings } from "./findings.ts";
import { pages, type Steps } from "./pages.ts";

/** Chunks whose uses are counted at the same time. */
const WINDOW = 32_768;

/** Chunks that are read and hashed in one go. */
const HASHED = 16;

type ExtentRow = {
  node: number;
  idx: number;
  mode: number | null;
  size: number | null;
  chunk: number | null;
};
type ChunkRow = { hash: Uint8Array; refs: number; size: number; stored: number | null };

/** Small content of no node; places of large content. That a node has its content is checked with the node. */
export function* checkContent(sql: Sql, findings: Findings): Steps {
  const strays = pages<{ node: number }>(
    sql,
    "SELECT node FROM vfs_content c WHERE node > ? AND NOT EXISTS (SELECT 1 FROM vfs_node n WHERE n.id = c.node) ORDER BY node LIMIT ?",
    [Number.MIN_SAFE_INTEGER],
    ({ node }) => [node],
  );
  for (const rows of strays) {
    for (const { node } of rows) findings.add("CONTENT", `node ${node}`, "is missing, but has content");
    yield;
  }
  const extents = pages<ExtentRow>(
    sql,
    `SELECT e.node, e.idx, n.mode, n.size, c.size AS chunk FROM vfs_extent e
     LEFT JOIN vfs_node n ON n.id = e.node LEFT JOIN vfs_chunk c ON c.hash = e.hash
     WHERE (e.node, e.idx) > (?, ?) ORDER BY e.node, e.idx LIMIT ?`,
    [Number.MIN_SAFE_INTEGER, 0],
    ({ node, idx }) => [node, idx],
  );
  for (const rows of extents) {
    for (const row of rows) checkExtent(row, findings);
    yield;
  }
}

function checkExtent({ node, idx, mode, size, chunk }: ExtentRow, findings: Findings): void {
  if (mode === null || size === null) {
    findings.add("EXTENT", `node ${node}`, "is missing, but has large content");
    return;
  }
  const room = size - idx * CHUNK_BYTES;
  if (!isFile(mode) || size <= INLINE_BYTES || idx < 0 || room <= 0)
    findings.add("EXTENT", node, `has content at place ${idx}, where none belongs`);
  else if (chunk !== null && chunk > room)
    findings.add("EXTENT", node, `has ${chunk - room} bytes beyond its end`);
  if (chunk === null) findings.add("CHUNK_MISSING", node, `has lost the chunk at place ${idx}`);
}

/** Chunks: their uses, their bytes. */
export function* checkChunks(sql: Sql, chunks: Chunks, findings: Findings, hashing: boolean): Steps {
  const all = pages<ChunkRow>(
    sql,
    `SELECT c.hash, c.refs, c.size, length(b.data) AS stored FROM vfs_chunk c LEFT JOIN vfs_bytes b ON b.id = c.bytes
     WHERE c.hash > ? ORDER BY c.hash LIMIT ?`,
    [new Uint8Array()],
    ({ hash }) => [hash],
  );
  let whole = true;
  for (let more = true; more; ) {
    const window = new Map<string, { refs: number; uses: number }>();
    let first: Uint8Array | undefined;
    let last: Uint8Array | undefined;
    while (window.size + 2048 <= WINDOW) {
      const { value, done } = all.next();
      if (done) {
        more = false;
        break;
      }
      for (const { hash, refs, size, stored } of value) {
        window.set(hex(hash), { refs, uses: 0 });
        whole = checkLength(hex(hash), size, stored, findings) && whole;
      }
      first ??= value[0]?.hash;
      last = value.at(-1)?.hash;
      yield;
    }
    if (first === undefined || last === undefined) break;
    yield* countUses(sql, window, first, last);
    for (const [hash, { refs, uses }] of window) {
      if (refs !== uses) findings.add("CHUNK_USES", `chunk ${hash}`, `has ${uses} uses, but says ${refs}`);
      else if (uses === 0 && !chunks.isPinned(bytesOf(hash)))
        findings.add("CHUNK_USES", `chunk ${hash}`, "is used by nothing, and not freed");
    }
    findings.checked.chunks += window.size;
  }
  if (hashing) yield* checkHashes(sql, findings);
  // If each chunk has its own bytes, as many rows of bytes as chunks are none too many.
  const [counts] = sql.exec<{ chunks: number; bytes: number }>(
    "SELECT (SELECT count(*) FROM vfs_chunk) AS chunks, (SELECT count(*) FROM vfs_bytes) AS bytes",
  );
  if (whole && counts !== undefined && counts.bytes > counts.chunks)
    findings.add("BYTES", "vfs_bytes", `holds ${counts.bytes - counts.chunks} rows that belong to no chunk`);
}

function checkLength(hash: string, size: number, stored: number | null, findings: Findings): boolean {
  if (stored === null) findings.add("CHUNK_BYTES", `chunk ${hash}`, "has lost its bytes");
  else if (stored !== size || stored === 0 || stored > CHUNK_BYTES)
    findings.add("CHUNK_BYTES", `chunk ${hash}`, `has ${stored} bytes, but says ${size}`);
  return stored !== null;
}

function* countUses(
  sql: Sql,
  window: Map<string, { refs: number; uses: number }>,
  first: Uint8Array,
  last: Uint8Array,
): Steps {
  for (const { table, key } of USES) {
    const columns = key.join(", ");
    const rest = key.map(() => "?").join(", ");
    const uses = pages<{ hash: Uint8Array; [key: string]: number | Uint8Array }>(
      sql,
      `SELECT ${columns}, hash FROM ${table} WHERE (${columns}) > (${rest}) ORDER BY ${columns} LIMIT ?`,
      key.map(() => Number.MIN_SAFE_INTEGER),
      (row) => key.map((column) => row[column] as number),
    );
    for (const rows of uses) {
      for (const { hash } of rows) {
        if (order(hash, first) < 0 || order(hash, last) > 0) continue;
        const found = window.get(hex(hash));
        if (found !== undefined) found.uses += 1;
      }
      yield;
    }
  }
}

const USES = [
  { table: "vfs_extent", key: ["node", "idx"] },
  { table: "vfs_extent_past", key: ["node", "idx", "until"] },
] as const;

function* checkHashes(sql: Sql, findings: Findings): Steps {
  const all = pages<{ hash: Uint8Array; data: Uint8Array }>(
    sql,
    `SELECT c.hash, b.data FROM vfs_chunk c JOIN vfs_bytes b ON b.id = c.bytes WHERE c.hash > ? ORDER BY c.hash LIMIT ?`,
    [new Uint8Array()],
    ({ hash }) => [hash],
    HASHED,
  );
  for (const rows of all) {
    for (const { hash, data } of rows) {
      if (order(createHash("sha256").update(data).digest(), hash) !== 0)
        findings.add("CHUNK_BYTES", `chunk ${hex(hash)}`, "has other bytes than its hash stands for");
    }
    yield;
  }
}

function order(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
