import { ComputerError } from "../errors.ts";
import type { Sql } from "./sql/types.ts";

/**
 * The schema, as numbered steps from an empty database: step n leads to version n + 1. A step that was
 * released is never changed; a change of the schema is a new step.
 *
 * Tables carry a prefix, since a Durable Object's database may hold tables of others. `rev` on a live row
 * is the revision that wrote it.
 */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    // Facts about this store: see store.ts for the keys.
    `CREATE TABLE vfs_meta (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID`,
    // Files, directories, symbolic links. `mode` holds the kind too, as in POSIX. Times are UTC, in
    // seconds and nanoseconds: one number of nanoseconds would be beyond what JavaScript holds exactly.
    `CREATE TABLE vfs_node (
      id INTEGER PRIMARY KEY, mode INTEGER NOT NULL, uid INTEGER NOT NULL, gid INTEGER NOT NULL,
      nlink INTEGER NOT NULL, size INTEGER NOT NULL,
      atime_s INTEGER NOT NULL, atime_ns INTEGER NOT NULL, mtime_s INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
      ctime_s INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, btime_s INTEGER NOT NULL, btime_ns INTEGER NOT NULL,
      rev INTEGER NOT NULL) STRICT`,
    // Names are bytes, not text.
    `CREATE TABLE vfs_dirent (
      parent INTEGER NOT NULL, name BLOB NOT NULL, node INTEGER NOT NULL, rev INTEGER NOT NULL,
      PRIMARY KEY (parent, name)) STRICT, WITHOUT ROWID`,
    // Small content of files, and the targets of symbolic links. No row: no bytes.
    `CREATE TABLE vfs_content (node INTEGER PRIMARY KEY, data BLOB NOT NULL, rev INTEGER NOT NULL) STRICT`,
    // Large content: which chunk lies at which place. No row: a hole, read as zeros.
    `CREATE TABLE vfs_extent (
      node INTEGER NOT NULL, idx INTEGER NOT NULL, hash BLOB NOT NULL, rev INTEGER NOT NULL,
      PRIMARY KEY (node, idx)) STRICT, WITHOUT ROWID`,
    // Chunks by SHA-256. Their bytes lie apart, so that counting does not rewrite them.
    `CREATE TABLE vfs_chunk (
      hash BLOB PRIMARY KEY, refs INTEGER NOT NULL, size INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
    `CREATE TABLE vfs_bytes (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT`,
    // Chunks without a use: staged or pinned while the object lives, left over after a crash.
    `CREATE INDEX vfs_chunk_unused ON vfs_chunk (hash) WHERE refs = 0`,
    // The root. Its times are set by the store.
    `INSERT INTO vfs_node VALUES (1, 16877, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
  ],
  [
    // Who wrote a row: a run by its number, 0 for the host. It travels in the row, so it costs no write.
    `ALTER TABLE vfs_node ADD COLUMN run INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE vfs_dirent ADD COLUMN run INTEGER NOT NULL DEFAULT 0`,
    // The revision at which a version of a node began: where the last one that was kept ends.
    `ALTER TABLE vfs_node ADD COLUMN since INTEGER NOT NULL DEFAULT 0`,
    // A node's home: the entry that was made for it last. It leads from a node to its path without an index
    // that every create would have to write. Of a node with one name it is that name.
    `ALTER TABLE vfs_node ADD COLUMN parent INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE vfs_node ADD COLUMN name BLOB NOT NULL DEFAULT x''`,
    `UPDATE vfs_node SET parent = d.parent, name = d.name FROM vfs_dirent d WHERE d.node = vfs_node.id AND d.parent <> 0`,
    // Rows as they were, each valid from its \`rev\` until just before \`until\`; see history/recorder.ts.
    `CREATE TABLE vfs_node_past (
      id INTEGER NOT NULL, until INTEGER NOT NULL, mode INTEGER NOT NULL, uid INTEGER NOT NULL, gid INTEGER NOT NULL,
      nlink INTEGER NOT NULL, size INTEGER NOT NULL,
      atime_s INTEGER NOT NULL, atime_ns INTEGER NOT NULL, mtime_s INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
      ctime_s INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, btime_s INTEGER NOT NULL, btime_ns INTEGER NOT NULL,
      rev INTEGER NOT NULL, run INTEGER NOT NULL, since INTEGER NOT NULL, parent INTEGER NOT NULL, name BLOB NOT NULL,
      PRIMARY KEY (id, until)) STRICT, WITHOUT ROWID`,
    // What changed between two revisions. All that changes changes a node too, so this index is enough.
    `CREATE INDEX vfs_node_past_until ON vfs_node_past (until, id)`,
    // \`by\` is who took the entry away.
    `CREATE TABLE vfs_dirent_past (
      parent INTEGER NOT NULL, name BLOB NOT NULL, until INTEGER NOT NULL, node INTEGER NOT NULL,
      rev INTEGER NOT NULL, run INTEGER NOT NULL, by INTEGER NOT NULL,
      PRIMARY KEY (parent, name, until)) STRICT, WITHOUT ROWID`,
    `CREATE TABLE vfs_content_past (
      node INTEGER NOT NULL, until INTEGER NOT NULL, rev INTEGER NOT NULL, data BLOB NOT NULL,
      PRIMARY KEY (node, until)) STRICT, WITHOUT ROWID`,
    // A use of a chunk counts here as in vfs_extent.
    `CREATE TABLE vfs_extent_past (
      node INTEGER NOT NULL, idx INTEGER NOT NULL, until INTEGER NOT NULL, hash BLOB NOT NULL,
      rev INTEGER NOT NULL, PRIMARY KEY (node, idx, until)) STRICT, WITHOUT ROWID`,
    // Revisions that can be read back: named snapshots, and where runs begin and end.
    `CREATE TABLE vfs_pin (
      rev INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, note TEXT, time_ms INTEGER NOT NULL,
      PRIMARY KEY (rev, kind, name)) STRICT, WITHOUT ROWID`,
    `CREATE UNIQUE INDEX vfs_pin_name ON vfs_pin (name) WHERE kind = 'snapshot'`,
    // Runs that changed something. A run's number is the first revision it made, so it is never used again.
    `CREATE TABLE vfs_run (
      id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, begin_ms INTEGER NOT NULL, end INTEGER, end_ms INTEGER) STRICT`,
    // What is to be done later; see alarms/queue.ts.
    `CREATE TABLE vfs_alarm (
      kind TEXT NOT NULL, key TEXT NOT NULL, due_ms INTEGER NOT NULL, attempts INTEGER NOT NULL, payload TEXT NOT NULL,
      PRIMARY KEY (kind, key)) STRICT, WITHOUT ROWID`,
  ],
];

