/** Changes of a tree as data, for whoever holds the other copy of it. Names are text, see `names.ts`. */

/** The kind of a node. */
export type NodeKind = "file" | "directory" | "symlink" | "fifo" | "socket" | "device";

/** Attributes of a node. Times are seconds and nanoseconds since 1970. */
export interface NodeState {
  id: number;
  kind: NodeKind;
  /** Permission bits with setuid, setgid and sticky: `mode & 0o7777`. */
  mode: number;
  uid: number;
  gid: number;
  size: number;
  mtime: readonly [number, number];
  atime: readonly [number, number];
  ctime: readonly [number, number];
  nlink: number;
  /** Of a symbolic link: where it leads, as text. */
  target?: string;
  /** Extended attributes, if there are any. */
  xattrs?: Record<string, Uint8Array>;
}

/** A node that changed, and what of it. */
export interface NodeChange extends NodeState {
  created: boolean;
  attributes: boolean;
  content: boolean;
}

/** A name that leads elsewhere than before; `null`: nowhere any more. */
export interface NameChange {
  parent: number;
  name: string;
  node: number | null;
}

/** Net changes from one version to another. */
export interface TreeChanges {
  from: number;
  to: number;
  /** False: not everything since `from` is known any more; compare the whole tree. */
  complete: boolean;
  nodes: NodeChange[];
  names: NameChange[];
  /** Nodes that were there and are not any more. */
  removed: number[];
}

/** What a node shall be. What is left out stays, or is the default of a new node. */
export interface NodePut {
  id: number;
  kind: NodeKind;
  mode?: number;
  uid?: number;
  gid?: number;
  mtime?: readonly [number, number];
  atime?: readonly [number, number];
  target?: string;
  xattrs?: Record<string, Uint8Array>;
  /** All bytes of a file. */
  content?: Uint8Array;
}

/**
 * Changes from outside. Nodes are told first, then names; the order within does not matter, so that names
 * may change places. A node that no name leads to afterwards is gone, and who holds it open gets ESTALE.
 *
 * @example
 * const set: ChangeSet = {
 *   nodes: [{ id: 4711, kind: "file", mode: 0o644, content: Buffer.from("hello\n") }],
 *   names: [{ parent: 1, name: "greeting", node: 4711 }],
 * };
 */
export interface ChangeSet {
  nodes: readonly NodePut[];
  names: readonly NameChange[];
}

/** How a change set is applied. */
export interface ApplyOptions {
  /** The version that the changes are based on: what changed here since is left alone, and reported. */
  base?: number;
}

/** Something of a change set that was left as it is here. */
export interface Conflict {
  /** `content` and `attributes` name a node, `name` a name. */
  about: "content" | "attributes" | "name";
  node?: number;
  parent?: number;
  name?: string;
  /** In words: it changed here too, there is no such directory, the directory is not empty ... */
  why: string;
}

/** What became of a change set. */
export interface ApplyResult {
  /** The tree's version with the changes. */
  version: number;
  conflicts: Conflict[];
}
