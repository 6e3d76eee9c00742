/**
 * What the doors and the client must agree on. Nothing here depends on where it runs.
 */
import type { RunEnd } from "../runtime/types.ts";

/** The WebSocket subprotocol of the `rpc` door. */
export const SUBPROTOCOL = "computer";

/** The prefix of the subprotocol by which a browser, which cannot set headers there, hands over its token. */
export const BEARER_SUBPROTOCOL = "computer.bearer.";

/** What a token is made of, so that it fits into a header as it is. */
export const TOKEN_TEXT = /^[\x21-\x7e]+$/;

/** The keyword of our JSON Schemas that marks a value which JSON cannot hold: `date` or `bytes`. */
export const WIRE_KEYWORD = "x-computer";

/** Bytes that a JSON body may have, and a batch of calls too: 4 MiB. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** How deep a value may nest, on its way in or out; capnweb's own bound is 256. */
export const MAX_DEPTH = 200;

/** Characters of one message on a WebSocket: 8 MiB. */
export const MAX_MESSAGE_CHARS = 8 * 1024 * 1024;

/** Bytes of a file that cross in one message; a larger one goes as a stream: 1 MiB. */
export const MAX_INLINE_FILE_BYTES = 1024 * 1024;

/** Entries of a directory that cross in one message. */
export const MAX_DIRENTS = 1024;

/** Calls that one session may have at work at the same time. */
export const MAX_CALLS_IN_FLIGHT = 256;

/** References that one session may hold at the same time: runs, streams, unfinished calls. */
export const MAX_SESSION_REFERENCES = 4096;

/** An error in JSON, as every door answers it below the key `error`. */
export interface WireError {
  /** A code of the framework's table, one of Node's file-system codes, or the one a tool's error carried. */
  code: string;
  message: string;
  /** Where in the arguments the fault lies (a JSON Pointer), or the path of a file-system error. */
  path?: string;
  dest?: string;
  syscall?: string;
  errno?: number;
  /** Only in development. */
  stack?: string;
}

/** A file's `stat` as plain data; the client makes Node's shape of it again. */
export interface WireStats {
  ino: number;
  mode: number;
  nlink: number;
  uid: number;
  gid: number;
  size: number;
  blocks: number;
  blksize: number;
  atimeMs: number;
  mtimeMs: number;
  ctimeMs: number;
  birthtimeMs: number;
}

/** A directory's entry as plain data. */
export interface WireDirent {
  name: string;
  parentPath: string;
  kind: "file" | "directory" | "symlink";
}

/** A run's options as they cross: those of `ExecOptions` that are data. */
export interface WireExecOptions {
  backend?: string;
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  timeoutMs?: number;
  maxOutputBytes?: number;
}

/** An event of the `exec` door, as the `data` of a server-sent event. */
export type WireRunEvent = { text: string } | { base64: string } | WireRunEnd;

/** The `data` of the last event of the `exec` door. */
export type WireRunEnd = RunEnd & { runId: string; backend: string };
