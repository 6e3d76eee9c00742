import { ComputerError } from "../../errors.ts";
import type { NodeSql } from "./node.ts";

/** Stands in for `node.ts` where there is no `node:sqlite`: in a Worker and in a browser. */
export function openNodeSql(_file?: string): NodeSql {
  throw new ComputerError(
    "ERR_UNSUPPORTED",
    "Workspace.memory() and Workspace.open() need Node. In a Durable Object use new Workspace({ storage: ctx.storage }).",
  );
}
