import type { Sql, SqlRow, SqlValue } from "../vfs/sql/types.ts";

/** Rows that are looked at in one go. */
export const PAGE_ROWS = 2048;

/** Work that can be broken off for others after each of its steps. */
export type Steps = Generator<void, void, void>;

/**
 * The rows of a query, a page at a time.
 *
 * @param query ends in `LIMIT ?` and begins behind a key that it takes as its first parameters.
 * @param start a key before all others.
 * @param key the key of a row.
 */
export function* pages<Row extends SqlRow>(
  sql: Sql,
  query: string,
  start: readonly SqlValue[],
  key: (row: Row) => readonly SqlValue[],
  size = PAGE_ROWS,
): Generator<Row[], void, void> {
  for (let after = start; ; ) {
    const rows = sql.exec<Row>(query, ...after, size);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    after = key(last);
  }
}
