import type { WireDirent, WireExecOptions, WireStats } from "../doors/protocol.ts";
import type { RunEvent } from "../runtime/types.ts";
import type { FindResult, GrepResult } from "../search/types.ts";
import type { WatchEvent } from "../watch/types.ts";

/** What capnweb makes of a remote promise: it can be awaited, and lets go of its result when disposed. */
export type Remote<T> = Promise<T> & Disposable;

/** The remote side of an agent, as calls are made on it. It is what `AgentStub` serves. */
export interface RemoteRoot extends Disposable {
  call(tool: string, args: readonly unknown[]): Remote<unknown>;
  readonly workspace: {
    readonly fs: RemoteFs;
    revision(): Remote<number>;
    watch(path: string, options: unknown): Remote<ReadableStream<WatchEvent>>;
    readonly runtime: {
      exec(source: string, options: WireExecOptions): Remote<RemoteRunStub>;
      get(id: string): Remote<RemoteRunStub | undefined>;
      backends(): Remote<{ name: string; kind: string; description: string }[]>;
    };
  };
  onRpcBroken(callback: (error: unknown) => void): void;
}

/** A run at the remote side. */
export interface RemoteRunStub extends Disposable {
  readonly id: Remote<string>;
  readonly backend: Remote<string>;
  events(from: number): Remote<ReadableStream<RunEvent>>;
  kill(): Remote<void>;
}

/** The files at the remote side. */
export interface RemoteFs {
  readFile(path: string, encoding?: unknown): Remote<Uint8Array | string>;
  writeFile(path: string, data: unknown, options?: unknown): Remote<void>;
  appendFile(path: string, data: unknown, options?: unknown): Remote<void>;
  truncate(path: string, length?: number): Remote<void>;
  stat(path: string): Remote<WireStats>;
  lstat(path: string): Remote<WireStats>;
  exists(path: string): Remote<boolean>;
  realpath(path: string): Remote<string>;
  readdir(path: string, options?: unknown): Remote<string[] | WireDirent[]>;
  mkdir(path: string, options?: unknown): Remote<string | undefined>;
  rm(path: string, options?: unknown): Remote<void>;
  rename(from: string, to: string): Remote<void>;
  copyFile(source: string, target: string, options?: unknown): Remote<void>;
  link(existing: string, created: string): Remote<void>;
  symlink(target: string, path: string): Remote<void>;
  readlink(path: string): Remote<string>;
  chmod(path: string, mode: number): Remote<void>;
  utimes(path: string, atime: unknown, mtime: unknown): Remote<void>;
  grep(pattern: unknown, options: unknown): Remote<GrepResult>;
  find(options: unknown): Remote<FindResult>;
  glob(pattern: unknown, options: unknown): Remote<ReadableStream<string | WireDirent>>;
  createReadStream(path: string, options?: unknown): Remote<ReadableStream<Uint8Array>>;
  createWriteStream(path: string, options?: unknown): Remote<WritableStream<Uint8Array>>;
}
