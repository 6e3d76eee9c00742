import type { Content, Removable } from "./content.ts";
import type { Call } from "./errors.ts";
import { CHUNK_BYTES, DIRECTORY_WEIGHT, STEP_BYTES_FREED } from "./layout.ts";
import { isDirectory, isFile, type Node, touchContent, touchMetadata } from "./node.ts";
import type { OpenFiles } from "./open-files.ts";
import { removable } from "./removables.ts";
import type { Resolver } from "./resolver.ts";
import type { AsideEntry, Store } from "./store.ts";

/** A name in a directory, and the node that it leads to. */
export interface Named {
  readonly parent: { readonly id: number };
  readonly name: string;
  readonly node: Node;
}

/**
 * Removing. A name is taken away in one transaction; a directory with all below it too: it moves, as it
 * is, to a place that no path leads to, and is taken apart from there in bounded steps. What a crash
 * leaves there is taken apart after the next opening. There, too, waits a file without a name that is open.
 */
export class Removal {
  readonly #store: Store;
  readonly #content: Content;
  readonly #resolver: Resolver;
  readonly #open: OpenFiles;
  #pending = true;

  constructor(store: Store, content: Content, resolver: Resolver, open: OpenFiles) {
    this.#store = store;
    this.#content = content;
    this.#resolver = resolver;
    this.#open = open;
  }

  /** Takes a name away, and the node with its last name. A directory must be empty. Part of a revision. */
  unlink({ parent, name, node }: Named, call: Call): void {
    this.#leave(parent.id, name, node, call);
    if (!isDirectory(node.mode) && node.nlink > 1) this.#dropLink(node);
    else if (this.#open.has(node.id)) this.#orphan(node);
    else if (node.size > STEP_BYTES_FREED) this.#setAside(node.id);
    else this.#delete([node]);
  }

  /** Takes a directory away with all below it; `step` must follow until it answers false. */
  detach({ parent, name, node }: Named, call: Call): void {
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
    if (this.#store.nextAside(this.#open) === undefined) {
      this.#pending = false;
      return false;
    }
    return this.#store.mutate({ syscall: "rm" }, () => {
      for (let left = limit; left > 0; ) {
        const next = this.#store.nextAside(this.#open);
        if (next === undefined) return false;
        const { done, weight } = isDirectory(next.node.mode)
          ? this.#emptySome(next, left)
          : { done: this.#shrink(next), weight: limit / 4 };
        if (done) this.#store.clearAside(next);
        left -= weight;
      }
      return true;
    });
  }

  /** A file was closed for the last time: if it has no name any more, `step` must follow. */
  closed(id: number): void {
    if (this.#store.find(id)?.nlink === 0) this.#pending = true;
  }

  /** Frees part of a large file, from the end; the file itself with the last part. */
  #shrink(aside: AsideEntry): boolean {
    const { node } = aside;
    const size = this.#content.sizeWithoutLast(node, STEP_BYTES_FREED / CHUNK_BYTES);
    this.#asOf(aside, node, () => {
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
  #emptySome(aside: AsideEntry, limit: number): { done: boolean; weight: number } {
    const directory = aside.node.id;
    const found = removable(this.#store.sql, directory, limit, aside.asOf, this.#open);
    const apart: number[] = [];
    const gone: Removable[] = [];
    const open: Node[] = [];
    let bytes = 0;
    for (const { node: id, mode, nlink, size, rev, run, since } of found?.others ?? []) {
      if (this.#open.has(id)) {
        const node = this.#store.node(id);
        if (node.nlink > 1) this.#dropLink(node);
        else open.push(node);
      } else if (isDirectory(mode)) apart.push(id);
      else if (nlink === 1) {
        bytes += size;
        if (bytes > STEP_BYTES_FREED) apart.push(id);
        else gone.push({ id, size, rev, run, since });
      } else {
        // Other names of the node may be among these entries: its count goes down as they go.
        const node = this.#store.node(id);
        if (node.nlink > 1) this.#store.recorder.onBehalfOf(aside.by, () => this.#dropLink(node));
        else gone.push(node);
      }
    }
    const count = found?.count ?? 0;
    const done = count < limit;
    const changed = gone.filter(({ rev }) => rev > aside.asOf);
    this.#store.asOf(aside.asOf, aside.by, () => {
      if (found !== undefined) this.#store.leaveUntil(directory, found.last);
      for (const node of apart) this.#setAside(node);
      if (found?.plain !== undefined) {
        const { nodes, sizes, list, since } = found.plain;
        this.#content.dropSmall(nodes, list, since);
        this.#store.deleteFiles(nodes, sizes, list);
      }
      this.#delete(gone.filter(({ rev }) => rev <= aside.asOf));
      if (done) this.#store.delete([directory]);
    });
    for (const node of open) this.#orphan(node);
    this.#delete(changed);
    return { done, weight: count + DIRECTORY_WEIGHT };
  }

  /** Keeps an open file that has lost its last name until it is closed. */
  #orphan(node: Node): void {
    node.nlink = 0;
    touchMetadata(node, this.#store.now);
    this.#store.save(node);
    this.#setAside(node.id);
  }

  /**
   * What lies below a removed directory went when that was removed: it is kept as of then. A file that had a
   * further name, outside, may have been changed since, and is kept as it was after that.
   */
  #asOf({ asOf, by }: AsideEntry, node: Node, work: () => void): void {
    if (node.rev > asOf) work();
    else this.#store.asOf(asOf, by, work);
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
