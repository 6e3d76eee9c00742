import type { DurableObjectStorageLike } from "../../src/vfs/sql/durable-object.ts";
import { forwardToNamedObject } from "../../test/workerd/objects.ts";
import { type BenchFileSystem, OPERATIONS, prepare } from "./operations.ts";

/**
 * A Durable Object class that does one operation per request, so that the clock can be outside: in workerd
 * it stands still, and an answer leaves only when what was written is safe. `?rows` counts rows meanwhile.
 */
export function benchObject(open: (storage: DurableObjectStorageLike) => BenchFileSystem) {
  return class {
    readonly #rows = { read: 0, written: 0 };
    readonly #storage: DurableObjectStorageLike;
    #fs: BenchFileSystem | undefined;

    constructor(ctx: { storage: DurableObjectStorageLike }) {
      this.#storage = ctx.storage;
    }

    async fetch(request: Request): Promise<Response> {
      const { pathname, searchParams } = new URL(request.url);
      this.#fs ??= open(searchParams.has("rows") ? counting(this.#storage, this.#rows) : this.#storage);
      const before = { ...this.#rows };
      if (pathname === "/prepare") await prepare(this.#fs);
      else await OPERATIONS[pathname.slice(1)]?.run(this.#fs, Number(searchParams.get("n")));
      return Response.json({
        read: this.#rows.read - before.read,
        written: this.#rows.written - before.written,
      });
    }
  };
}

export const handlers = forwardToNamedObject("BenchObject");

/** A storage that counts the rows that its statements read and write. */
function counting(
  storage: DurableObjectStorageLike,
  rows: { read: number; written: number },
): DurableObjectStorageLike {
  const exec = (query: string, ...bindings: unknown[]) => {
    const cursor = storage.sql.exec(query, ...bindings);
    const all = cursor.toArray();
    rows.read += cursor.rowsRead;
    rows.written += cursor.rowsWritten;
    let at = 0;
    return {
      rowsRead: cursor.rowsRead,
      rowsWritten: cursor.rowsWritten,
      toArray: () => all,
      one: () => all[0],
      next: () => (at < all.length ? { done: false, value: all[at++] } : { done: true, value: undefined }),
      [Symbol.iterator]: () => all[Symbol.iterator](),
      raw: () => all.map((row) => Object.values(row))[Symbol.iterator](),
    };
  };
  return new Proxy(storage, {
    get(target, name) {
      if (name === "sql") return { exec, databaseSize: target.sql.databaseSize };
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
