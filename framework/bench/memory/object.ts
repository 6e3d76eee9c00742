import type { DurableObjectStorageLike } from "../../src/vfs/sql/durable-object.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import { forwardToNamedObject } from "../../test/workerd/objects.ts";
import { fill, STEPS } from "./steps.ts";

/** A workspace that does one step per request. */
export class MemoryObject {
  readonly #workspace: Workspace;

  constructor(ctx: { storage: DurableObjectStorageLike }) {
    this.#workspace = new Workspace({ storage: ctx.storage });
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const number = (name: string) => Number(searchParams.get(name));
    const size = { entries: number("entries"), mebibytes: number("mebibytes") };
    if (pathname === "/fill") {
      return Response.json(await fill(this.#workspace, size, number("from"), number("count")));
    }
    const step = STEPS.find(({ name }) => `/${name}` === pathname);
    return Response.json({ answer: await step?.run(this.#workspace, size) });
  }
}

// biome-ignore lint/style/noDefaultExport: it is how a Worker exports its handlers
export default forwardToNamedObject("MemoryObject");
