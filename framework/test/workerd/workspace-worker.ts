import { type DurableObjectStorageLike, durableObjectSql } from "../../src/vfs/sql/durable-object.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import { problems } from "../contracts/integrity.ts";
import { crashContent, crashPath } from "../crash/content.ts";
import { forwardToNamedObject } from "./objects.ts";

/** A workspace as a Durable Object holds it, and what the tests want of it, by path. */
export class WorkspaceObject {
  readonly #storage: DurableObjectStorageLike;
  #workspace: Workspace | undefined;

  constructor(ctx: { storage: DurableObjectStorageLike }) {
    this.#storage = ctx.storage;
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    try {
      return Response.json(await this.#answer(pathname, Number(searchParams.get("index"))));
    } catch (error) {
      return Response.json({ code: (error as { code?: string }).code, message: (error as Error).message });
    }
  }

  async #answer(path: string, index: number): Promise<unknown> {
    const sql = durableObjectSql(this.#storage);
    switch (path) {
      case "/memory":
        return Workspace.memory();
      case "/open":
        return Workspace.open("/tmp/x");
      case "/newer":
        this.#opened();
        await this.#workspace?.close();
        sql.exec("UPDATE vfs_meta SET value = 99 WHERE key = 'version'");
        return new Workspace({ storage: this.#storage });
      case "/damaged":
        sql.exec("CREATE TABLE vfs_meta (key, value)");
        return new Workspace({ storage: this.#storage });
      case "/second":
        this.#opened();
        return new Workspace({ storage: this.#storage });
      case "/write": {
        const { fs } = this.#opened();
        await fs.mkdir("/out", { recursive: true });
        if (index % 4 === 0) {
          const body = new Response(crashContent(index) as Uint8Array<ArrayBuffer>).body;
          await body?.pipeTo(fs.createWriteStream(crashPath(index)));
        } else await fs.writeFile(crashPath(index), crashContent(index));
        return index;
      }
      case "/check": {
        const actual = await this.#opened().fs.readFile(crashPath(index));
        const expected = crashContent(index);
        return actual.length === expected.length && actual.every((byte, i) => byte === expected[i]);
      }
      case "/problems":
        await this.#opened().fs.mkdir("/last");
        await this.#opened().fs.rm("/last", { recursive: true });
        return [...problems(sql), ...(await this.#opened().check()).problems];
      case "/destroy": {
        const workspace = this.#opened();
        await workspace.fs.writeFile("/f", "text");
        sql.exec("CREATE TABLE IF NOT EXISTS other (x)");
        await workspace.destroy();
        const left = sql.exec(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'",
        );
        this.#workspace = undefined;
        return [left, await this.#opened().fs.readdir("/"), (await this.#opened().usage()).limits];
      }
      default:
        throw new Error(`nothing at ${path}`);
    }
  }

  #opened(): Workspace {
    this.#workspace ??= new Workspace({ storage: this.#storage });
    return this.#workspace;
  }
}

// biome-ignore lint/style/noDefaultExport: it is how a Worker exports its handlers
export default forwardToNamedObject("WorkspaceObject");
