import { TreeFileSystem } from "../vfs/file-system.ts";
import { Tree } from "../vfs/tree.ts";
import type { FileSystem } from "../vfs/types.ts";
import { PastStore } from "./past-store.ts";
import type { Pins } from "./pins.ts";
import type { Revision } from "./types.ts";

/** A held state: of a pin, or of this moment. */
export interface Held {
  readonly store: PastStore;
  readonly tree: Tree;
  release(): void;
}

/** Makes trees of what was. */
export class Views {
  readonly #live: () => Tree;
  readonly #pins: () => Pins;
  readonly #readLimit: number;

  constructor(live: () => Tree, pins: () => Pins, readLimit: number) {
    this.#live = live;
    this.#pins = pins;
    this.#readLimit = readLimit;
  }

  /** A file system over a pinned state, as long as that is kept. */
  files(revision: Revision): FileSystem {
    const at = this.#pins().resolve(revision);
    let lost = this.#pins().lost;
    const tree = this.tree(at);
    return new TreeFileSystem(() => {
      // Also says when the workspace is closed.
      this.#live();
      const pins = this.#pins();
      if (pins.lost !== lost) {
        pins.resolve(at);
        lost = pins.lost;
      }
      return tree;
    });
  }

  /** A tree of rows as of a revision. Whether they are there is for the caller to know. */
  tree(at: number): Tree {
    const { store, chunks } = this.#live();
    return new Tree(store.sql, this.#readLimit, { view: { store: new PastStore(store.sql, at), chunks } });
  }

  /** Keeps a state readable until it is released, even when its pin is removed meanwhile. Without a revision: the present. */
  hold(revision?: Revision): Held {
    const { store } = this.#live();
    const at = revision === undefined ? store.latestRevision : this.#pins().resolve(revision);
    const release = store.recorder.hold(at);
    const tree = this.tree(at);
    return { tree, store: tree.store as PastStore, release };
  }
}
