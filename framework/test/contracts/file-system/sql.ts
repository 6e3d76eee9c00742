import assert from "node:assert/strict";
import type { Sql, SqlValue } from "../../../src/vfs/sql/types.ts";
import type { Case } from "../../workerd/cases.ts";
import type { TreeContext } from "./context.ts";

/** The SQLite port: the same values, limits and transactions on both sides. */
export const sqlCases: readonly Case<TreeContext>[] = [
  on("values come back as they were bound", (sql) => {
    const values: SqlValue[] = [
      null,
      0,
      -1.5,
      2 ** 53 - 1,
      "",
      "text \u{1f600} with \0",
      new Uint8Array(),
      new Uint8Array([0, 255]),
    ];
    for (const value of values) {
      sql.exec("INSERT INTO t (a) VALUES (?)", value);
      const [row] = sql.exec("SELECT a FROM t");
      assert.deepEqual(row?.a, value);
      assert.equal(row?.a instanceof Uint8Array, value instanceof Uint8Array);
      sql.exec("DELETE FROM t");
    }
    const part = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
    assert.deepEqual(
      sql.exec("INSERT INTO t (a) VALUES (?) RETURNING a", part)[0]?.a,
      new Uint8Array([2, 3]),
    );
    assert.deepEqual(
      sql.exec("SELECT value FROM json_each(?) ORDER BY value DESC", "[1, 2, 3]").map((row) => row.value),
      [3, 2, 1],
    );
  }),

  on("100 parameters, not 101", (sql) => {
    const list = (count: number) =>
      sql.exec(
        `SELECT count(*) AS n FROM t WHERE a IN (${Array(count).fill("?").join(", ")})`,
        ...Array(count).fill(1),
      );
    assert.equal(list(100)[0]?.n, 0);
    refused(() => list(101));
  }),

  on("2,000,000 bytes in a value or a row, not one more", (sql) => {
    const limit = 2_000_000;
    for (const [count, values] of [
      [1, [new Uint8Array(limit - 100)]],
      [1, ["x".repeat(limit - 100)]],
      [2, [new Uint8Array(limit / 2 - 100), "x".repeat(limit / 2 - 100)]],
    ] as [number, SqlValue[]][]) {
      sql.exec(`INSERT INTO t (a, b) VALUES (?, ${count === 2 ? "?" : "NULL"})`, ...values);
    }
    refused(() => sql.exec("INSERT INTO t (a) VALUES (?)", new Uint8Array(limit + 1)));
    refused(() => sql.exec("INSERT INTO t (a) VALUES (?)", "x".repeat(limit + 1)));
    refused(() => sql.exec("INSERT INTO t (a) VALUES (?)", "\u00e9".repeat(limit / 2 + 1)));
    refused(() =>
      sql.exec("INSERT INTO t (a, b) VALUES (?, ?)", new Uint8Array(limit / 2), "x".repeat(limit / 2 + 1)),
    );
    assert.equal(sql.exec("SELECT count(*) AS n FROM t")[0]?.n, 3);
  }),

  on("100,000 bytes of statement, not one more", (sql) => {
    const statement = (bytes: number) => "SELECT 1 AS one -- ".padEnd(bytes, "x");
    assert.equal(sql.exec(statement(100_000))[0]?.one, 1);
    refused(() => sql.exec(statement(100_001)));
    refused(() => sql.exec(`SELECT 1 AS one -- ${"\u00e9".repeat(50_000)}`));
  }),

  on("50 bytes of a LIKE or GLOB pattern, not 51", (sql) => {
    for (const operator of ["LIKE", "GLOB"]) {
      assert.equal(sql.exec(`SELECT 'x' ${operator} ? AS y`, "x".repeat(50))[0]?.y, 0);
      refused(() => sql.exec(`SELECT 'x' ${operator} ? AS y`, "x".repeat(51)));
    }
  }),

  on("a transaction is kept whole, or not at all", (sql) => {
    assert.equal(
      sql.transaction(() => {
        sql.exec("INSERT INTO t (a) VALUES (1)");
        return "result";
      }),
      "result",
    );
    assert.throws(
      () =>
        sql.transaction(() => {
          sql.exec("INSERT INTO t (a) VALUES (2)");
          throw new Error("no");
        }),
      /^Error: no$/,
    );
    assert.throws(() => sql.transaction(() => sql.exec("INSERT INTO nothing VALUES (1)")));
    assert.throws(() => sql.transaction(async () => sql.exec("INSERT INTO t (a) VALUES (3)")), TypeError);
    assert.deepEqual(sql.exec("SELECT a FROM t"), sql.exec("SELECT 1 AS a"));
  }),

  on("an inner transaction joins the outer, for better or worse", (sql) => {
    sql.transaction(() => sql.transaction(() => sql.exec("INSERT INTO t (a) VALUES (1)")));
    assert.throws(
      () =>
        sql.transaction(() => {
          sql.exec("INSERT INTO t (a) VALUES (2)");
          try {
            sql.transaction(() => {
              sql.exec("INSERT INTO t (a) VALUES (3)");
              throw new Error("inner");
            });
          } catch {
            // The outer work goes on, but cannot save half of the inner.
          }
          sql.exec("INSERT INTO t (a) VALUES (4)");
        }),
      /inner/,
    );
    sql.transaction(() => sql.exec("INSERT INTO t (a) VALUES (5)"));
    assert.deepEqual(
      sql.exec("SELECT a FROM t ORDER BY a").map((row) => row.a),
      [1, 5],
    );
  }),
];

function on(name: string, run: (sql: Sql) => void): Case<TreeContext> {
  return {
    name: `sql: ${name}`,
    async run({ sql }) {
      sql.exec("CREATE TABLE t (a, b)");
      run(sql);
      sql.exec("DROP TABLE t");
    },
  };
}

function refused(work: () => unknown): void {
  assert.throws(work, { name: "ComputerError", code: "ERR_SQL_LIMIT" });
}
