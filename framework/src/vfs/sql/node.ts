import { rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { ComputerError } from "../../errors.ts";
import { checkLimits, SQL_LIMITS, translate } from "./limits.ts";
import { joining } from "./transaction.ts";
import type { Sql, SqlRow, SqlValue } from "./types.ts";

/** The SQLite port over `node:sqlite`, which must be closed. */
export interface NodeSql extends Sql {
  /**
   * Switches a file to write-ahead logging, fully synchronised: what was committed survives the death of
   * the process and of the machine's power. Called once the file is known to be ours.
   */
  prepareFile(): void;
  close(): void;
  /** Closes and removes the file. */
  erase(): void;
}

/** How many prepared statements are kept. */
const STATEMENTS = 256;

/**
 * Opens a database file, or one in memory without a file. The file is locked until it is closed or the
 * process ends, however it ends.
 *
 * @throws `ERR_WORKSPACE_LOCKED` when it is open elsewhere, in this process or another.
 */
export function openNodeSql(file?: string): NodeSql {
  const database = openDatabase(file);
  const statements = new Map<string, StatementSync>();
  let prepared = false;

  const prepare = (query: string): StatementSync => {
    let statement = statements.get(query);
    if (statement !== undefined) return statement;
    statement = database.prepare(query);
    if (statement.sourceSQL.trimEnd().length < query.trimEnd().length) {
      throw new ComputerError("ERR_UNSUPPORTED", "Only one SQL statement at a time.");
    }
    if (statements.size >= STATEMENTS)
      for (const oldest of statements.keys()) {
        statements.delete(oldest);
        break;
      }
    statements.set(query, statement);
    return statement;
  };

  const sql: NodeSql = {
    exec<Row extends SqlRow>(query: string, ...bindings: SqlValue[]): Row[] {
      checkLimits(query, bindings);
      try {
        return prepare(query).all(...bindings) as Row[];
      } catch (error) {
        throw translate(error);
      }
    },
    each<Row extends SqlRow>(query: string, bindings: readonly SqlValue[], use: (row: Row) => void): void {
      checkLimits(query, bindings);
      try {
        for (const row of prepare(query).iterate(...bindings)) use(row as Row);
      } catch (error) {
        throw translate(error);
      }
    },
    transaction: joining((work) => {
      try {
        prepare("BEGIN IMMEDIATE").run();
      } catch (error) {
        throw translate(error);
      }
      try {
        const result = work();
        prepare("COMMIT").run();
        return result;
      } catch (error) {
        // A failed statement may have ended the transaction already.
        if (database.isTransaction) prepare("ROLLBACK").run();
        throw translate(error);
      }
    }),
    get databaseSize() {
      const [size] = sql.exec<{ bytes: number }>(
        `SELECT (page_count - freelist_count) * page_size AS bytes
         FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
      );
      return size?.bytes ?? 0;
    },
    usage: { rowsRead: 0, rowsWritten: 0 },
    prepareFile() {
      try {
        database.exec(
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 8388608",
        );
        prepared = true;
      } catch (error) {
        throw translate(error);
      }
    },
    close() {
      statements.clear();
      try {
        // What was deleted is given back to the disk; a bounded part at a time.
        if (prepared) database.exec("PRAGMA incremental_vacuum(65536)");
      } finally {
        database.close();
      }
    },
    erase() {
      statements.clear();
      database.close();
      if (file !== undefined)
        for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(file + end, { force: true });
    },
  };
  return sql;
}

function openDatabase(file: string | undefined): DatabaseSync {
  let database: DatabaseSync | undefined;
  const fresh = file !== undefined && !statSync(file, { throwIfNoEntry: false })?.size;
  try {
    database = new DatabaseSync(file === undefined ? ":memory:" : resolve(file), {
      enableForeignKeyConstraints: false,
      timeout: 0,
      limits: {
        length: SQL_LIMITS.bytes,
        sqlLength: SQL_LIMITS.statement,
        variableNumber: SQL_LIMITS.parameters,
        likePatternLength: SQL_LIMITS.pattern,
        column: SQL_LIMITS.columns,
        functionArg: SQL_LIMITS.functionArguments,
        exprDepth: SQL_LIMITS.expressionDepth,
        compoundSelect: SQL_LIMITS.compoundSelect,
      },
    });
    // The first transaction takes the lock, and exclusive mode keeps it for as long as the file is open.
    // SQLite locks by the operating system's means, so the lock dies with the process.
    if (file !== undefined) {
      // How a file gives back pages is settled before its first transaction.
      if (fresh) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
      database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
    }
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    if (((error as { errcode?: number }).errcode ?? 0) === CANTOPEN) {
      throw new ComputerError(
        "ERR_BAD_ARGUMENT",
        `Cannot open ${file}: its folder must exist and be writable.`,
        {
          cause: error,
        },
      );
    }
    throw translate(error);
  }
}

const CANTOPEN = 14;
