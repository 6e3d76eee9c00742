import type { RemoteRoot } from "./root.ts";

/** One agent's connection. It connects when first used, and again when used after it broke. */
export interface Link extends Disposable {
  readonly transport: "websocket" | "batch";
  /** Makes calls on the remote root. Rejects with a revived error. */
  use<T>(work: (root: RemoteRoot) => PromiseLike<T>): Promise<T>;
  /** Asks one of the agent's HTTP doors. Rejects unless it answers with success. */
  fetch(door: string, init?: RequestInit): Promise<Response>;
}
