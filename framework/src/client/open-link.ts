import { ComputerError } from "../errors.ts";
import { BatchLink } from "./batch-link.ts";
import type { Link } from "./link.ts";
import type { Target } from "./options.ts";
import { SocketLink } from "./socket-link.ts";

/** Makes the link to one agent. */
export function openLink(target: Target, agent: string, id: string): Link {
  if (typeof id !== "string" || id === "" || id === "." || id === ".." || !id.isWellFormed()) {
    throw new ComputerError(
      "ERR_BAD_ARGUMENT",
      `id: must name the agent's computer, got ${JSON.stringify(id)}`,
      {
        path: "/id",
      },
    );
  }
  const url = `${target.base}/agents/${encodeURIComponent(agent)}/${encodeURIComponent(id)}`;
  return target.transport === "batch" ? new BatchLink(target, url) : new SocketLink(target, url);
}
