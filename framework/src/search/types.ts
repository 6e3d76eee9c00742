/** Globs that say which paths take part. One without a slash is about names at any depth, one with a slash about paths below `path`. */
export type Globs = string | readonly string[];

/** Which part of a tree is searched, and how much of it at a time. */
export interface SearchOptions {
  /** Where to search: a directory with all below it, or one file. Default `/`. */
  path?: string;
  /** Only files (for `find`: entries) that one of these globs matches. Default all. */
  include?: Globs;
  /** Not what one of these globs matches, and nothing below it. */
  exclude?: Globs;
  /** Leave out what the `.gitignore` files on the way say, and `.git`. Default false. */
  gitignore?: boolean;
  /** Go through symbolic links, except those that lead back to where they are. Default false. */
  followSymlinks?: boolean;
  /** Results that are answered at a time: 1 to 10,000, default 1,000. */
  limit?: number;
  /** Where an earlier answer ended: its `cursor`. The other options should be the same. */
  cursor?: string;
  /** Ends the search; it then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** Options of `grep`. */
export interface GrepOptions extends SearchOptions {
  /** The pattern is a text, not a regular expression. Default false. */
  fixed?: boolean;
  /** Upper and lower case are the same. Default false. */
  ignoreCase?: boolean;
  /** Lines to show around each match, 0 to 20. Default 0. */
  context?: number;
  /** Lines to show before each match; instead of `context`. */
  before?: number;
  /** Lines to show after each match; instead of `context`. */
  after?: number;
  /** Matching lines of one file at most. Default as many as there are. */
  limitPerFile?: number;
  /** Characters of a line that are shown, 40 to 10,000: of a longer one the part around the match. Default 500. */
  maxLineLength?: number;
}

/**
 * Why an answer is not all there is:
 *
 * - `results`: there are more than `limit`; go on with `cursor`;
 * - `size`: paths and lines add up to a million characters; go on with `cursor`;
 * - `work`: a million entries or 4 GiB were looked at; go on with `cursor`;
 * - `perFile`: a file has more matching lines than `limitPerFile`;
 * - `lineLength`: a line is shown in part;
 * - `gitignore`: a `.gitignore` has too many rules, or too long ones, and was not heeded.
 */
export type SearchLimit = "results" | "size" | "work" | "perFile" | "lineLength" | "gitignore";

/** What the answer of a search says besides what was found. */
export interface SearchPage {
  /** Where to go on; absent at the end. */
  readonly cursor?: string;
  /** Why this is not all; empty when it is. */
  readonly limits: readonly SearchLimit[];
}

/** A line that matches. */
export interface GrepMatch {
  /** The file. A path longer than 4,095 bytes is shown as it is, but no verb takes it. */
  readonly path: string;
  /** The line's number, from 1. */
  readonly line: number;
  /** Where in the line the first match begins: UTF-16 units, from 1. */
  readonly column: number;
  /** UTF-16 units that the first match has. */
  readonly length: number;
  /** The line without its newline, or the part of it around the match. Bytes that are not UTF-8 are U+FFFD. */
  readonly text: string;
  /** Where in the line `text` begins: 0 unless the line is shown in part. */
  readonly offset: number;
  /** The lines before it, if these were asked for. */
  readonly before?: readonly string[];
  /** The lines after it, if these were asked for. */
  readonly after?: readonly string[];
}

/** What `grep` answers: matching lines in the order of their paths' bytes, and in a file from the top. */
export interface GrepResult extends SearchPage {
  readonly matches: readonly GrepMatch[];
  /** Text files that were searched. */
  readonly files: number;
  /** Files that were skipped since they are binary: with a NUL in their first 8,000 bytes. */
  readonly binary: number;
}

/** Options of `find`. */
export interface FindOptions extends SearchOptions {
  /** Only entries of this kind. */
  type?: "file" | "directory" | "symlink";
  /** Only files of at least so many bytes. */
  minSize?: number;
  /** Only files of at most so many bytes. */
  maxSize?: number;
  /** Only what was modified at this time or later; milliseconds since 1970 or a date. */
  modifiedSince?: number | Date;
  /** Directories to go down: 1 is what is in `path` itself. Default as many as there are. */
  maxDepth?: number;
}

/** An entry that `find` found. */
export interface FoundEntry {
  /** A path longer than 4,095 bytes is shown as it is, but no verb takes it. */
  readonly path: string;
  readonly type: "file" | "directory" | "symlink";
  /** Bytes of content; of a symbolic link, bytes of its target. */
  readonly size: number;
  readonly mtimeMs: number;
}

/** What `find` answers: entries in the order of their paths' bytes. */
export interface FindResult extends SearchPage {
  readonly entries: readonly FoundEntry[];
}

/** Options of `glob`, as of `node:fs/promises`. */
export interface GlobOptions {
  /** What patterns are relative to that do not begin with a slash. Default `/`. */
  cwd?: string;
  /** Globs, or a function that is asked with each path as it would be answered; what is excluded is not gone into. */
  exclude?: readonly string[] | ((path: string) => boolean);
  /** Whether `**` and other wildcards go through symbolic links to directories. Default false. */
  followSymlinks?: boolean;
  /** Answer directory entries instead of paths. */
  withFileTypes?: boolean;
  /** Ends the iteration, which then throws the signal's reason. */
  signal?: AbortSignal;
}
