import { REMOVED, ROOT } from "../vfs/layout.ts";
import { decodeName } from "../vfs/names.ts";
import { isDirectory, type Node } from "../vfs/node.ts";
import type { Store, StoreObserver } from "../vfs/store.ts";
import type { Ring } from "./ring.ts";
import type { Change } from "./types.ts";

/** Rows of one revision that are looked at: one that changes more is told as missed. */
const ROWS = 4096;

/** Names that are remembered, to tell the paths of nodes. */
const NAMES = 16_384;

/** Looks through all names for that of a node, which one revision may take. */
const SCANS = 8;

/** Directories on the way to a change; deeper ones are told as missed. */
const DEPTH = 20_000;

/** A name that a revision took away or gave. */
interface Named {
  readonly parent: number;
  readonly name: string;
  readonly before: number | undefined;
  after: number | undefined;
}

/** Nodes that a revision saved, and whether it changed their content. */
type Saved = ReadonlyMap<number, { readonly node: Node; readonly content: boolean }>;

/** Makes changes, with paths, of the rows that revisions write. Works only while somebody watches. */
export class Recorder implements StoreObserver {
  readonly #store: Store;
  readonly #ring: Ring;
  readonly #told: () => void;
  /** A name of a node. What is used is moved to the end; what is at the front is forgotten first. */
  readonly #names = new Map<number, { readonly parent: number; readonly name: string }>();
  #named = new Map<string, Named>();
  #saved = new Map<number, { readonly node: Node; readonly content: boolean }>();
  #tooMany = false;
  #scans = 0;

  /** @param told is called after each revision that changed something. */
  constructor(store: Store, ring: Ring, told: () => void) {
    this.#store = store;
    this.#ring = ring;
    this.#told = told;
  }

  found(parent: number, name: string, node: number): void {
    this.#learn(node, parent, name);
  }

  entered(parent: number, name: string, node: number): void {
    if (parent === REMOVED) return;
    const named = this.#name(parent, name, undefined);
    if (named !== undefined) named.after = node;
  }

  left(parent: number, name: string, node: number): void {
    if (parent === REMOVED) return;
    const named = this.#name(parent, name, node);
    if (named !== undefined) named.after = undefined;
  }

  saved(node: Node): void {
    if (this.#full()) return;
    const { s, ns } = this.#store.now;
    const content = node.mtime_s === s && node.mtime_ns === ns;
    // A directory's times move with its entries: these are told already.
    if (content && isDirectory(node.mode)) return;
    this.#saved.set(node.id, { node, content: content || this.#saved.get(node.id)?.content === true });
  }

  committed(revision: number, run?: string): void {
    const named = [...this.#named.values()];
    const saved = this.#saved;
    const tooMany = this.#tooMany;
    this.#reset();
    if (!tooMany && named.length === 0 && saved.size === 0) return;
    const changes = tooMany ? undefined : this.#tryChanges(named, saved);
    if (changes === undefined) this.#ring.lose(revision);
    else
      for (const change of changes)
        this.#ring.add({ ...change, revision, ...(run !== undefined && { run }) });
    if (changes === undefined || changes.length > 0) this.#told();
  }

  undone(): void {
    this.#reset();
    // Names may have been learned that are not there.
    this.#names.clear();
  }

  #reset(): void {
    this.#named = new Map();
    this.#saved = new Map();
    this.#tooMany = false;
    this.#scans = 0;
  }

  #full(): boolean {
    this.#tooMany ||= this.#named.size + this.#saved.size >= ROWS;
    return this.#tooMany;
  }

  #name(parent: number, name: string, before: number | undefined): Named | undefined {
    if (this.#full()) return undefined;
    const key = `${parent}/${name}`;
    let named = this.#named.get(key);
    if (named === undefined) {
      named = { parent, name, before, after: before };
      this.#named.set(key, named);
    }
    return named;
  }

  /** The revision is made: what fails now must not look as if it had failed. */
  #tryChanges(...rows: [readonly Named[], Saved]): Omit<Change, "revision">[] | undefined {
    try {
      return this.#changes(...rows);
    } catch {
      return undefined;
    }
  }

  /** What a revision changed; undefined when it cannot be told. */
  #changes(all: readonly Named[], saved: Saved): Omit<Change, "revision">[] | undefined {
    const named = all.filter(({ before, after }) => before !== after);
    for (const { parent, name, before } of named) {
      const known = before === undefined ? undefined : this.#names.get(before);
      if (known?.parent === parent && known.name === name) this.#names.delete(before as number);
    }
    for (const { parent, name, after } of named) if (after !== undefined) this.#learn(after, parent, name);

    const changes: Omit<Change, "revision">[] = [];
    const moved = new Map<number, Named>();
    for (const one of named) if (one.before !== undefined) moved.set(one.before, one);
    const told = new Set(named.flatMap(({ before, after }) => [before, after]));
    const sources = new Set<Named>();
    for (const { parent, name, after, before } of named) {
      if (after === undefined) continue;
      const path = this.#path(parent, name);
      if (path === undefined) return undefined;
      if (path === null) continue;
      const source = moved.get(after);
      moved.delete(after);
      if (source === undefined) changes.push({ kind: before === undefined ? "created" : "modified", path });
      else {
        sources.add(source);
        const oldPath = this.#path(source.parent, source.name);
        if (oldPath === undefined) return undefined;
        changes.push(oldPath === null ? { kind: "created", path } : { kind: "renamed", path, oldPath });
      }
    }
    for (const one of named) {
      if (one.after !== undefined || sources.has(one)) continue;
      const path = this.#path(one.parent, one.name);
      if (path === undefined) return undefined;
      if (path !== null) changes.push({ kind: "removed", path });
    }
    for (const { node, content } of saved.values()) {
      if (told.has(node.id)) continue;
      const path = node.id === ROOT ? "/" : this.#pathOf(node.id);
      if (path === undefined) return undefined;
      if (path !== null) changes.push({ kind: content ? "modified" : "attributes", path });
    }
    return changes;
  }

  /** The path of a name; null when it is not in the tree any more, undefined when it cannot be told. */
  #path(parent: number, name: string): string | null | undefined {
    const names = [name];
    let id = parent;
    for (let depth = 0; id !== ROOT; depth++) {
      if (id === REMOVED) return null;
      const known = depth < DEPTH ? this.#nameOf(id) : undefined;
      if (known === undefined || known === null) return known;
      names.push(known.name);
      id = known.parent;
    }
    return `/${names.reverse().join("/")}`;
  }

  #pathOf(node: number): string | null | undefined {
    const known = this.#nameOf(node);
    return known === undefined || known === null ? known : this.#path(known.parent, known.name);
  }

  #nameOf(node: number): { readonly parent: number; readonly name: string } | null | undefined {
    const known = this.#names.get(node);
    if (known !== undefined) {
      this.#learn(node, known.parent, known.name);
      return known;
    }
    if (this.#scans >= SCANS) return undefined;
    this.#scans += 1;
    const [row] = this.#store.sql.exec<{ parent: number; name: Uint8Array }>(
      "SELECT parent, name FROM vfs_dirent WHERE node = ? LIMIT 1",
      node,
    );
    if (row === undefined) return null;
    const found = { parent: row.parent, name: decodeName(row.name) };
    this.#learn(node, found.parent, found.name);
    return found;
  }

  #learn(node: number, parent: number, name: string): void {
    this.#names.delete(node);
    this.#names.set(node, { parent, name });
    if (this.#names.size <= NAMES) return;
    for (const oldest of this.#names.keys()) {
      this.#names.delete(oldest);
      break;
    }
  }
}
