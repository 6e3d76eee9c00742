import { INLINE_BYTES, NAME_MAX, PATH_MAX, REMOVED, ROOT } from "../vfs/layout.ts";
import { decodeName } from "../vfs/names.ts";
import { isDirectory, isFile, isSymlink } from "../vfs/node.ts";
import type { Sql } from "../vfs/sql/types.ts";
import type { Findings } from "./findings.ts";
import { pages, type Steps } from "./pages.ts";

/** Nodes whose links are counted at the same time: 20 bytes of memory each, and one walk over all entries per window. */
const WINDOW = 262_144;

type NodeRow = {
  id: number;
  mode: number;
  nlink: number;
  size: number;
  rev: number;
  ns: number;
  bytes: number | null;
};

type EntryRow = {
  parent: number;
  name: Uint8Array;
  node: number;
  mode: number | null;
  home: number | null;
  homeName: Uint8Array | null;
  parentMode: number | null;
};

/** Some nodes, in the order of their numbers, and what leads to them. */
class Window {
  readonly ids = new Float64Array(WINDOW);
  readonly modes = new Uint16Array(WINDOW);
  readonly nlinks = new Int32Array(WINDOW);
  readonly links = new Int32Array(WINDOW);
  /** Entries of the node that are directories. */
  readonly subdirectories = new Int32Array(WINDOW);
  /** Whether the node waits to be taken apart. */
  readonly aside = new Uint8Array(WINDOW);
  count = 0;

  clear(): void {
    this.count = 0;
    this.links.fill(0);
    this.subdirectories.fill(0);
    this.aside.fill(0);
  }

