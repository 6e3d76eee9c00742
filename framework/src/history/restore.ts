import { Cache } from "../vfs/cache.ts";
import { ROOT } from "../vfs/layout.ts";
import { isDirectory, type Node } from "../vfs/node.ts";
import { nameBytes } from "../vfs/paths.ts";
import type { Entry } from "../vfs/store.ts";
import type { Tree } from "../vfs/tree.ts";
import { type NameChange, Span, STEP, STEP_ROWS, type Step } from "./changes.ts";
import { sameContent, sameKind, samePermissions } from "./compare.ts";
import { Placer } from "./placer.ts";
import type { Held } from "./views.ts";

/** Changes that are made in one go. */
const STEP_CHANGES = 8;

/**
 * Makes the tree, or all below one directory of it, what it was.
 *
 * First everything that was there gets its name back, each directory before what it holds, so that no circle can
 * come about; what stands in the way steps aside. Then goes what was not there, and last come attributes, content,
 * and times. Between any two steps the tree is sound.
 */
export class Restore {
  readonly placer: Placer;
  readonly #live: Tree;
  readonly #was: Held;
  readonly #span: Span;
  readonly #placed = new Cache<number, true>(8192);
  readonly #aside: number[] = [];
  #scope = ROOT;
  #made = 0;

  /** @param now holds the present, in which what others change meanwhile does not show. */
  constructor(live: Tree, was: Held, now: Held) {
    this.#live = live;
    this.#was = was;
    this.#span = new Span(was.store, now.store);
    this.placer = new Placer(live);
  }

  /** Everything. */
  *all(): Generator<Step> {
    yield* this.#within(ROOT);
  }

  /** What one path led to. */
  *path(path: string): Generator<Step> {
    const call = { syscall: "restore", path };
    const target = this.#was.tree.resolver.locate(path, "never", call);
    const { node: was } = target;
    if (was?.id === ROOT) {
      yield* this.#within(ROOT);
      return;
    }
    const physical = this.#was.tree.resolver.physicalPath(target);
    const above = physical.slice(0, physical.lastIndexOf("/")) || "/";
    if (was !== undefined) this.#live.mkdirs(above, 0o755);
    const now = this.#live.resolver.locate(physical, "never", call);
    if (now.node !== undefined && now.node.id === was?.id) {
      yield* this.#within(was.id);
      return;
    }
    const name = nameBytes(now.name, call);
    if (now.node !== undefined) this.placer.remove(now.parent.id, name, now.node);
    if (was !== undefined) yield* this.#copy(was.id, now.parent.id, name);
  }

