import type { AgentModel } from "../model.ts";
import { header } from "./text.ts";

/** `env.ts`: the worker's bindings. */
export function emitEnv(agents: readonly Pick<AgentModel, "binding" | "className">[]): string {
  const bindings = agents.map(
    ({ binding, className }) =>
      `  /** The objects of ${className}. */\n  readonly ${binding}: DurableObjectNamespace;\n`,
  );
  return `${header()}
/** The bindings of this worker. Declare further ones of yours in an interface that extends this one. */
export interface Env {
${bindings.join("")}  /** Loads the isolates that runs take place in. */
  readonly LOADER: WorkerLoader;
  /** \`development\` under \`computer dev\`; anything else is a deployment. */
  readonly COMPUTER_MODE?: string;
  /** The bearer token that opens the doors. A secret. */
  readonly COMPUTER_TOKEN?: string;
  /** Further hosts that this worker answers for, separated by commas. */
  readonly COMPUTER_HOSTS?: string;
  /** Further origins whose pages may call, separated by commas. */
  readonly COMPUTER_ORIGINS?: string;
}
`;
}
