import type { WireDirent, WireExecOptions, WireStats } from "../doors/protocol.ts";
import type { RunEvent } from "../runtime/types.ts";
import type { FindResult, GrepResult } from "../search/types.ts";
import type { WorkspaceUsage } from "../vfs/stat-fs.ts";
import type { StatFs } from "../vfs/types.ts";
import type { WatchEvent } from "../watch/types.ts";

/** What capnweb makes of a remote promise: it can be awaited, and lets go of its result when disposed. */
export type Remote<T> = Promise<T> & Disposable;

/** The remote side of an agent, as calls are made on it. It is what `AgentStub` serves. */
export interface RemoteRoot extends Disposable {
  call(tool: string, args: readonly unknown[]): Remote<unknown>;
  readonly workspace: {
    readonly fs: RemoteFs;
    usage(): Remote<WorkspaceUsage>;
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

/** An open file at the remote side. */
export interface RemoteFileStub extends Disposable {
  read(length: number, position?: number): Remote<Uint8Array>;
  write(data: Uint8Array, position?: number): Remote<number>;
  truncate(length?: number): Remote<void>;
  stat(): Remote<WireStats>;
  chmod(mode: number): Remote<void>;
  chown(uid: number, gid: number): Remote<void>;
  utimes(atime: unknown, mtime: unknown): Remote<void>;
  sync(): Remote<void>;
  close(): Remote<void>;
}

/** A directory that is being listed at the remote side. */
export interface RemoteDirStub extends Disposable {
  read(limit: number): Remote<WireDirent[]>;
}

/** The files at the remote side. */
export interface RemoteFs {
  readFile(path: string, encoding?: unknown): Remote<Uint8Array | string>;
  writeFile(path: string, data: unknown, options?: unknown): Remote<void>;
  appendFile(path: string, data: unknown, options?: unknown): Remote<void>;
  open(path: string, flags?: unknown, mode?: number): Remote<RemoteFileStub>;
  readMany(paths: readonly string[], encoding?: unknown): Remote<(Uint8Array | string)[]>;
  writeMany(files: readonly unknown[], options?: unknown): Remote<void>;
  truncate(path: string, length?: number): Remote<void>;
  stat(path: string): Remote<WireStats>;
  lstat(path: string): Remote<WireStats>;
  exists(path: string): Remote<boolean>;
  realpath(path: string): Remote<string>;
  access(path: string, mode?: number): Remote<void>;
  statfs(path: string): Remote<StatFs>;
  readdir(path: string, options?: unknown): Remote<string[] | WireDirent[]>;
  mkdir(path: string, options?: unknown): Remote<string | undefined>;
  mkdtemp(prefix: string): Remote<string>;
  opendir(path: string, options?: unknown): Remote<RemoteDirStub>;
  rmdir(path: string): Remote<void>;
  unlink(path: string): Remote<void>;
  rm(path: string, options?: unknown): Remote<void>;
  rename(from: string, to: string): Remote<void>;
  copyFile(source: string, target: string, options?: unknown): Remote<void>;
  cp(source: string, target: string, options?: unknown): Remote<void>;
  link(existing: string, created: string): Remote<void>;
  symlink(target: string, path: string): Remote<void>;
  readlink(path: string): Remote<string>;
  chmod(path: string, mode: number): Remote<void>;
  chown(path: string, uid: number, gid: number): Remote<void>;
  lchown(path: string, uid: number, gid: number): Remote<void>;
  utimes(path: string, atime: unknown, mtime: unknown): Remote<void>;
  lutimes(path: string, atime: unknown, mtime: unknown): Remote<void>;
  grep(pattern: unknown, options: unknown): Remote<GrepResult>;
  find(options: unknown): Remote<FindResult>;
  glob(pattern: unknown, options: unknown): Remote<ReadableStream<string | WireDirent>>;
  createReadStream(path: string, options?: unknown): Remote<ReadableStream<Uint8Array>>;
  createWriteStream(path: string, options?: unknown): Remote<WritableStream<Uint8Array>>;
}
