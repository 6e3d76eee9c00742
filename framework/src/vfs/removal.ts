import type { Content } from "./content.ts";
import type { Call } from "./errors.ts";
import { isDirectory, isFile, type Node, touchContent, touchMetadata } from "./node.ts";
import type { Resolver, Target } from "./resolver.ts";
import type { AsideEntry, Entry, Store } from "./store.ts";

/**
 * Removing. A name is taken away in one transaction; a directory with all below it too: it moves, as it
 * is, to a place that no path leads to, and is taken apart from there in bounded steps. What a crash
 * leaves there is taken apart after the next opening.
 */
export class Removal {
  readonly #store: Store;
  readonly #content: Content;
  readonly #resolver: Resolver;
  #pending = true;

  constructor(store: Store, content: Content, resolver: Resolver) {
    this.#store = store;
    this.#content = content;
    this.#resolver = resolver;
  }

  /** Takes a name away, and the node with its last name. A directory must be empty. Part of a revision. */
  unlink({ parent, name, node }: Target & { readonly node: Node }, call: Call): void {
    this.#leave(parent.id, name, node, call);
    if (isDirectory(node.mode) || node.nlink === 1) {
      this.#content.drop([node]);
      this.#store.delete([node.id]);
    } else this.#dropLink(node);
  }

  /** Takes a directory away with all below it; `step` must follow until it answers false. */
  detach({ parent, name, node }: Target & { readonly node: Node }, call: Call): void {
    this.#leave(parent.id, name, node, call);
    this.#store.setAside(node.id);
    this.#pending = true;
  }

  /**
   * Takes apart some of what was detached.
   *
   * @returns whether there is more to do.
   */
  step(limit: number): boolean {
    if (!this.#pending) return false;
    const call: Call = { syscall: "rm" };
    const next = this.#store.nextAside();
    if (next === undefined) {
      this.#pending = false;
      return false;
    }
    this.#store.mutate(call, () => {
      const entries = this.#store.entries(next.node, undefined, limit);
      this.#takeApart(next, entries);
      if (entries.length === limit) return;
      this.#store.clearAside(next);
      this.#store.asOf(next.rev, next.run, () => this.#store.delete([next.node]));
    });
    return true;
  }

  /** What lies below a removed directory went when that was removed: it is kept as of then. */
  #takeApart({ node: parent, rev, run }: AsideEntry, entries: readonly Entry[]): void {
    const directories: number[] = [];
    const unchanged: Node[] = [];
    const changed: Node[] = [];
    for (const entry of entries) {
      if (isDirectory(entry.mode)) {
        directories.push(entry.node);
        continue;
      }
      const node = this.#store.node(entry.node);
      if (node.nlink > 1) this.#dropLink(node);
      // One that had a further name, outside, may have been changed since, and be kept as it was after.
      else if (node.rev > rev) changed.push(node);
      else unchanged.push(node);
    }
    this.#drop(changed);
    this.#store.asOf(rev, run, () => {
      this.#store.leaveMany(parent, entries);
      for (const id of directories) this.#store.setAside(id);
      this.#drop(unchanged);
    });
  }

  #drop(nodes: readonly Node[]): void {
    if (nodes.length === 0) return;
    this.#content.drop(nodes);
    this.#store.delete(nodes.map(({ id }) => id));
  }

  #dropLink(node: Node): void {
    node.nlink -= 1;
    touchMetadata(node, this.#store.now);
    this.#store.save(node);
  }

  #leave(parentId: number, name: string, node: Node, call: Call): void {
    this.#store.leave(parentId, name, call);
    if (!isFile(node.mode)) this.#resolver.forget();
    const parent = this.#store.node(parentId);
    if (isDirectory(node.mode)) parent.nlink -= 1;
    touchContent(parent, this.#store.now);
    this.#store.saveDerived(parent);
  }
}
