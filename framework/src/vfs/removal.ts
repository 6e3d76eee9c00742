import type { Content, Removable } from "./content.ts";
import type { Call } from "./errors.ts";
import { CHUNK_BYTES, STEP_BYTES_FREED } from "./layout.ts";
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
    if (!isDirectory(node.mode) && node.nlink > 1) this.#dropLink(node);
    else if (node.size > STEP_BYTES_FREED) this.#setAside(node.id);
    else this.#delete([node]);
  }

  /** Takes a directory away with all below it; `step` must follow until it answers false. */
  detach({ parent, name, node }: Target & { readonly node: Node }, call: Call): void {
    this.#leave(parent.id, name, node, call);
    this.#setAside(node.id);
  }

  /**
   * Takes apart some of what was set aside.
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
      const done = isDirectory(next.node.mode) ? this.#emptySome(next, limit) : this.#shrink(next);
      if (done) this.#store.clearAside(next);
    });
    return true;
  }

  /** Frees part of a large file, from the end; the file itself with the last part. */
  #shrink(aside: AsideEntry): boolean {
    const { node } = aside;
    const size = this.#content.sizeWithoutLast(node, STEP_BYTES_FREED / CHUNK_BYTES);
    this.#asOf(aside, [node], () => {
      if (size === 0) {
        this.#delete([node]);
        return;
      }
      this.#content.truncate(node, size);
      this.#store.save(node);
    });
    return size === 0;
  }

  /** Removes some entries of a directory; the directory itself with the last. */
  #emptySome(aside: AsideEntry, limit: number): boolean {
    const directory = aside.node.id;
    const listed = this.#store.entries(directory, undefined, limit);
    let count = 0;
    for (let bytes = 0; count < listed.length && bytes <= STEP_BYTES_FREED; count++)
      bytes += listed[count]?.size ?? 0;
    const entries = listed.slice(0, count);
    const apart: Entry[] = [];
    const gone: Removable[] = [];
    for (const entry of entries) {
      const { node: id, mode, nlink, size, rev, run, since } = entry;
      if (isDirectory(mode) || (nlink === 1 && size > STEP_BYTES_FREED)) apart.push(entry);
      else if (nlink === 1) gone.push({ id, size, rev, run, since });
      else {
        // Other names of the node may be among these entries: its count goes down as they go.
        const node = this.#store.node(id);
        if (node.nlink > 1) this.#store.recorder.onBehalfOf(aside.by, () => this.#dropLink(node));
        else gone.push(node);
      }
    }
    this.#asOf(aside, [], () => {
      this.#store.leaveMany(directory, entries);
      for (const { node } of apart) this.#setAside(node);
    });
    this.#asOf(aside, gone, (nodes) => this.#delete(nodes));
    if (entries.length < listed.length || listed.length === limit) return false;
    this.#asOf(aside, [], () => this.#store.delete([directory]));
    return true;
  }

  /**
   * What lies below a removed directory went when that was removed: it is kept as of then. A file that had a
   * further name, outside, may have been changed since, and is kept as it was after that.
   */
  #asOf<Part extends Removable>(
    { asOf, by }: AsideEntry,
    nodes: readonly Part[],
    work: (nodes: readonly Part[]) => void,
  ): void {
    const changed = nodes.filter(({ rev }) => rev > asOf);
    if (changed.length > 0) work(changed);
    const unchanged = nodes.filter(({ rev }) => rev <= asOf);
    if (unchanged.length > 0 || nodes.length === 0) this.#store.asOf(asOf, by, () => work(unchanged));
  }

  /** Puts a node where no path leads, to be taken apart. */
  #setAside(id: number): void {
    this.#store.setAside(id);
    this.#pending = true;
  }

  #delete(nodes: readonly Removable[]): void {
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
