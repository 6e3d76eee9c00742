import type { Node } from "../vfs/node.ts";
import type { Store } from "../vfs/store.ts";
import { HOST, type RunNumber } from "./recorder.ts";

/** Where a name led for a while, and who saw to that. `node` is undefined while it led nowhere. */
export interface NameVersion {
  readonly node: number | undefined;
  readonly run: RunNumber;
}

/** How a node was for a while, and who saw to that. */
export interface NodeVersion {
  readonly node: Node;
  /** The revision that ended it; undefined for the present one. */
  readonly until: number | undefined;
}

/** Versions that are looked at: a row that changed hands more often is taken as changed by others. */
const MAX_VERSIONS = 1000;

/** The versions of a name since a revision, the present one first, that of the revision last. */
export function nameVersions(store: Store, parent: number, name: Uint8Array, from: number): NameVersion[] {
  type Row = { node: number; rev: number; run: number };
  const [live] = store.sql.exec<Row>(
    "SELECT node, rev, run FROM vfs_dirent WHERE parent = ? AND name = ?",
    parent,
    name,
  );
  const past = store.sql.exec<Row & { until: number; by: number }>(
    `SELECT node, rev, run, until, by FROM vfs_dirent_past WHERE parent = ? AND name = ? AND until > ?
     ORDER BY until DESC LIMIT ?`,
    parent,
    name,
    from,
    MAX_VERSIONS,
  );
  const versions: NameVersion[] = [];
  let begin: number | undefined;
  if (live !== undefined) {
    versions.push({ node: live.node, run: live.run });
    begin = live.rev;
  }
  for (const row of past) {
    // Between two times that it led somewhere it led nowhere.
    if (begin === undefined || begin > row.until) versions.push({ node: undefined, run: row.by });
    versions.push({ node: row.node, run: row.run });
    begin = row.rev;
  }
  if (begin === undefined || begin > from) versions.push({ node: undefined, run: HOST });
  return versions;
}

/** The kept versions of a node since a revision, the latest first, that of the revision last. */
export function nodeVersions(store: Store, id: number, from: number): NodeVersion[] {
  const live = store.find(id);
  const past = store.sql.exec<Node & { until: number }>(
    "SELECT * FROM vfs_node_past WHERE id = ? AND until > ? ORDER BY until DESC LIMIT ?",
    id,
    from,
    MAX_VERSIONS,
  );
  return [
    ...(live === undefined ? [] : [{ node: live, until: undefined }]),
    ...past.map((node) => ({ node, until: node.until })),
  ];
}

/** What becomes of a value when a run's part is taken out of its versions. */
export interface Rewound {
  /** The version to go back to, by its place; 0 when there is nothing to take back. */
  readonly to: number;
  /** The run changed it, and others did after that: their version, or what it stands on, is left. */
  readonly changedSince: boolean;
}

/** How far back it is looked whether somebody only set back what there was. */
const LOOK_BACK = 32;

/**
 * Takes a run's part out of a value's versions, the latest first: back to the latest one that is by somebody else.
 * Versions that hold the same value count as one, made by who made the first of them; and who set a value back to
 * what it was, as another undoing does, has changed nothing.
 */
export function rewind<Version>(
  versions: readonly Version[],
  run: RunNumber,
  writer: (version: Version) => RunNumber,
  same: (a: Version, b: Version) => boolean,
): Rewound {
  let to = 0;
  let taking = true;
  let changedSince = false;
  // The last version is the base, which was there before the run changed anything.
  for (let i = 0; i < versions.length - 1; ) {
    const version = versions[i] as Version;
    if (writer(version) === run && !same(version, versions[i + 1] as Version)) {
      if (taking) to = i + 1;
      else changedSince = true;
      i += 1;
      continue;
    }
    const before = versions.slice(i + 1, i + 1 + LOOK_BACK).findIndex((older) => same(version, older));
    if (before < 0) taking = false;
    i += Math.max(before, 0) + 1;
    if (taking) to = i;
  }
  return { to, changedSince };
}
