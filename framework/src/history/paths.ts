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
    const isThere = this.#child(node.parent, node.name) === id;
    if (isDirectory(node.mode)) return isThere ? node : undefined;
    // The name it was given last may lie below a directory that was removed, and is being taken apart.
    return isThere && (node.nlink === 1 || this.reaches(node.parent)) ? node : this.#otherName(node);
  }

  #child(parent: number, name: Uint8Array): number | undefined {
    if (name.length === 0) return undefined;
    return "childOf" in this.#rows
      ? this.#rows.childOf(parent, name)
      : this.#rows.child(parent, decodeName(name), CALL);
  }

  /** The name that a file was given last leads there no more: if it has others, they must be searched for. */
  #otherName({ id }: Node): { parent: number; name: Uint8Array } | undefined {
    type Name = { parent: number; name: Uint8Array };
    const { sql } = this.#rows;
    const names =
      "at" in this.#rows
        ? sql.exec<Name>(
            `SELECT parent, name FROM vfs_dirent WHERE node = ? AND parent <> 0 AND rev <= ?
             UNION ALL
             SELECT parent, name FROM vfs_dirent_past WHERE node = ? AND parent <> 0 AND rev <= ? AND until > ? LIMIT ?`,
            id,
            this.#rows.at,
            id,
            this.#rows.at,
            this.#rows.at,
            MAX_NAMES,
          )
        : sql.exec<Name>(
            "SELECT parent, name FROM vfs_dirent WHERE node = ? AND parent <> 0 LIMIT ?",
            id,
            MAX_NAMES,
          );
    return names.find(({ parent }) => this.reaches(parent));
  }
}

/** Names of one file that are looked at to find one that a path leads to. */
const MAX_NAMES = 1000;

/** Deeper than any tree is: a circle would be a damaged database. */
const MAX_DEPTH = 100_000;
