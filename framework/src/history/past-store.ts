import { Cache } from "../vfs/cache.ts";
import { type Call, fsError } from "../vfs/errors.ts";
import { decodeName } from "../vfs/names.ts";
import type { Node } from "../vfs/node.ts";
import { nameBytes } from "../vfs/paths.ts";
import type { Sql, SqlRow } from "../vfs/sql/types.ts";
import { BYTES_OF_EXTENTS, type ChunkRow, type Entry, Store } from "../vfs/store.ts";

/**
 * The rows of a pinned revision: live ones that have not changed since, and else past ones. Nothing can be
 * changed through it. What it remembers stays right, since the past does not change; that it is still there is for its
 * owner to check.
 */
export class PastStore extends Store {
  readonly at: number;
  readonly #seen = new Cache<number, Node>(2048);
  readonly #names = new Cache<string, number>(4096);

  constructor(sql: Sql, at: number) {
    super(sql);
    this.at = at;
  }

  override mutate<T>(call: Call, _work: () => T): T {
    throw fsError("EROFS", call, "this is how the files were, and cannot be changed");
  }

  override find(id: number): Node | undefined {
    const seen = this.#seen.get(id);
    if (seen !== undefined) return seen;
    const node = this.#pick<Node>(
      this.sql.exec("SELECT * FROM vfs_node WHERE id = ? AND rev <= ?", id, this.at),
      () =>
        this.sql.exec(
          "SELECT * FROM vfs_node_past WHERE id = ? AND until > ? ORDER BY until LIMIT 1",
          id,
          this.at,
        ),
    );
    if (node !== undefined) this.#seen.set(id, node);
    return node;
  }

  override child(parent: number, name: string, call: Call): number | undefined {
    const key = `${parent}/${name}`;
    const seen = this.#names.get(key);
    if (seen !== undefined) return seen;
    const node = this.childOf(parent, nameBytes(name, call));
    if (node !== undefined) this.#names.set(key, node);
    return node;
  }

  /** The node that a directory holds under a name given by its bytes. */
  childOf(parent: number, name: Uint8Array): number | undefined {
    return this.#pick<{ rev: number; node: number }>(
      this.sql.exec(
        "SELECT rev, node FROM vfs_dirent WHERE parent = ? AND name = ? AND rev <= ?",
        parent,
        name,
        this.at,
      ),
      () =>
        this.sql.exec(
          "SELECT rev, node FROM vfs_dirent_past WHERE parent = ? AND name = ? AND until > ? ORDER BY until LIMIT 1",
          parent,
          name,
          this.at,
        ),
    )?.node;
  }

  override entries(parent: number, after: Uint8Array | undefined, limit: number): Entry[] {
    const range = [parent, after ?? NOTHING, this.at] as const;
    const rows = this.sql.exec<{ bytes: Uint8Array; node: number }>(
      `SELECT name AS bytes, node FROM vfs_dirent WHERE parent = ? AND name > ? AND rev <= ?
       UNION ALL
       SELECT name AS bytes, node FROM vfs_dirent_past WHERE parent = ? AND name > ? AND rev <= ? AND until > ?
       ORDER BY bytes LIMIT ?`,
      ...range,
      ...range,
      this.at,
      limit,
    );
    return rows.map(({ bytes, node }) => {
      const { mode, nlink, size, rev, run, since } = this.node(node);
      return { name: decodeName(bytes), bytes, node, mode, nlink, size, rev, run, since };
    });
  }

  override inline(node: number): Uint8Array | undefined {
    return this.#pick<{ rev: number; data: Uint8Array }>(
      this.sql.exec("SELECT rev, data FROM vfs_content WHERE node = ? AND rev <= ?", node, this.at),
      () =>
        this.sql.exec(
          "SELECT rev, data FROM vfs_content_past WHERE node = ? AND until > ? ORDER BY until LIMIT 1",
          node,
          this.at,
        ),
    )?.data;
  }

  override extents(node: number, from: number, count: number): { idx: number; hash: Uint8Array }[] {
    const range = [node, from, this.at] as const;
    return this.sql.exec<{ idx: number; hash: Uint8Array }>(
      `SELECT idx, hash FROM vfs_extent WHERE node = ? AND idx >= ? AND rev <= ?
       UNION ALL
       SELECT idx, hash FROM vfs_extent_past WHERE node = ? AND idx >= ? AND rev <= ? AND until > ?
       ORDER BY idx LIMIT ?`,
      ...range,
      ...range,
      this.at,
      count,
    );
  }

  override eachChunk(
    node: number,
    from: number,
    to: number,
    use: (index: number, bytes: Uint8Array | undefined) => void,
  ): void {
    const range = [node, from, to, this.at] as const;
    this.sql.each<ChunkRow>(
      `SELECT e.idx AS idx, b.data AS data FROM (
         SELECT idx, hash FROM vfs_extent WHERE node = ? AND idx BETWEEN ? AND ? AND rev <= ?
         UNION ALL
         SELECT idx, hash FROM vfs_extent_past WHERE node = ? AND idx BETWEEN ? AND ? AND rev <= ? AND until > ?
       ) e ${BYTES_OF_EXTENTS}`,
      [...range, ...range, this.at],
      ({ idx, data }) => use(idx, data ?? undefined),
    );
  }

  override isEmpty(parent: number): boolean {
    return this.entries(parent, undefined, 1).length === 0;
  }

  override forget(): void {
    super.forget();
    this.#seen.clear();
    this.#names.clear();
  }

  /** The live row, or else the past one if its time includes the revision. */
  #pick<Row extends SqlRow & { rev: number }>(live: Row[], past: () => Row[]): Row | undefined {
    const row = live[0] ?? past()[0];
    return row !== undefined && row.rev <= this.at ? row : undefined;
  }
}

const NOTHING = new Uint8Array();
