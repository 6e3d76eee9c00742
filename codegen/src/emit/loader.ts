import { header } from "./text.ts";

/** `loader.ts`: the backends of a workspace, each with the guest that it loads into fresh isolates. */
export function emitLoader(): string {
  return `${header()}import type { Backend } from "@computer/framework";
import { IsolateShell } from "@computer/runtime-adapters/isolate-shell";
import type { Env } from "./env.ts";
import shell from "./guests/isolate-shell.js";

/** Where runs can take place, by the name that \`exec\` calls it; the first is the default. */
export function backends(_ctx: DurableObjectState, env: Env): Record<string, Backend> {
  return {
    shell: new IsolateShell({ loader: env.LOADER, source: shell }),
  };
}
`;
}

/** `guests/isolate-shell.d.ts`: wrangler imports the guest's bundle as text. */
export function emitGuestTypes(): string {
  return `${header()}declare const source: string;\nexport default source;\n`;
}
