import { type DurableWorkspaceOptions, Workspace } from "@computer/framework";
import { type GuestLoader, IsolateShell } from "@computer/runtime-adapters/isolate-shell";
import { backendContract } from "../../framework/test/contracts/backend.ts";
import { answerCase } from "../../framework/test/workerd/cases.ts";
import { forwardToNewObject } from "../../framework/test/workerd/objects.ts";
import { shellCases } from "./shell-cases.ts";

/** Runs one case of the backend contract, or of the shell's own, in a fresh workspace. */
export class CaseObject {
  readonly #workspace: Workspace;

  constructor({ storage }: DurableWorkspaceOptions, env: { LOADER: GuestLoader; GUEST: string }) {
    const shell = new IsolateShell({ loader: env.LOADER, source: env.GUEST });
    this.#workspace = new Workspace({ storage, backends: { shell } });
  }

  fetch(request: Request): Promise<Response> {
    return answerCase(request, [...backendContract, ...shellCases], async () => ({
      workspace: this.#workspace,
      backend: "shell",
    }));
  }
}

// biome-ignore lint/style/noDefaultExport: it is how a Worker exports its handlers
export default forwardToNewObject("CaseObject");
