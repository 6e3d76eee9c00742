/**
 * What an agent's code imports: the markers for its class and tools, and the workspace it works in.
 *
 * @module
 */
export type { CheckOptions, CheckReport, Problem, ProblemCode } from "./check/types.ts";
export { Agent, type AgentOptions, agentOptions } from "./decorators/agent.ts";
export { type ToolOptions, tool, toolOptions } from "./decorators/tool.ts";
export { ComputerError, type ComputerErrorDetail, type ErrorCode } from "./errors.ts";
export type {
  Change,
  Conflict,
  DiffOptions,
  FileVersion,
  ForkBatch,
  ForkColumns,
  ForkEntry,
  ForkReceiver,
  ForkResult,
  ForkTarget,
  History,
  HistoryOptions,
  PruneResult,
  RestoreResult,
  Revision,
  RunChanges,
  Snapshot,
  UndoResult,
} from "./history/types.ts";
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
export { constants } from "./vfs/constants.ts";
export type { FileHandle, OpenFlags, RangeOptions } from "./vfs/handle-types.ts";
export { decodeName, encodeName } from "./vfs/names.ts";
export type { DurableObjectStorageLike } from "./vfs/sql/durable-object.ts";
export type { WorkspaceUsage } from "./vfs/stat-fs.ts";
export type {
  CopyOptions,
  Dir,
  Dirent,
  Encoding,
  FileData,
  FileSystem,
  FileToWrite,
  NodeKind,
  OpenDirOptions,
  ReadStreamOptions,
  StatFs,
  Stats,
  Time,
  WriteOptions,
} from "./vfs/types.ts";
export type { Limits, Quota } from "./vfs/usage.ts";
export type { Change as WatchChange, Missed, WatchEvent, WatchOptions } from "./watch/types.ts";
export type { AgentId } from "./workspace/agent-id.ts";
export {
  type DurableWorkspaceOptions,
  Workspace,
  type WorkspaceOptions,
} from "./workspace/workspace.ts";
