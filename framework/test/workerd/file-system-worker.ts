import { type DurableObjectStorageLike, durableObjectSql } from "../../src/vfs/sql/durable-object.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import type { TreeContext } from "../contracts/file-system/context.ts";
import { fileSystemCases } from "../contracts/file-system.ts";
import { answerCase } from "./cases.ts";
import { forwardToNewObject } from "./objects.ts";

/** Runs one case of the file-system contract on its own storage. */
export class CaseObject {
  readonly #storage: DurableObjectStorageLike;

  constructor(ctx: { storage: DurableObjectStorageLike }) {
    this.#storage = ctx.storage;
  }

  fetch(request: Request): Promise<Response> {
    return answerCase(request, fileSystemCases, async () => this.#context());
  }

  #context(): TreeContext {
    const storage = this.#storage;
    let workspace = new Workspace({ storage });
    return {
      fs: workspace.fs,
      sql: durableObjectSql(storage),
      reopen: async () => {
        await workspace.close();
        workspace = new Workspace({ storage });
        return { fs: workspace.fs, sql: durableObjectSql(storage) };
      },
      withQuota: async (quota) => {
        await workspace.close();
        workspace = new Workspace({ storage, quota });
        return { fs: workspace.fs, sql: durableObjectSql(storage), usage: () => workspace.usage() };
      },
    };
  }
}

// biome-ignore lint/style/noDefaultExport: it is how a Worker exports its handlers
export default forwardToNewObject("CaseObject");
