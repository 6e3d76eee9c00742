import type { MessagePort } from "node:worker_threads";
import type { TreeLimits } from "../../tree/tree.ts";
import type { Notice } from "./notices.ts";

/** What the loop is started with. */
export interface LoopData {
  fd: number;
  store: string;
  limits: Partial<TreeLimits>;
  bell: SharedArrayBuffer;
  /** To the main thread, the notifier and the replier. */
  control: MessagePort;
  notifier: MessagePort;
  replier: MessagePort;
}

/** What the notifier and the replier are started with: the connection, and the loop's side. */
export interface HelperData {
  fd: number;
  bell: SharedArrayBuffer;
  loop: MessagePort;
  control: MessagePort;
}

/** Work for the notifier; the answer is a {@link Done} with the same id. */
export interface NotifyJob {
  id: number;
  notices: Notice[];
}

/** Work for the replier: sync these descriptors, then send this reply. */
export interface SyncJob {
  fds: number[];
  uniqueLow: number;
  uniqueHigh: number;
}

export interface Done {
  id: number;
}

/** A call from the main thread to the loop, and its result. */
export interface Call {
  id: number;
  method: string;
  argument: unknown;
}

export type Answer =
  | { type: "answer"; id: number; result: unknown }
  | { type: "failed"; id: number; code: string; message: string }
  /** The kernel has said INIT: the mount works. */
  | { type: "ready"; minor: number; flags: number }
  /** The mount is gone. */
  | { type: "ended"; reason: string };
