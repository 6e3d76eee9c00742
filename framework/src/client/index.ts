/**
 * What a generated client is built from. It runs in Node 22 and later, in browsers and in Workers.
 *
 * @module
 */
export { ComputerError, type ErrorCode } from "../errors.ts";
export type { ExecOptions, Run, RunEnd, RunEvent, RunResult } from "../runtime/types.ts";
export type { Dirent, FileSystem, Stats } from "../vfs/types.ts";
export { createClient } from "./connect.ts";
export type { AgentClient, ConnectOptions, RemoteAgent, RemoteRuntime, RemoteWorkspace } from "./types.ts";
