/** What kind of problem the checker found. */
export type ProblemCode =
  /** SQLite finds its own pages or indexes damaged. */
  | "DATABASE"
  /** A count that gives out numbers is missing, or behind what was given out. */
  | "COUNTER"
  /** The counts of bytes and entries differ from what is there. */
  | "USAGE"
  /** The root directory is missing or no directory. */
  | "ROOT"
  /** A node is of no known kind, or has impossible values. */
  | "NODE"
  /** Nothing leads to a node. */
  | "ORPHAN"
  /** A node says another number of links than there are. */
  | "LINKS"
  /** A directory has several names. */
  | "TWICE"
  /** Directories contain each other, and the root does not lead to them. */
  | "CYCLE"
  /** A node's home is not the entry that leads to it. */
  | "HOME"
  /** An entry names a node that is missing. */
  | "DANGLING"
  /** An entry lies in what is no directory. */
  | "PARENT"
  /** An entry's name cannot be one. */
  | "NAME"
  /** Small content is missing, of another size than the node says, or of no node. */
  | "CONTENT"
  /** A place of large content is beyond its file, or of no file. */
  | "EXTENT"
  /** A chunk that is used is missing. */
  | "CHUNK_MISSING"
  /** A chunk says another number of uses than there are. */
  | "CHUNK_USES"
  /** A chunk's bytes are missing, or not those that its hash stands for. */
  | "CHUNK_BYTES"
  /** Bytes belong to no chunk. */
  | "BYTES"
  /** Old versions contradict each other or what is there now. */
  | "HISTORY";

/** Something that is not as it should be. */
export interface Problem {
  readonly code: ProblemCode;
  /** A path where one leads there; else the node, entry or chunk. */
  readonly where: string;
  readonly what: string;
}

/** What `workspace.check()` found. */
export interface CheckReport {
  /** Whether all is as it should be. */
  readonly ok: boolean;
  /** At most 1,000; `truncated` says whether there are more. */
  readonly problems: readonly Problem[];
  readonly truncated: boolean;
  /** What was looked at. */
  readonly checked: {
    readonly nodes: number;
    readonly entries: number;
    readonly chunks: number;
    readonly versions: number;
  };
}

/** Options of `workspace.check()`. */
export interface CheckOptions {
  /** Also read every chunk and compare its bytes with its hash; true by default. */
  content?: boolean;
  /** Also let SQLite check its pages and indexes, all in one go; false by default. */
  pages?: boolean;
}
