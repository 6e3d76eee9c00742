import { checkLimits, translate } from "./limits.ts";
import { joining } from "./transaction.ts";
import type { Sql, SqlRow, SqlValue } from "./types.ts";

/** The part of a Durable Object's storage (`ctx.storage`, SQLite-backed) that a workspace needs. */
export interface DurableObjectStorageLike {
  readonly sql: {
    // biome-ignore lint/suspicious/noExplicitAny: the platform's own type is generic in ways that differ between releases
    exec(query: string, ...bindings: any[]): DurableObjectCursorLike;
    readonly databaseSize: number;
  };
  transactionSync<T>(work: () => T): T;
}

interface DurableObjectCursorLike {
  toArray(): DurableObjectRow[];
  [Symbol.iterator](): Iterator<DurableObjectRow>;
  readonly rowsRead: number;
  readonly rowsWritten: number;
}

type DurableObjectRow = Record<string, ArrayBuffer | string | number | null>;

/**
 * The SQLite port over a Durable Object's storage.
 *
 * @example
 * ```ts
 * const sql = durableObjectSql(this.ctx.storage);
 * ```
 */
export function durableObjectSql(storage: DurableObjectStorageLike): Sql {
  const { sql } = storage;
  const usage = { rowsRead: 0, rowsWritten: 0 };
  return {
    exec<Row extends SqlRow>(query: string, ...bindings: SqlValue[]): Row[] {
      checkLimits(query, bindings);
      try {
        const cursor = sql.exec(query, ...bindings);
        const rows = cursor.toArray();
        for (const row of rows) view(row);
        usage.rowsRead += cursor.rowsRead;
        usage.rowsWritten += cursor.rowsWritten;
        return rows as Row[];
      } catch (error) {
        throw translate(error);
      }
    },
    each<Row extends SqlRow>(query: string, bindings: readonly SqlValue[], use: (row: Row) => void): void {
      checkLimits(query, bindings);
      try {
        const cursor = sql.exec(query, ...bindings);
        for (const row of cursor) use(view(row) as Row);
        usage.rowsRead += cursor.rowsRead;
        usage.rowsWritten += cursor.rowsWritten;
      } catch (error) {
        throw translate(error);
      }
    },
    transaction: joining((work) => storage.transactionSync(work)),
    get databaseSize() {
      return sql.databaseSize;
    },
    usage,
  };
}

/** Blobs as the port gives them. */
function view(row: DurableObjectRow): SqlRow {
  for (const column in row) {
    const value = row[column];
    if (value instanceof ArrayBuffer) (row as SqlRow)[column] = new Uint8Array(value);
  }
  return row as SqlRow;
}
