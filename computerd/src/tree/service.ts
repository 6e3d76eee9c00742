import type { NodeState, TreeChanges } from "./changes.ts";
import type { Pin } from "./content/content.ts";
import { describeDelta, describeNode } from "./describe.ts";
import { E } from "./errors.ts";
import type { Inode } from "./inode.ts";
import { nameFromText, nameToText } from "./names.ts";
import type { Store } from "./store/store.ts";

/** At most so many bytes per answer: whoever reads a large file comes back. */
const PIECE = 1 << 20;
/** At most so many files are held at once, each until it is let go. */
const PINS = 256;

/** What a tree is doing. */
export interface TreeStatus {
  version: number;
  /** The version that the store would come back with after a crash. */
  committed: number;
  nodes: number;
  /** Bytes that contents take up. */
  bytes: number;
}

/** A directory's entry, with what it leads to. */
export interface ListedEntry {
  name: string;
  node: NodeState;
}

/** What is asked of a tree by number, whichever driver shows it. */
export class TreeService {
  readonly store: Store;
  readonly #pins = new Map<number, { pin: Pin; node: Inode }>();
  #nextPin = 1;

  constructor(store: Store) {
    this.store = store;
  }

  status(): TreeStatus {
    const { tree, committed } = this.store;
    return {
      version: tree.log.version,
      committed,
      nodes: tree.table.count,
      bytes: tree.segments.used * 4096,
    };
  }

  changes(since: number): TreeChanges {
    return describeDelta(this.store.tree.log.since(since));
  }

  /** What a path leads to; symbolic links are not followed. Undefined: nothing. */
  find(path: string): NodeState | undefined {
    let node: Inode | undefined = this.store.tree.root;
    for (const part of path.split("/")) {
      if (part === "") continue;
      const name = nameFromText(part);
      node = name === undefined ? undefined : node.directory?.get(name)?.node;
      if (node === undefined) return undefined;
    }
    return describeNode(node);
  }

  /** The entries of a directory. */
  list(id: number): ListedEntry[] {
    const { directory } = this.#node(id);
    if (directory === undefined) throw E.ENOTDIR;
    return [...directory.values()].map(({ name, node }) => ({
      name: nameToText(name),
      node: describeNode(node as Inode),
    }));
  }

  /** Holds one version of a file, to be read piece by piece. */
  pin(id: number): { pin: number; size: number; version: number } {
    const node = this.#node(id);
    if (!node.isFile) throw node.isDirectory ? E.EISDIR : E.EINVAL;
    if (this.#pins.size >= PINS) throw E.EBUSY;
    const pin = this.store.tree.content.pin(node);
    const number = this.#nextPin++;
    this.#pins.set(number, { pin, node });
    return { pin: number, size: pin.size, version: node.dataVersion };
  }

  /** Bytes of a held version; none at its end. */
  readPin(number: number, offset: number): Uint8Array {
    const held = this.#pins.get(number);
    if (held === undefined) throw E.ESTALE;
    const bytes = new Uint8Array(Math.max(0, Math.min(PIECE, held.pin.size - offset)));
    this.store.tree.content.readPin(held.pin, offset, bytes.length, bytes, 0);
    return bytes;
  }

  unpin(number: number): void {
    const held = this.#pins.get(number);
    if (held === undefined) return;
    this.#pins.delete(number);
    this.store.tree.content.unpin(held.pin);
  }

  #node(id: number): Inode {
    const node = this.store.tree.table.byId(id);
    if (node === undefined) throw E.ENOENT;
    return node;
  }
}
