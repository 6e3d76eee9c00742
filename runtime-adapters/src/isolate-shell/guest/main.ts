/** The module that runs in the Dynamic Worker of an `IsolateShell`. */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { Guest, GuestHost, GuestOutcome, GuestRequest } from "../protocol.ts";
import { runShell } from "./shell.ts";

/** What the host calls. */
export class Shell extends WorkerEntrypoint implements Guest {
  exec(request: GuestRequest, host: GuestHost): Promise<GuestOutcome> {
    return runShell(request, host);
  }
}
