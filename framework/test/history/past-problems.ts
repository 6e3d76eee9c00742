import { CHUNK_BYTES, INLINE_BYTES } from "../../src/vfs/layout.ts";
import { isDirectory, type Node } from "../../src/vfs/node.ts";
import type { Sql } from "../../src/vfs/sql/types.ts";

/**
 * What is wrong with the rows of the past: the invariants of `history/recorder.ts`, as simply as they can be checked.
 * An empty list is a sound past. (Uses of chunks are counted by `problems`.)
 */
export function pastProblems(sql: Sql): string[] {
  return [
    ...orders(sql, "node", ["id"]),
    ...orders(sql, "dirent", ["parent", "name"]),
    ...orders(sql, "content", ["node"]),
    ...orders(sql, "extent", ["node", "idx"]),
    ...homes(sql),
    ...sql.exec<{ rev: number }>("SELECT DISTINCT rev FROM vfs_pin").flatMap(({ rev }) => tornAt(sql, rev)),
  ];
}

/** Versions of a row do not overlap, and end before the live one begins. */
function orders(sql: Sql, table: string, key: readonly string[]): string[] {
  const same = (a: string, b: string) => key.map((column) => `${a}.${column} = ${b}.${column}`).join(" AND ");
  const past = `vfs_${table}_past`;
  const found: string[] = [];
  const say = (what: string, query: string) => {
    for (const row of sql.exec(query)) found.push(`${past}: ${what}: ${JSON.stringify(row)}`);
  };
  say("a row ends before it begins", `SELECT * FROM ${past} WHERE rev >= until`);
  say(
    "two rows overlap",
    `SELECT a.* FROM ${past} a JOIN ${past} b ON ${same("a", "b")} AND b.until > a.until AND b.rev < a.until`,
  );
  say(
    "the live row began before a past one ended",
    `SELECT p.* FROM ${past} p JOIN vfs_${table} l ON ${same("p", "l")} AND l.rev < p.until`,
  );
  return found;
}

/** The home of a directory is its name. */
function homes(sql: Sql): string[] {
  return sql
    .exec<{ id: number }>(
      `SELECT n.id FROM vfs_node n JOIN vfs_dirent d ON d.node = n.id
       WHERE d.parent <> 0 AND (n.mode & ?) = ? AND (d.parent <> n.parent OR d.name <> n.name)`,
      0o170000,
      0o040000,
    )
    .map(({ id }) => `directory ${id} is not at home where its name is`);
}

/** What a pinned revision lacks. */
function tornAt(sql: Sql, at: number): string[] {
  const found: string[] = [];
  const rows = <Row>(table: string): Row[] =>
    [
      ...sql.exec(`SELECT * FROM vfs_${table} WHERE rev <= ?`, at),
      ...sql.exec(`SELECT * FROM vfs_${table}_past WHERE rev <= ? AND until > ?`, at, at),
    ] as Row[];
  const nodes = new Map(rows<Node>("node").map((node) => [node.id, node]));
  const contents = new Map(
    rows<{ node: number; data: Uint8Array }>("content").map(({ node, data }) => [node, data.length]),
  );
  const entries = Map.groupBy(rows<{ parent: number; node: number }>("dirent"), ({ parent }) => parent);
  const extents = Map.groupBy(rows<{ node: number; idx: number }>("extent"), ({ node }) => node);
  const links = new Map<number, number>();
  const walk = [1];
  for (let id = walk.pop(); id !== undefined; id = walk.pop()) {
    for (const { node: child } of entries.get(id) ?? []) {
      const node = nodes.get(child);
      links.set(child, (links.get(child) ?? 0) + 1);
      if (node === undefined) found.push(`at ${at}: an entry of ${id} leads to ${child}, which is missing`);
      else if (isDirectory(node.mode)) walk.push(child);
      else if (links.get(child) === 1) {
        const { size } = node;
        const inline = contents.get(child) ?? 0;
        if (size <= INLINE_BYTES && inline !== size)
          found.push(`at ${at}: node ${child} has ${inline} bytes, but says ${size}`);
        const beyond = (extents.get(child) ?? []).filter(({ idx }) => idx * CHUNK_BYTES >= size);
        if (size > INLINE_BYTES && beyond.length > 0)
          found.push(`at ${at}: node ${child} has extents beyond its end`);
      }
    }
  }
  return found;
}
