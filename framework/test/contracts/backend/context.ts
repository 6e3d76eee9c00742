import type { RunEvent, RunResult, Workspace } from "@computer/framework";
import type { Case } from "../../workerd/cases.ts";

/** What a case works with: a fresh workspace, and the name of the backend in it that is on trial. */
export interface BackendContext {
  readonly workspace: Workspace;
  readonly backend: string;
}

/** One demand of the contract. */
export type BackendCase = Case<BackendContext>;

/** Each byte once. */
export const ALL_BYTES: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** Runs a script to its end. */
export async function sh({ workspace, backend }: BackendContext, source: string): Promise<RunResult> {
  return workspace.runtime.exec(source, { backend }).result();
}

/** What an event wrote. */
export function textOf(event: RunEvent | undefined): string {
  return event === undefined || event.type === "end" ? "" : new TextDecoder().decode(event.data);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
