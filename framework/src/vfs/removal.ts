import type { Content } from "./content.ts";
import type { Call } from "./errors.ts";
import { REMOVED } from "./layout.ts";
import { isDirectory, isFile, type Node, touchContent, touchMetadata } from "./node.ts";
import type { Resolver, Target } from "./resolver.ts";
import type { Entry, Store } from "./store.ts";

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
    this.#store.enter(REMOVED, String(node.id), node.id, call);
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
    const [next] = this.#store.entries(REMOVED, undefined, 1);
    if (next === undefined) {
      this.#pending = false;
      return false;
    }
    this.#store.mutate(call, () => {
      const entries = this.#store.entries(next.node, undefined, limit);
      if (entries.length > 0) this.#store.leaveMany(next.node, entries);
      this.#takeApart(entries, call);
      if (entries.length === limit) return;
      this.#store.leave(REMOVED, next.name, call);
      this.#store.delete([next.node]);
    });
    return true;
  }

  #takeApart(entries: readonly Entry[], call: Call): void {
    const gone: Node[] = [];
    for (const entry of entries) {
      if (isDirectory(entry.mode)) {
        this.#store.enter(REMOVED, String(entry.node), entry.node, call);
        continue;
      }
      const node = this.#store.node(entry.node);
      if (node.nlink === 1) gone.push(node);
      else this.#dropLink(node);
    }
    if (gone.length === 0) return;
    this.#content.drop(gone);
    this.#store.delete(gone.map(({ id }) => id));
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
    this.#store.save(parent);
  }
}
