/**
 * What an agent's code imports: the markers for its class and tools, and the workspace it works in.
 *
 * @module
 */
export { Agent, type AgentOptions, agentOptions } from "./decorators/agent.ts";
export { type ToolOptions, tool, toolOptions } from "./decorators/tool.ts";
export { ComputerError, type ComputerErrorDetail, type ErrorCode } from "./errors.ts";
export type {
  Backend,
  BackendHost,
  BackendOutcome,
  BackendRequest,
  BackendSession,
  ExecOptions,
  LimitHit,
  OutputSink,
  Run,
  RunEnd,
  RunEvent,
  RunResult,
  Runtime,
} from "./runtime/types.ts";
export type {
  FindOptions,
  FindResult,
  FoundEntry,
  GlobOptions,
  Globs,
  GrepMatch,
  GrepOptions,
  GrepResult,
  SearchLimit,
  SearchOptions,
  SearchPage,
} from "./search/types.ts";
export { decodeName, encodeName } from "./vfs/names.ts";
export type { DurableObjectStorageLike } from "./vfs/sql/durable-object.ts";
export type {
  Dirent,
  Encoding,
  FileData,
  FileSystem,
  NodeKind,
  ReadStreamOptions,
  Stats,
  Time,
  WriteOptions,
} from "./vfs/types.ts";
export type { Change, Missed, WatchEvent, WatchOptions } from "./watch/types.ts";
export type { AgentId } from "./workspace/agent-id.ts";
export {
  type DurableWorkspaceOptions,
  Workspace,
  type WorkspaceOptions,
} from "./workspace/workspace.ts";