const TABLES = ["node", "dirent", "content", "extent", "chunk", "bytes"];
const HISTORY_TABLES = ["node_past", "dirent_past", "content_past", "extent_past", "pin", "run", "alarm"];

/** The schema's version that this code reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * The version of the schema in a database, 0 when it holds no workspace yet. Changes nothing.
 *
 * @throws `ERR_WORKSPACE_NEWER` when newer code wrote it, `ERR_WORKSPACE_DAMAGED` when it is not what it should be.
 */
export function inspectSchema(sql: Sql): number {
  const tables = sql
    .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'vfs_*'")
    .map((row) => row.name);
  if (tables.length === 0) return 0;
  if (!tables.includes("vfs_meta")) throw damaged("the table vfs_meta is missing");
  const [row] = sql.exec("SELECT value FROM vfs_meta WHERE key = 'version'");
  const version = row?.value;
  if (typeof version !== "number" || version < 1) throw damaged("it does not say which version it is");
  if (version > SCHEMA_VERSION) {
    throw new ComputerError(
      "ERR_WORKSPACE_NEWER",
      `The workspace was written by a newer release (schema ${version}, this code knows ${SCHEMA_VERSION}): update @computer/framework. Nothing was changed.`,
    );
  }
  for (const table of [...TABLES, ...(version < 2 ? [] : HISTORY_TABLES)]) {
    if (!tables.includes(`vfs_${table}`)) throw damaged(`the table vfs_${table} is missing`);
  }
  const [root] = sql.exec("SELECT mode FROM vfs_node WHERE id = 1");
  if (root === undefined) throw damaged("the root directory is missing");
  for (const key of ["epoch", "id", "revision"]) {
    const [row] = sql.exec("SELECT value FROM vfs_meta WHERE key = ?", key);
    if (typeof row?.value !== "number") throw damaged(`the count '${key}' is missing`);
  }
  return version;
}

/** Brings a database from a version of the schema to this code's, in one transaction. */
export function migrate(sql: Sql, from: number): void {
  if (from === SCHEMA_VERSION) return;
  sql.transaction(() => {
    for (const statements of MIGRATIONS.slice(from)) for (const statement of statements) sql.exec(statement);
    sql.exec("INSERT OR REPLACE INTO vfs_meta (key, value) VALUES ('version', ?)", SCHEMA_VERSION);
  });
}

/** Removes the workspace from a database; what else is there stays. */
export function dropTables(sql: Sql): void {
  sql.transaction(() => {
    const tables = sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'vfs_*'",
    );
    for (const { name } of tables) sql.exec(`DROP TABLE "${name}"`);
  });
}

/** The error for a database that contradicts itself. */
export function damaged(what: string): ComputerError {
  return new ComputerError(
    "ERR_WORKSPACE_DAMAGED",
    `The workspace's database is damaged: ${what}. Restore it from a copy.`,
  );
}
