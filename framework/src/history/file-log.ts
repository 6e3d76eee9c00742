import { type Node, PERMISSIONS } from "../vfs/node.ts";
import { nameBytes } from "../vfs/paths.ts";
import type { Tree } from "../vfs/tree.ts";
import { kindOf } from "./compare.ts";
import { PastStore } from "./past-store.ts";
import { Paths } from "./paths.ts";
import type { Pins } from "./pins.ts";
import type { FileVersion } from "./types.ts";

/** The kept versions of what a path leads to, the present one first. */
export function fileLog(tree: Tree, pins: Pins, path: string, limit: number): FileVersion[] {
  const call = { syscall: "log", path };
  const target = tree.resolver.locate(path, "never", call);
  const { store } = tree;
  const versions: FileVersion[] = [];
  const add = (node: Node, until: number | undefined, at: string | undefined) => {
    if (versions.length < limit) versions.push(toVersion(node, until, at ?? path, pins.runId(node.run)));
  };
  /** Adds versions of a node that ended before a revision, or the present one too. Answers when the first began. */
  const addNode = (id: number, end: number): void => {
    if (end === PRESENT) {
      const node = store.find(id);
      if (node !== undefined) add(node, undefined, new Paths(store, false).of(id));
    }
    const past = store.sql.exec<Node & { until: number }>(
      "SELECT * FROM vfs_node_past WHERE id = ? AND until <= ? ORDER BY until DESC LIMIT ?",
      id,
      end,
      limit - versions.length,
    );
    for (const node of past) {
      const view = new PastStore(store.sql, node.until - 1);
      add(node, node.until, new Paths(view, true).of(id));
    }
  };
  const seen = new Set<number>();
  if (target.node !== undefined) {
    seen.add(target.node.id);
    addNode(target.node.id, PRESENT);
  }
  // What had the name before: a file that is replaced when it is saved is another node each time.
  const names = store.sql.exec<{ node: number; until: number }>(
    "SELECT node, until FROM vfs_dirent_past WHERE parent = ? AND name = ? ORDER BY until DESC LIMIT ?",
    target.parent.id,
    nameBytes(target.name, call),
    limit,
  );
  for (const { node, until } of names) {
    if (versions.length >= limit) break;
    if (seen.has(node)) continue;
    seen.add(node);
    addNode(node, until);
  }
  return versions;
}

const PRESENT = Number.MAX_SAFE_INTEGER;

function toVersion(
  node: Node,
  until: number | undefined,
  path: string,
  runId: string | undefined,
): FileVersion {
  return {
    path,
    ino: node.id,
    since: node.since === 0 ? undefined : node.since,
    until: until === undefined ? undefined : until - 1,
    time: new Date(node.ctime_s * 1000 + node.ctime_ns / 1_000_000),
    runId,
    type: kindOf(node),
    mode: node.mode & PERMISSIONS,
    size: node.size,
  };
}
