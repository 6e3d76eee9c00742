/** A value as the port takes and gives it. Numbers are exact up to 2^53. */
export type SqlValue = null | number | string | Uint8Array;

/** A result row, by column name. */
export type SqlRow = Record<string, SqlValue>;

/**
 * SQLite, wherever it is: in a Durable Object or in Node. Both refuse what a Durable Object refuses
 * (see `limits.ts`) with `ERR_SQL_LIMIT`, so that what works in one works in the other.
 */
export interface Sql {
  /**
   * Runs one statement and answers all its rows. Statements should be constant strings, since prepared
   * ones are kept by their text; values go through `?`.
   *
   * @example
   * ```ts
   * sql.exec<{ size: number }>("SELECT size FROM vfs_node WHERE id = ?", 7)[0]?.size;
   * ```
   */
  exec<Row extends SqlRow = SqlRow>(query: string, ...bindings: SqlValue[]): Row[];

  /**
   * Runs one query and hands over its rows one by one, so that no more than one is held. `use` must not run
   * statements itself.
   *
   * @example
   * ```ts
   * sql.each<{ data: Uint8Array }>("SELECT data FROM vfs_bytes WHERE id < ?", [7], ({ data }) => hash.update(data));
   * ```
   */
  each<Row extends SqlRow = SqlRow>(
    query: string,
    bindings: readonly SqlValue[],
    use: (row: Row) => void,
  ): void;

  /**
   * Runs synchronous work as one transaction: all of it is kept, or, when it throws, none. Inside
   * another transaction the work joins that one; if it throws there, the outer transaction is rolled
   * back too, even when its own work caught the error (it then fails with that error).
   */
  transaction<T>(work: () => T): T;

  /** Bytes that the database takes up, free pages not counted. */
  readonly databaseSize: number;

  /** Rows read and written so far, as a Durable Object bills them; zero in Node, which does not count. */
  readonly usage: { readonly rowsRead: number; readonly rowsWritten: number };
}
