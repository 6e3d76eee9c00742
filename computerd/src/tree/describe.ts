import type { NodeChange, NodeKind, NodeState, TreeChanges } from "./changes.ts";
import { type Inode, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } from "./inode.ts";
import type { Delta } from "./log.ts";
import { nameToText } from "./names.ts";

const S_IFIFO = 0o010000;
const S_IFSOCK = 0o140000;

const KINDS = new Map<number, NodeKind>([
  [S_IFREG, "file"],
  [S_IFDIR, "directory"],
  [S_IFLNK, "symlink"],
  [S_IFIFO, "fifo"],
  [S_IFSOCK, "socket"],
]);

/** The kind bits of a mode for a kind. */
export function kindBits(kind: NodeKind): number {
  for (const [bits, name] of KINDS) if (name === kind) return bits;
  return S_IFREG;
}

/** The kind that a mode tells. */
export function kindOf(mode: number): NodeKind {
  return KINDS.get(mode & S_IFMT) ?? "device";
}

/** A node as data. */
export function describeNode(node: Inode): NodeState {
  const state: NodeState = {
    id: node.id,
    kind: kindOf(node.mode),
    mode: node.mode & 0o7777,
    uid: node.uid,
    gid: node.gid,
    size: node.size,
    mtime: [node.mtimeSec, node.mtimeNsec],
    atime: [node.atimeSec, node.atimeNsec],
    ctime: [node.ctimeSec, node.ctimeNsec],
    nlink: node.nlink,
  };
  if (node.target !== undefined) state.target = nameToText(node.target.toString("latin1"));
  if (node.xattrs !== undefined) {
    state.xattrs = Object.fromEntries(
      [...node.xattrs].map(([name, value]) => [nameToText(name), new Uint8Array(value)]),
    );
  }
  return state;
}

/** Net changes as data. */
export function describeDelta({ from, to, complete, nodes, names, removed }: Delta): TreeChanges {
  return {
    from,
    to,
    complete,
    nodes: nodes.map(
      ({ node, created, attributes, content }): NodeChange => ({
        ...describeNode(node),
        created,
        attributes,
        content,
      }),
    ),
    names: names.map(({ directory, name, node }) => ({
      parent: directory.id,
      name: nameToText(name),
      node: node?.id ?? null,
    })),
    removed,
  };
}