  /** Where a node is, or -1. */
  find(id: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.ids[middle] as number;
      if (found === id) return middle;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

/** Nodes one by one, then what leads to them. */
export function* checkNodes(sql: Sql, findings: Findings, revision: number): Steps {
  const window = new Window();
  const next = pages<NodeRow>(
    sql,
    `SELECT n.id, n.mode, n.nlink, n.size, n.rev, length(c.data) AS bytes,
     max(n.atime_ns, n.mtime_ns, n.ctime_ns, n.btime_ns) - 1000000000 * (min(n.atime_ns, n.mtime_ns, n.ctime_ns, n.btime_ns) < 0) AS ns
     FROM vfs_node n LEFT JOIN vfs_content c ON c.node = n.id WHERE n.id > ? ORDER BY n.id LIMIT ?`,
    [Number.MIN_SAFE_INTEGER],
    ({ id }) => [id],
  );
  let first = true;
  for (let more = true; more; first = false) {
    window.clear();
    while (window.count + 2048 <= WINDOW) {
      const { value, done } = next.next();
      if (done) {
        more = false;
        break;
      }
      for (const row of value) {
        checkNode(row, findings, revision);
        window.ids[window.count] = row.id;
        window.modes[window.count] = row.mode;
        window.nlinks[window.count] = row.nlink;
        window.count += 1;
      }
      yield;
    }
    if (first) {
      const root = window.find(ROOT);
      if (root < 0 || !isDirectory(window.modes[root] as number))
        findings.add("ROOT", "/", "is no directory, or missing");
    }
    yield* countLinks(sql, window, findings, first);
    compareLinks(window, findings);
    yield* checkReach(sql, window, findings);
    findings.checked.nodes += window.count;
  }
}

function checkNode(
  { id, mode, nlink, size, rev, ns, bytes }: NodeRow,
  findings: Findings,
  revision: number,
): void {
  const wrong = (what: string) => findings.add("NODE", id, what);
  if (!isDirectory(mode) && !isFile(mode) && !isSymlink(mode))
    wrong(`has the mode 0${mode.toString(8)}, of no kind`);
  if (id < ROOT || nlink < 0 || size < 0) wrong("has a negative number");
  if (ns < 0 || ns >= 1_000_000_000) wrong("has a time with impossible nanoseconds");
  if (rev > revision) wrong(`was written by revision ${rev}, which was not made yet`);
  if (isDirectory(mode) && size !== 0) wrong(`is a directory with a size, ${size}`);
  if (isSymlink(mode) && (size === 0 || size >= PATH_MAX)) wrong(`is a link whose target has ${size} bytes`);
  if (size > 0 && size <= INLINE_BYTES && !isDirectory(mode)) {
    if (bytes === null) findings.add("CONTENT", id, `has lost its content of ${size} bytes`);
    else if (bytes !== size) findings.add("CONTENT", id, `has ${bytes} bytes, but says ${size}`);
  } else if (bytes !== null) findings.add("CONTENT", id, `has ${bytes} bytes in a row, where none belongs`);
}

/** Walks over all entries; what concerns an entry alone is told on the first walk. */
function* countLinks(sql: Sql, window: Window, findings: Findings, first: boolean): Steps {
  const all = pages<EntryRow>(
    sql,
    `SELECT d.parent, d.name, d.node, n.mode, n.parent AS home, n.name AS homeName, p.mode AS parentMode
     FROM vfs_dirent d LEFT JOIN vfs_node n ON n.id = d.node LEFT JOIN vfs_node p ON p.id = d.parent
     WHERE (d.parent, d.name) > (?, ?) ORDER BY d.parent, d.name LIMIT ?`,
    [-1, new Uint8Array()],
    ({ parent, name }) => [parent, name],
  );
  for (const rows of all) {
    for (const row of rows) {
      if (first) checkEntry(row, findings);
      const child = window.find(row.node);
      if (row.parent === REMOVED) {
        if (child >= 0) window.aside[child] = 1;
        continue;
      }
      if (child >= 0) window.links[child] = (window.links[child] as number) + 1;
      const parent = row.mode !== null && isDirectory(row.mode) ? window.find(row.parent) : -1;
      if (parent >= 0) window.subdirectories[parent] = (window.subdirectories[parent] as number) + 1;
    }
    if (first) findings.checked.entries += rows.length;
    yield;
  }
}

function checkEntry(row: EntryRow, findings: Findings): void {
  const { parent, name, node, mode, home, homeName, parentMode } = row;
  const label = () => `entry '${decodeName(name)}' of node ${parent}`;
  if (mode === null) {
    findings.add("DANGLING", label(), `names node ${node}, which is missing`);
    return;
  }
  if (parent === REMOVED) return;
  if (parentMode === null || !isDirectory(parentMode))
    findings.add("PARENT", label(), "lies in no directory");
  if (!isName(name)) findings.add("NAME", label(), "has a name that cannot be one");
  const same = home === parent && homeName !== null && compare(homeName, name) === 0;
  // A file may remember a name that was taken away when it had others; a directory has but one.
  if (isDirectory(mode) && !same) findings.add("HOME", node, "does not know the entry that leads to it");
}

function compareLinks(window: Window, findings: Findings): void {
  for (let i = 0; i < window.count; i++) {
    const id = window.ids[i] as number;
    const links = window.links[i] as number;
    if (window.aside[i] === 1) continue;
    const directory = isDirectory(window.modes[i] as number);
    if (id === ROOT) {
      if (links > 0) findings.add("CYCLE", id, "is the root, and lies in a directory");
    } else if (links === 0) findings.add("ORPHAN", id, "is there, but nothing leads to it");
    else if (directory && links > 1) findings.add("TWICE", id, `is a directory with ${links} names`);
    const expected = directory ? 2 + (window.subdirectories[i] as number) : links;
    const said = window.nlinks[i] as number;
    if (said !== expected && links + (id === ROOT ? 1 : 0) > 0)
      findings.add("LINKS", id, `has ${expected} links, but says ${said}`);
  }
}

/** Walks up from every directory; whoever does not come to the root is in a circle. */
function* checkReach(sql: Sql, window: Window, findings: Findings): Steps {
  const reached = new Uint8Array(window.count);
  let steps = 0;
  for (let i = 0; i < window.count; i++) {
    if (reached[i] !== 0 || !isDirectory(window.modes[i] as number) || window.links[i] === 0) continue;
    const way = new Set<number>();
    let at = window.ids[i] as number;
    let circle = false;
    while (at !== ROOT) {
      if (way.has(at)) {
        circle = true;
        break;
      }
      way.add(at);
      const known = window.find(at);
      if (known >= 0 && (reached[known] !== 0 || window.aside[known] === 1)) break;
      const [row] = sql.exec<{ parent: number }>("SELECT parent FROM vfs_node WHERE id = ?", at);
      if (++steps % 2048 === 0) yield;
      // What is missing on the way is told where its entry is.
      if (row === undefined || row.parent === REMOVED) break;
      at = row.parent;
    }
    if (circle)
      findings.add(
        "CYCLE",
        `node ${window.ids[i]}`,
        "lies in a circle of directories, which the root does not lead to",
      );
    for (const id of way) {
      const known = window.find(id);
      if (known >= 0) reached[known] = 1;
    }
  }
}

function isName(name: Uint8Array): boolean {
  if (name.length === 0 || name.length > NAME_MAX) return false;
  if (name.includes(0) || name.includes(0x2f)) return false;
  return !(name[0] === 0x2e && (name.length === 1 || (name.length === 2 && name[1] === 0x2e)));
}

function compare(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return a.length - b.length;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number);
  return 0;
}
