import { EPOCH } from "../vfs/counters.ts";
import { ROOT } from "../vfs/layout.ts";
import { decodeName } from "../vfs/names.ts";
import { pause } from "../vfs/pause.ts";
import { settle } from "../vfs/settle.ts";
import type { Sql } from "../vfs/sql/types.ts";
import type { Tree } from "../vfs/tree.ts";
import { checkChunks, checkContent } from "./content.ts";
import { Findings } from "./findings.ts";
import { checkHistory } from "./history.ts";
import { checkNodes } from "./nodes.ts";
import type { Steps } from "./pages.ts";
import type { CheckOptions, CheckReport } from "./types.ts";

/** How often a check is begun anew because something changed under it; the last one lets nobody in between. */
const ATTEMPTS = 4;

/** Problems whose paths are looked up. */
const PATHS_MAX = 50;

/**
 * Looks whether a tree is as it should be, in steps. What is found while others changed something may be of
 * their making, so it is looked for again.
 */
export async function check(tree: () => Tree, options: CheckOptions = {}): Promise<CheckReport> {
  await settle(tree());
  for (let attempt = 1; ; attempt++) {
    const findings = new Findings();
    const { store } = tree();
    const before = store.latestRevision;
    for (const _ of steps(tree(), findings, options)) {
      if (attempt === ATTEMPTS) continue;
      await pause();
      tree();
    }
    if (findings.list.length === 0 || store.latestRevision === before || attempt === ATTEMPTS)
      return report(store.sql, findings);
  }
}

function* steps(tree: Tree, findings: Findings, { content = true, pages = false }: CheckOptions): Steps {
  const { sql, usage, latestRevision } = tree.store;
  if (pages) {
    for (const row of sql.exec("PRAGMA integrity_check(20)")) {
      const text = String(Object.values(row)[0]);
      if (text !== "ok") findings.add("DATABASE", "SQLite", text);
    }
  }
  checkCounters(sql, findings);
  yield;
  yield* checkNodes(sql, findings, latestRevision);
  yield* checkContent(sql, findings);
  yield* checkChunks(sql, tree.chunks, findings, content);
  yield* checkHistory(sql, findings, latestRevision);
  while (usage.step()) yield;
  const [rows] = sql.exec<{ entries: number; bytes: number | null }>(
    "SELECT count(*) AS entries, sum(size) AS bytes FROM vfs_node WHERE id > ?",
    ROOT,
  );
  const { bytes, entries } = usage.counts;
  if (rows?.entries !== entries || (rows.bytes ?? 0) !== bytes)
    findings.add(
      "USAGE",
      "usage",
      `counts ${entries} entries of ${bytes} bytes; there are ${rows?.entries} of ${rows?.bytes ?? 0}`,
    );
}

/** The counts that give out numbers must be beyond all that were given out. */
function checkCounters(sql: Sql, findings: Findings): void {
  const [rows] = sql.exec<{ id: number | null; rev: number | null }>(
    "SELECT (SELECT max(id) FROM vfs_node) AS id, (SELECT max(rev) FROM vfs_dirent) AS rev",
  );
  const value = (key: string): number | undefined => {
    const [row] = sql.exec("SELECT value FROM vfs_meta WHERE key = ?", key);
    if (typeof row?.value === "number") return row.value;
    findings.add("COUNTER", key, "is missing or no number");
    return undefined;
  };
  const [epoch, id, revision] = [value("epoch"), value("id"), value("revision")];
  if (epoch === undefined || id === undefined || revision === undefined) return;
  const used = (rows?.id ?? 0) - epoch * EPOCH;
  if (used >= id && used < EPOCH) findings.add("COUNTER", "id", `is ${id}, but ${used} was given out`);
  if ((rows?.rev ?? 0) >= revision)
    findings.add("COUNTER", "revision", `is ${revision}, but ${rows?.rev} was given out`);
}

function report(sql: Sql, findings: Findings): CheckReport {
  let left = PATHS_MAX;
  const problems = findings.problems((node) => (left-- > 0 ? pathOf(sql, node) : undefined));
  return {
    ok: problems.length === 0,
    problems,
    truncated: findings.truncated,
    checked: { ...findings.checked },
  };
}

/** The path of a node by the homes of what it lies in; undefined when these do not lead from the root to it. */
function pathOf(sql: Sql, node: number): string | undefined {
  const names: string[] = [];
  let at = node;
  for (let depth = 0; at !== ROOT; depth++) {
    const [row] = sql.exec<{ parent: number; name: Uint8Array }>(
      `SELECT n.parent, n.name FROM vfs_node n
       JOIN vfs_dirent d ON d.parent = n.parent AND d.name = n.name AND d.node = n.id WHERE n.id = ?`,
      at,
    );
    if (row === undefined || depth > 256) return undefined;
    names.push(decodeName(row.name));
    at = row.parent;
  }
  return `/${names.reverse().join("/")}`;
}
