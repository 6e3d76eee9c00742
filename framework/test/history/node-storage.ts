import type { DurableObjectStorageLike } from "../../src/index.ts";
import { type NodeSql, openNodeSql } from "../../src/vfs/sql/node.ts";
import type { WorkspaceOptions } from "../../src/workspace/workspace.ts";
import { type Lab, lab } from "./tools.ts";

/** Something like a Durable Object's storage over `node:sqlite`, so that a test can look at the rows of a workspace. */
export function nodeStorage(file?: string): DurableObjectStorageLike & { close(): void } {
  const sql: NodeSql = openNodeSql(file);
  if (file !== undefined) sql.prepareFile();
  return {
    sql: {
      exec(query, ...bindings) {
        const rows = sql.exec(query, ...bindings);
        return {
          toArray: () => rows as never,
          [Symbol.iterator]: () => rows[Symbol.iterator]() as never,
          rowsRead: 0,
          rowsWritten: 0,
        };
      },
      get databaseSize() {
        return sql.databaseSize;
      },
    },
    transactionSync: (work) => sql.transaction(work),
    close: () => sql.close(),
  };
}

/** A lab in memory, or in a file. */
export async function nodeLab(options: WorkspaceOptions = {}, file?: string): Promise<Lab> {
  const storage = nodeStorage(file);
  const made = await lab(storage, options);
  return {
    ...made,
    async [Symbol.asyncDispose]() {
      await made.workspace.close();
      storage.close();
    },
  };
}
