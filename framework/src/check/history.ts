import { INLINE_BYTES } from "../vfs/layout.ts";
import type { Sql, SqlRow } from "../vfs/sql/types.ts";
import type { Findings } from "./findings.ts";
import { pages, type Steps } from "./pages.ts";

type VersionRow = SqlRow & { rev: number; until: number; live: number | null; sane: number };

/** The tables of old versions: their keys, what a live row is found by, and what a version must hold. */
const TABLES = [
  { name: "node", key: ["id"], live: "l.id = p.id", sane: "p.size >= 0 AND p.nlink >= 0" },
  {
    name: "dirent",
    key: ["parent", "name"],
    live: "l.parent = p.parent AND l.name = p.name",
    sane: "length(p.name) > 0",
  },
  {
    name: "content",
    key: ["node"],
    live: "l.node = p.node",
    sane: `length(p.data) BETWEEN 1 AND ${INLINE_BYTES}`,
  },
  {
    name: "extent",
    key: ["node", "idx"],
    live: "l.node = p.node AND l.idx = p.idx",
    sane: "EXISTS (SELECT 1 FROM vfs_chunk c WHERE c.hash = p.hash)",
  },
] as const;

/** Old versions: that each ends after it began, that those of one thing follow each other, and end before what is live. */
export function* checkHistory(sql: Sql, findings: Findings, revision: number): Steps {
  for (const { name, key, live, sane } of TABLES) {
    const columns = [...key, "until"].map((column) => `p.${column}`).join(", ");
    const all = pages<VersionRow>(
      sql,
      `SELECT ${columns}, p.rev, l.rev AS live, ${sane} AS sane FROM vfs_${name}_past p LEFT JOIN vfs_${name} l ON ${live}
       WHERE (${columns}) > (${[...key, "until"].map(() => "?").join(", ")}) ORDER BY ${columns} LIMIT ?`,
      [...key, "until"].map((column) => (column === "name" ? new Uint8Array() : Number.MIN_SAFE_INTEGER)),
      (row) => [...key, "until"].map((column) => row[column] as number | Uint8Array),
    );
    let before: VersionRow | undefined;
    for (const rows of all) {
      for (const row of rows) {
        const where = `old version of ${name} ${key.map((column) => String(row[column])).join("/")}`;
        const wrong = (what: string) => findings.add("HISTORY", where, what);
        if (row.rev >= row.until) wrong(`ends at revision ${row.until}, but begins at ${row.rev}`);
        if (row.until > revision) wrong(`ends at revision ${row.until}, which was not made yet`);
        if (row.live !== null && row.live < row.until) wrong("reaches into what is there now");
        if (row.sane !== 1) wrong("holds what cannot be");
        const previous = before;
        if (
          previous !== undefined &&
          key.every((column) => same(previous[column], row[column])) &&
          row.rev < previous.until
        )
          wrong("overlaps the version before it");
        before = row;
      }
      findings.checked.versions += rows.length;
      yield;
    }
  }
  const pins = sql.exec<{ name: string; rev: number }>(
    "SELECT name, rev FROM vfs_pin WHERE rev > ? OR rev < 0 LIMIT 100",
    revision,
  );
  for (const { name, rev } of pins)
    findings.add("HISTORY", `pin '${name}'`, `is of revision ${rev}, which was not made yet`);
}

function same(a: unknown, b: unknown): boolean {
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array)) return a === b;
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