  *#within(scope: number): Generator<Step> {
    this.#scope = scope;
    for (const found of this.#span.names()) {
      if (found === STEP) yield STEP;
      else if (found.before !== undefined && this.#wasWithin(found.directory)) {
        yield* this.#place(found.directory, found.name, found.before);
      }
      if (this.#isTime()) yield STEP;
    }
    for (const found of this.#span.names()) {
      if (found === STEP) yield STEP;
      else if (found.before === undefined) this.#clear(found);
      if (this.#isTime()) yield STEP;
    }
    for (const id of this.#aside) {
      const [node, home] = [this.placer.find(id), this.placer.paths.home(id)];
      if (node !== undefined && home !== undefined) this.placer.remove(home.parent, home.name, node);
      if (this.#isTime()) yield STEP;
    }
    for (const found of this.#span.oldNodes()) {
      if (found === STEP) yield STEP;
      else if (this.#wasWithin(found.id)) this.#reset(found);
      if (this.#isTime()) yield STEP;
    }
  }

  /** Gives a node of then the name it had then. Its directory gets its own first. */
  *#place(directory: number, name: Uint8Array, id: number): Generator<Step> {
    if (!(yield* this.#placeDirectory(directory))) return;
    yield* this.#placeHere(directory, name, id);
  }

  *#placeHere(directory: number, name: Uint8Array, id: number): Generator<Step> {
    const { placer } = this;
    const occupant = placer.child(directory, name);
    if (occupant === id) return;
    if (occupant !== undefined) this.#displace(directory, name, occupant);
    const was = this.#was.store.node(id);
    const node = placer.find(id);
    if (node === undefined) {
      placer.make({ node: was, content: this.#was.tree.content }, directory, name);
      return;
    }
    const home = placer.paths.home(id);
    if (home === undefined || !placer.paths.isWithin(home.parent, this.#scope) || !sameKind(node, was)) {
      yield* this.#copy(id, directory, name);
    } else if (isDirectory(was.mode) || was.nlink === 1) placer.move(node, home, directory, name);
    else placer.link(node, directory, name);
  }

  /** Sees that a directory is where it was. Answers whether it is. */
  *#placeDirectory(id: number): Generator<Step, boolean> {
    const chain: number[] = [];
    for (let at = id; at !== this.#scope && this.#placed.get(at) === undefined; ) {
      chain.push(at);
      const home = this.#span.loPaths.home(at);
      if (home === undefined) return false;
      at = home.parent;
    }
    for (const at of chain.reverse()) {
      const home = this.#span.loPaths.home(at);
      if (home === undefined) return false;
      yield* this.#placeHere(home.parent, home.name, at);
      if (this.placer.child(home.parent, home.name) !== at) return false;
      this.#placed.set(at, true);
    }
    return true;
  }

  /** Frees a name. What was elsewhere then steps aside, to be placed there; what was nowhere goes. */
  #displace(directory: number, name: Uint8Array, id: number): void {
    const node = this.#live.store.node(id);
    const stays = !this.#span.isNew(id) && this.#wasWithin(id);
    if (!isDirectory(node.mode) && (!stays || node.nlink > 1)) this.placer.remove(directory, name, node);
    else {
      this.placer.displace(directory, name, node);
      if (!stays) this.#aside.push(id);
    }
  }

  /** Takes a name away that was not there then, unless somebody has given it to something else meanwhile. */
  #clear({ directory, name, after }: NameChange): void {
    const { placer } = this;
    if (this.#span.isNew(directory) || after === undefined) return;
    if (placer.child(directory, name) !== after || !placer.paths.isWithin(directory, this.#scope)) return;
    const node = this.#live.store.node(after);
    // What was there then under one name has got it back by now.
    const was = this.#span.isNew(after) ? undefined : this.#was.store.find(after);
    if (was !== undefined && this.#wasWithin(after) && (isDirectory(node.mode) || node.nlink === 1)) return;
    placer.remove(directory, name, node);
  }

  #reset(was: Node): void {
    const node = this.placer.find(was.id);
    if (node === undefined || !sameKind(node, was) || !this.placer.paths.isWithin(was.id, this.#scope))
      return;
    const same = sameContent({ store: this.#live.store, node }, { store: this.#was.store, node: was });
    const sameTimes = node.mtime_s === was.mtime_s && node.mtime_ns === was.mtime_ns;
    if (same && sameTimes && samePermissions(node, was)) return;
    this.placer.reset(node, was, { node: was, content: this.#was.tree.content });
  }

  /** Makes anew what was there, with all below it. Nodes that live elsewhere are copied, under new numbers. */
  *#copy(id: number, directory: number, name: Uint8Array): Generator<Step> {
    const source = this.#was.store;
    const content = this.#was.tree.content;
    const top = this.placer.make({ node: source.node(id), content }, directory, name);
    if (!isDirectory(top.mode)) return;
    const levels: CopyLevel[] = [{ from: id, to: top.id, page: [], after: undefined, more: true }];
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      if (level.page.length === 0) {
        const limit = levels.length < 256 ? STEP_ROWS : 4;
        level.page = level.more ? source.entries(level.from, level.after, limit).reverse() : [];
        level.more = level.page.length === limit;
      }
      const entry = level.page.pop();
      if (entry === undefined) {
        const [to, was] = [this.placer.find(level.to), source.node(level.from)];
        if (to !== undefined) this.placer.reset(to, undefined, { node: was, content });
        levels.pop();
      } else {
        level.after = entry.bytes;
        if (this.placer.find(level.to) === undefined) return; // Somebody has removed it meanwhile.
        const made = this.placer.make({ node: source.node(entry.node), content }, level.to, entry.bytes);
        if (isDirectory(made.mode)) {
          levels.push({ from: entry.node, to: made.id, page: [], after: undefined, more: true });
        }
      }
      if (this.#isTime()) yield STEP;
    }
  }

  #wasWithin(id: number): boolean {
    return this.#span.loPaths.isWithin(id, this.#scope);
  }

  #isTime(): boolean {
    if (this.placer.count - this.#made < STEP_CHANGES) return false;
    this.#made = this.placer.count;
    return true;
  }
}

interface CopyLevel {
  readonly from: number;
  readonly to: number;
  page: Entry[];
  after: Uint8Array | undefined;
  more: boolean;
}
