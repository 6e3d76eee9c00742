/**
 * What the host (the workspace's side) and the guest (the interpreter's side) say to each other. All of
 * it passes through Workers RPC unchanged, so there are only plain values here.
 */

/** One run as the guest gets it. */
export interface GuestRequest {
  readonly source: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  readonly maxOutputBytes: number;
}

/** How a run ended by itself. */
export interface GuestOutcome {
  readonly exitCode: number;
  /** Set when a bound of the interpreter ended the run: which one, in words. */
  readonly limit?: string;
  /** Bytes of output that were not sent, because the run's bound was reached. */
  readonly droppedBytes: number;
}

/** What the host lends the guest for one run. */
export interface GuestHost {
  /** One verb on the workspace's files. Never rejects for what a file system may refuse. */
  file(verb: string, parameters: readonly unknown[]): Promise<FileAnswer>;
  /** Takes output in the order of the calls. */
  write(stream: "stdout" | "stderr", data: Uint8Array): Promise<void>;
  /** Resolves when the run must stop, or has ended. */
  stopped(): Promise<void>;
}

/** An interpreter that runs what it is given. */
export interface Guest {
  exec(request: GuestRequest, host: GuestHost): Promise<GuestOutcome>;
}

/**
 * The answer to a file verb. An envelope, since Workers RPC keeps of an Error little more than its
 * message, and a shell needs the code.
 */
export type FileAnswer = { readonly value: unknown } | { readonly error: FileFault };

/** An error of the file system, as data. */
export interface FileFault {
  readonly code: string;
  readonly message: string;
}

/** The kind of a node in a listing or a stat. */
export type EntryKind = "file" | "directory" | "symlink";

/** What the guest needs of a stat. */
export interface EntryStat {
  readonly kind: EntryKind;
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

/** The verbs of the file bridge: their parameters and results. */
export interface FileVerbs {
  readFile(path: string): Promise<Uint8Array>;
  writeFile(path: string, data: Uint8Array): Promise<void>;
  appendFile(path: string, data: Uint8Array): Promise<void>;
  exists(path: string): Promise<boolean>;
  stat(path: string): Promise<EntryStat>;
  lstat(path: string): Promise<EntryStat>;
  mkdir(path: string, recursive: boolean): Promise<void>;
  readdir(path: string): Promise<[name: string, kind: EntryKind][]>;
  /** Removes a folder that is empty. */
  rmdir(path: string): Promise<void>;
  rm(path: string, recursive: boolean, force: boolean): Promise<void>;
  cp(source: string, target: string, recursive: boolean): Promise<void>;
  mv(source: string, target: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  realpath(path: string): Promise<string>;
  utimes(path: string, atimeMs: number, mtimeMs: number): Promise<void>;
}
