import type { MessagePort } from "node:worker_threads";
import type { TreeLimits } from "../../tree/tree.ts";
import type { Commands } from "./commands.ts";
import type { Notice } from "./notices.ts";
import type { Play } from "./stage.ts";

/** What the loop is started with. */
export interface LoopData {
  fd: number;
  store: string;
  limits: Partial<TreeLimits>;
  /** Wait actively for requests where that pays. */
  spin: boolean;
  bell: SharedArrayBuffer;
  /** To the main thread, the notifier and the replier. */
  control: MessagePort;
  notifier: MessagePort;
  replier: MessagePort;
}

/** What the notifier and the replier are started with: the connection, and whom they work for. */
export interface NotifierData {
  fd: number;
  path: string;
  bell: SharedArrayBuffer;
  loop: MessagePort;
  control: MessagePort;
}

export interface ReplierData {
  fd: number;
  loop: MessagePort;
}

/** What the player is started with. */
export interface PlayerData {
  path: string;
  control: MessagePort;
}

/** Work for the notifier; the answer is a {@link Done} with the same id. */
export interface NotifyJob {
  id: number;
  notices: Notice[];
}

/** Work for the player: show itself under a name, or play. The answer is a {@link Done}. */
export interface PlayerJob {
  id: number;
  enter?: string;
  plays?: Play[];
  /** `major:minor` of the mount. */
  device: string;
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

/** The names of what can be asked of the loop. */
export type Method = {
  [K in keyof Commands]: Commands[K] extends (...args: never[]) => unknown ? K : never;
}[keyof Commands];

/** A call from the main thread to the loop, and its result. */
export interface Call {
  id: number;
  method: Method;
  args: unknown[];
}

export type Answer =
  | { type: "answer"; id: number; result: unknown }
  | { type: "failed"; id: number; code: string; message: string }
  /** The kernel has said INIT: the mount works. */
  | { type: "ready"; minor: number; flags: number }
  /** The descriptor is closed with the loop's thread; nobody else may close it. */
  | { type: "owner" }
  /** The mount is gone. */
  | { type: "ended"; reason: string };
