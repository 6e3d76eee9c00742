import type { Version } from "../vfs/content.ts";
import { hasCode } from "../vfs/errors.ts";
import { INLINE_BYTES, ROOT } from "../vfs/layout.ts";
import { decodeName, encodeName } from "../vfs/names.ts";
import { isDirectory, isSymlink, type Node } from "../vfs/node.ts";
import { NAME_COLUMN } from "../vfs/store.ts";
import type { Tree } from "../vfs/tree.ts";

/** An entry as a search sees it. Its name is a string or bytes, as it was read; the other is made when asked for. */
export class Entry {
  readonly node: number;
  readonly mode: number;
  readonly size: number;
  /** When it was modified, in seconds and nanoseconds, if that was read too. */
  readonly mtime: readonly [number, number] | undefined;
  #name: string | Uint8Array;

  constructor({ name, node, mode, size, s, ns }: EntryRow) {
    this.#name = name;
    this.node = node;
    this.mode = mode;
    this.size = size;
    if (s !== undefined && ns !== undefined) this.mtime = [s, ns];
  }

  get name(): string {
    if (typeof this.#name !== "string") this.#name = decodeName(this.#name);
    return this.#name;
  }

  get bytes(): Uint8Array {
    return typeof this.#name === "string" ? (encodeName(this.#name) as Uint8Array) : this.#name;
  }
}

interface EntryRow {
  name: string | Uint8Array;
  node: number;
  mode: number;
  size: number;
  s?: number;
  ns?: number;
}

/** Columns of entries. With times only where they are shown. */
const COLUMNS = `${NAME_COLUMN} AS name, d.node AS node, n.mode AS mode, n.size AS size`;
const TIMES = "n.mtime_s AS s, n.mtime_ns AS ns";

/** Content of a small file; null when it is binary. */
export type Small = Uint8Array | null;

/** Bytes at the start of a file in which a NUL makes it binary, as in git. */
export const BINARY_PREFIX = 8000;

/** Bytes of a text that the database searches for: for a longer one its beginning. */
const NEEDLE_MAX = 64;

/** Reads rows for searches: many at once, and by node, so that no path is too long. */
export class Source {
  readonly #tree: () => Tree;
  readonly #times: boolean;

  /** @param times whether entries tell when they were modified. */
  constructor(tree: () => Tree, times = false) {
    this.#tree = tree;
    this.#times = times;
  }

  /** Entries of a directory in the order of their bytes, those after a name. */
  page(directory: number, after: Uint8Array, limit: number): Entry[] {
    return this.#entries(
      `SELECT ${this.#times ? `${COLUMNS}, ${TIMES}` : COLUMNS}
       FROM vfs_dirent d JOIN vfs_node n ON n.id = d.node WHERE d.parent = ? AND d.name > ? ORDER BY d.name LIMIT ?`,
      directory,
      after,
      limit,
    );
  }

  /** The entry of a directory that has a name. */
  entry(directory: number, name: Uint8Array): Entry | undefined {
    return this.#entries(
      `SELECT ${this.#times ? `${COLUMNS}, ${TIMES}` : COLUMNS}
       FROM vfs_dirent d JOIN vfs_node n ON n.id = d.node WHERE d.parent = ? AND d.name = ?`,
      directory,
      name,
    )[0];
  }

  /** The node of an entry, if it is still there. Not for many: it is remembered. */
  node(id: number): Node | undefined {
    return this.#tree().store.find(id);
  }

  /** What a path leads to, links followed; undefined for nothing. */
  follow(path: string): Node | undefined {
    try {
      return this.#tree().node(path, "follow", "stat");
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EILSEQ")) return undefined;
      throw error;
    }
  }

  /** What a path leads to, which must be something. */
  existing(path: string, syscall: string): Node {
    return this.#tree().node(path, "follow", syscall);
  }

  /** What names lead to from a directory, links followed; paths that are too long to be followed included. */
  descend(directory: number, path: string, names: readonly Uint8Array[]): Entry | undefined {
    let id = directory;
    let way = path;
    let found: Entry | undefined;
    for (const name of names) {
      const entry = this.entry(id, name);
      if (entry === undefined) return undefined;
      way = way === "/" ? `/${entry.name}` : `${way}/${entry.name}`;
      const node = isSymlink(entry.mode) ? this.follow(way) : undefined;
      if (isSymlink(entry.mode) && node === undefined) return undefined;
      found = node === undefined ? entry : entryOf(entry.name, node);
      id = found.node;
    }
    return found;
  }

  /** The directories on the way to a path without symbolic links, the root first; undefined for none. */
  ancestors(path: string): { id: number; name: string }[] {
    const way = [{ id: ROOT, name: "" }];
    for (const name of this.#tree().realpath(path).split("/").filter(Boolean)) {
      const bytes = encodeName(name);
      const entry = bytes && this.entry(way.at(-1)?.id ?? ROOT, bytes);
      if (entry === undefined || !isDirectory(entry.mode)) break;
      way.push({ id: entry.node, name });
    }
    return way;
  }

  /**
   * Content of small files. With a needle only of those that are binary or hold it: what is not answered is neither.
   *
   * @param nodes the files, or the names in a directory (first and last) between which there are no others.
   */
  contents(
    nodes: readonly number[] | { directory: number; first: Uint8Array; last: Uint8Array },
    needle: Uint8Array | undefined,
  ): Map<number, Small> {
    const [from, where, ...bindings] =
      "directory" in nodes
        ? ([
            "vfs_dirent d JOIN vfs_content c ON c.node = d.node",
            "d.parent = ? AND d.name >= ? AND d.name <= ?",
            nodes.directory,
            nodes.first,
            nodes.last,
          ] as const)
        : (["vfs_content c", "c.node IN (SELECT value FROM json_each(?))", JSON.stringify(nodes)] as const);
    const binary = `instr(substr(c.data, 1, ${BINARY_PREFIX}), x'00') > 0`;
    const rows = this.#tree().store.sql.exec<{ node: number; data: Uint8Array | null }>(
      `SELECT c.node AS node, CASE WHEN ${binary} THEN NULL ELSE c.data END AS data
       FROM ${from} WHERE ${where}${needle === undefined ? "" : ` AND (instr(c.data, ?) > 0 OR ${binary})`}`,
      ...bindings,
      ...(needle === undefined ? [] : [needle.subarray(0, NEEDLE_MAX)]),
    );
    return new Map(rows.map(({ node, data }) => [node, data]));
  }

  /** Holds the content of a file as it is now; undefined when the file is gone. */
  open(node: number): Version | undefined {
    return this.#tree().version(node);
  }

  /** All of a file that has at most so many bytes. */
  small(entry: Entry, limit: number): Uint8Array | undefined {
    if (entry.size > Math.min(limit, INLINE_BYTES)) return undefined;
    return this.contents([entry.node], undefined).get(entry.node) ?? undefined;
  }

  #entries(query: string, ...bindings: (number | Uint8Array)[]): Entry[] {
    const rows = this.#tree().store.sql.exec(query, ...bindings) as unknown as EntryRow[];
    return rows.map((row) => new Entry(row));
  }
}

/** An entry for a node that was not found by listing. */
export function entryOf(name: string, { id, mode, size, mtime_s, mtime_ns }: Node): Entry {
  return new Entry({ name, node: id, mode, size, s: mtime_s, ns: mtime_ns });
}

/** Compares names by their bytes. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
