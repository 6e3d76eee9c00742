import type { ExecOptions, Run } from "../runtime/types.ts";
import type { WorkspaceUsage } from "../vfs/stat-fs.ts";
import type { FileSystem } from "../vfs/types.ts";
import type { WatchEvent, WatchOptions } from "../watch/types.ts";

/** How to reach a worker. */
export interface ConnectOptions {
  /** The worker's address, `http://127.0.0.1:8787` or `https://agents.example.com`. */
  url: string | URL;
  /** The bearer token, where the worker asks for one. */
  token?: string;
  /**
   * `websocket` (the default) keeps one connection per agent, over which output and files stream. `batch` sends
   * the calls made in one turn as one HTTP request and holds nothing open; it cannot write streams.
   */
  transport?: "websocket" | "batch";
  /** How long opening a connection may take, in milliseconds. Default 10,000. */
  connectTimeoutMs?: number;
}

/** `runtime` of a remote workspace. */
export interface RemoteRuntime {
  /**
   * Starts a run, as in the agent. Its `id` is empty until the worker has answered. When a WebSocket breaks, the
   * run goes on up to its own bounds, but this view of it ends with `ERR_CONNECTION_LOST`: `get` finds it again.
   */
  exec(source: string, options?: ExecOptions): Run;
  /** A run by its id, if it is open or ended not long ago. Needs the websocket transport. */
  get(id: string): Promise<Run | undefined>;
  /** The agent's backends, the default one first. */
  backends(): Promise<{ name: string; kind: string; description: string }[]>;
}

/** The workspace of an agent, from outside: the same files and runs that its own code sees. */
export interface RemoteWorkspace {
  readonly fs: FileSystem;
  readonly runtime: RemoteRuntime;
  /** How full it is, as in the agent. */
  usage(): Promise<WorkspaceUsage>;
  /** The latest revision of the files. */
  revision(): Promise<number>;
  /**
   * Tells what changes under a path, as in the agent; it begins with the first event that is asked for. After a broken
   * connection, watch again with `since` the last revision that was told. Needs the websocket transport.
   */
  watch(path: string, options?: WatchOptions): AsyncIterableIterator<WatchEvent>;
}

/**
 * What every agent's client has besides its tools. Disposing it closes its connection.
 *
 * Failures reject with a `ComputerError` or, from the file system, with an error that carries Node's `code`. When
 * the connection breaks, the calls under way reject with `ERR_CONNECTION_LOST` and the next one connects anew; no
 * call is ever made twice.
 */
export interface AgentClient extends Disposable {
  readonly workspace: RemoteWorkspace;
}

/** An agent as a generated client names it. */
export interface RemoteAgent {
  /** Its name in URLs. */
  readonly agent: string;
  /** Its tools, each of which becomes a method. */
  readonly tools: readonly string[];
}
