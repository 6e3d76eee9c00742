import { bundleGuest } from "@computer/runtime-adapters/isolate-shell/bundle";
import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.ts";
import type { Output } from "./emit.ts";
import { header } from "./text.ts";

/** The programs that backends load into isolates, each as one module: `guests/isolate-shell.js`. */
export async function bundleGuests(): Promise<Output> {
  return { "guests/isolate-shell.js": header() + (await bundleGuest()) };
}

/** What stopped the bundling, as a diagnostic. */
export function guestProblem(error: unknown): Diagnostic {
  const reason = error instanceof Error ? error.message : String(error);
  return diagnostic("CMP1071", `Bundling a backend's guest failed: ${reason.slice(0, 500)}.`);
}
