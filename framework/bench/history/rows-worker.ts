import type { DurableObjectStorageLike } from "../../src/vfs/sql/durable-object.ts";
import { lab } from "../../test/history/tools.ts";
import { forwardToNewObject } from "../../test/workerd/objects.ts";

/** Rows written per operation, as a Durable Object bills them, in a situation of history. */
export class RowsObject {
  readonly #storage: DurableObjectStorageLike;
  #written = 0;

  constructor(ctx: { storage: DurableObjectStorageLike }) {
    this.#storage = ctx.storage;
  }

  async fetch(request: Request): Promise<Response> {
    const situation = new URL(request.url).searchParams.get("situation");
    const place = await lab(this.#counting(), situation === "off" ? { history: false } : {});
    const { fs, history } = place.workspace;
    const COUNT = 200;
    const large = new Uint8Array(1_000_000).map((_, i) => (i * 7 + (i >> 9)) & 0xff);
    await fs.mkdir("/d");
    for (let i = 0; i < COUNT; i++) await fs.writeFile(`/d/old${i}`, `old ${i}`);
    await fs.writeFile("/d/large", large);
    if (situation === "snapshot") await history.snapshot("s");
    const run = situation === "run" ? await place.begin() : undefined;
    const files = run?.fs ?? fs;
    const per = async (count: number, work: (i: number) => Promise<unknown>) => {
      const before = this.#written;
      for (let i = 0; i < count; i++) await work(i);
      return (this.#written - before) / count;
    };
    const rows = {
      create: await per(COUNT, (i) => files.writeFile(`/d/new${i}`, `new ${i}`)),
      overwrite_first: await per(COUNT / 2, (i) => files.writeFile(`/d/old${i}`, `newer ${i}`)),
      overwrite_again: await per(COUNT / 2, (i) => files.writeFile(`/d/old${i}`, `newest ${i}`)),
      unlink_old: await per(COUNT / 4, (i) => files.rm(`/d/old${i + COUNT / 2}`)),
      unlink_new: await per(COUNT / 4, (i) => files.rm(`/d/new${i}`)),
      rename_old: await per(COUNT / 4, (i) => files.rename(`/d/old${i}`, `/d/renamed${i}`)),
      append_to_1_mb: await per(1, () => files.appendFile("/d/large", "more")),
      snapshot: await per(1, () => history.snapshot("measured")),
    };
    await run?.end();
    await place.workspace.close();
    return Response.json(rows);
  }

  alarm(): void {}

  #counting(): DurableObjectStorageLike {
    const storage = this.#storage;
    return {
      sql: {
        exec: (query, ...bindings) => {
          const cursor = storage.sql.exec(query, ...bindings);
          const rows = cursor.toArray();
          this.#written += cursor.rowsWritten;
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
export default forwardToNewObject("RowsObject");
