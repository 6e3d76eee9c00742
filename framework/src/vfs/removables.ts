import { Buffer } from "node:buffer";
import { INLINE_BYTES } from "./layout.ts";
import { KIND_BITS, KIND_MASK } from "./node.ts";
import type { OpenFiles } from "./open-files.ts";
import { damaged } from "./schema.ts";
import type { Sql } from "./sql/types.ts";
import type { Entry } from "./store.ts";

/** What {@link removable} finds. */
export interface Removables {
  readonly count: number;
  /** The last name among them. */
  readonly last: Uint8Array;
  /** Files that need no look: their numbers, as JSON too, and sizes. */
  readonly plain:
    | {
        readonly nodes: readonly number[];
        readonly sizes: readonly number[];
        readonly list: string;
        /** The latest revision at which a version of one of them began that follows one that was kept; 0 when none was. */
        readonly since: number;
      }
    | undefined;
  readonly others: readonly Omit<Entry, "name">[];
}

type RemovableRow = Omit<Entry, "name"> & { plain: number; count: number; nodes: string; sizes: string };

/**
 * The first entries of a directory that is taken apart: files with one name and little content, which have not
 * changed since a revision, only by number and size; the others in full. Nothing when it is empty.
 */
export function removable(
  sql: Sql,
  parent: number,
  limit: number,
  asOf: number,
  open: OpenFiles,
): Removables | undefined {
  const rows = sql.exec<RemovableRow>(
    `SELECT plain, count(*) AS count, max(bytes) AS bytes, json_group_array(node) AS nodes, json_group_array(size) AS sizes,
       node, mode, nlink, size, rev, run, max(since) AS since
     FROM (SELECT d.name AS bytes, d.node AS node, n.mode AS mode, n.nlink AS nlink, n.size AS size, n.rev AS rev,
             n.run AS run, n.since AS since, coalesce(n.nlink = 1 AND n.mode & ? <> ? AND n.size <= ? AND n.rev <= ?
             AND d.node NOT IN (SELECT value FROM json_each(?)), 0) AS plain
           FROM vfs_dirent d LEFT JOIN vfs_node n ON n.id = d.node WHERE d.parent = ? ORDER BY d.name LIMIT ?)
     GROUP BY CASE WHEN plain THEN 0 ELSE bytes END`,
    KIND_MASK,
    KIND_BITS.directory,
    INLINE_BYTES,
    asOf,
    JSON.stringify(open.nodes),
    parent,
    limit,
  );
  let last: Uint8Array | undefined;
  let count = 0;
  let plain: Removables["plain"];
  const others: RemovableRow[] = [];
  for (const row of rows) {
    if (row.mode === null) throw damaged(`node ${row.node} is named, but missing`);
    count += row.count;
    if (last === undefined || Buffer.compare(row.bytes, last) > 0) last = row.bytes;
    if (row.plain === 0) others.push(row);
    else
      plain = {
        nodes: JSON.parse(row.nodes),
        sizes: JSON.parse(row.sizes),
        list: row.nodes,
        since: row.since,
      };
  }
  return last && { count, last, plain, others };
}
