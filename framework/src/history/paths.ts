import { Cache } from "../vfs/cache.ts";
import { ROOT } from "../vfs/layout.ts";
import { decodeName } from "../vfs/names.ts";
import type { Node } from "../vfs/node.ts";
import { isDirectory } from "../vfs/node.ts";
import { join } from "../vfs/paths.ts";
import type { Store } from "../vfs/store.ts";
import type { PastStore } from "./past-store.ts";

/** The rows that paths are made from: live, or of a pin. */
type Rows = Store | PastStore;

const CALL = { syscall: "history" };

/** Leads from nodes to their paths, by their homes. Of the past, answers are remembered. */
export class Paths {
  readonly #rows: Rows;
  readonly #past: boolean;
  readonly #directories = new Cache<number, string>(4096, (path) => 1 + path.length / 64);

  constructor(rows: Rows, past: boolean) {
    this.#rows = rows;
    this.#past = past;
  }

  /** The path of a node; undefined when no path leads there. Of one with several names, one of them. */
  of(id: number): string | undefined {
    const names: string[] = [];
    let base = "/";
    for (let at = id; at !== ROOT; ) {
      const known = this.#directories.get(at);
      if (known !== undefined) {
        base = known;
        break;
      }
      const home = this.home(at);
      if (home === undefined || names.length > MAX_DEPTH) return undefined;
      names.push(decodeName(home.name));
      at = home.parent;
    }
    const path = names.length === 0 ? base : join(base, names.reverse().join("/"));
    const node = this.#past ? this.#rows.find(id) : undefined;
    if (node !== undefined && isDirectory(node.mode)) this.#directories.set(id, path);
    return path;
  }

  /** The path of an entry of a directory that a path leads to. */
  entry(directory: number, name: Uint8Array): string | undefined {
    const path = this.of(directory);
    return path === undefined ? undefined : join(path, decodeName(name));
  }

  /** Whether a path leads to a node. */
  reaches(id: number): boolean {
    return this.of(id) !== undefined;
  }

  /** Whether a node is a directory, or below it. */
  isWithin(id: number, directory: number): boolean {
    let at: number | undefined = id;
    for (let depth = 0; at !== undefined && depth <= MAX_DEPTH; depth++) {
      if (at === directory) return true;
      if (at === ROOT) return false;
      at = this.home(at)?.parent;
    }
    return false;
  }

  /** An entry that leads to a node. */
  home(id: number): { parent: number; name: Uint8Array } | undefined {
    const node = this.#rows.find(id);
    if (node === undefined) return undefined;
    if (this.#child(node.parent, node.name) === id) return node;
    return isDirectory(node.mode) ? undefined : this.#otherName(node);
  }

  #child(parent: number, name: Uint8Array): number | undefined {
    if (name.length === 0) return undefined;
    return "childOf" in this.#rows
      ? this.#rows.childOf(parent, name)
      : this.#rows.child(parent, decodeName(name), CALL);
  }

  /** The name that a file was given last is gone: if it has had others, they must be searched for. */
  #otherName({ id }: Node): { parent: number; name: Uint8Array } | undefined {
    const at = "at" in this.#rows ? this.#rows.at : Number.MAX_SAFE_INTEGER;
    const [row] = this.#rows.sql.exec<{ parent: number; name: Uint8Array }>(
      `SELECT parent, name FROM vfs_dirent WHERE node = ? AND parent <> 0 AND rev <= ?
       UNION ALL SELECT parent, name FROM vfs_dirent_past WHERE node = ? AND rev <= ? AND until > ? AND ? < ? LIMIT 1`,
      id,
      at,
      id,
      at,
      at,
      at,
      Number.MAX_SAFE_INTEGER,
    );
    return row;
  }
}

/** Deeper than any tree is: a circle would be a damaged database. */
const MAX_DEPTH = 100_000;
