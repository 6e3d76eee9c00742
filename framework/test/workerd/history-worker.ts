import type { DurableObjectStorageLike } from "../../src/vfs/sql/durable-object.ts";
import { historyCases } from "../contracts/history.ts";
import { lab } from "../history/tools.ts";
import { answerCase } from "./cases.ts";
import { forwardToNewObject } from "./objects.ts";

/** Runs one case of the history contract on its own storage. */
export class HistoryObject {
  readonly #storage: DurableObjectStorageLike;
  #rowsWritten = 0;

  constructor(ctx: { storage: DurableObjectStorageLike }) {
    this.#storage = ctx.storage;
  }

  fetch(request: Request): Promise<Response> {
    return answerCase(request, historyCases, async () => ({
      open: (options) => lab(this.#counting(), options),
      rowsWritten: () => this.#rowsWritten,
    }));
  }

  alarm(): void {}

  /** The storage, with a count of what is written through it. */
  #counting(): DurableObjectStorageLike {
    const storage = this.#storage;
    return {
      sql: {
        exec: (query, ...bindings) => {
          const cursor = storage.sql.exec(query, ...bindings);
          const rows = cursor.toArray();
          this.#rowsWritten += cursor.rowsWritten;
          const { rowsRead, rowsWritten } = cursor;
          return {
            toArray: () => rows,
            [Symbol.iterator]: () => rows[Symbol.iterator](),
            rowsRead,
            rowsWritten,
          };
        },
        get databaseSize() {
          return storage.sql.databaseSize;
        },
      },
      transactionSync: (work) => storage.transactionSync(work),
    };
  }
}

// biome-ignore lint/style/noDefaultExport: it is how a Worker exports its handlers
export default forwardToNewObject("HistoryObject");
