import type { Content } from "../vfs/content.ts";
import { decodeName } from "../vfs/names.ts";
import { isDirectory, isFile, type Node, touchContent, touchMetadata } from "../vfs/node.ts";
import type { Tree } from "../vfs/tree.ts";
import { Paths } from "./paths.ts";

const CALL = { syscall: "restore" };

/** What a node was, and where its content is to be read. */
export interface Source {
  readonly node: Node;
  readonly content: Content;
}

/**
 * Changes of the live tree by nodes instead of paths, from which restoring and undoing are made. Each leaves
 * a sound tree. All are part of a revision that the caller makes.
 */
export class Placer {
  readonly paths: Paths;
  readonly #tree: Tree;
  #count = 0;

  constructor(tree: Tree) {
    this.#tree = tree;
    this.paths = new Paths(tree.store, false);
  }

  /** Changes made so far. */
  get count(): number {
    return this.#count;
  }

  find(id: number): Node | undefined {
    return this.#tree.store.find(id);
  }

  child(directory: number, name: Uint8Array): number | undefined {
    return this.#tree.store.child(directory, decodeName(name), CALL);
  }

  isEmpty(directory: number): boolean {
    return this.#tree.store.isEmpty(directory);
  }

  /** Takes a name away, and what had only that name: of a directory also all below it, which `removal` then takes apart. */
  remove(directory: number, name: Uint8Array, node: Node): void {
    const target = {
      parent: { id: directory, name: "", parent: undefined },
      name: decodeName(name),
      node,
      slash: false,
      unnamed: undefined,
    };
    if (isDirectory(node.mode)) this.#tree.removal.detach(target, CALL);
    else this.#tree.removal.unlink(target, CALL);
    this.#count++;
  }

  /** Gives a node another name in place of one it has. */
  move(node: Node, from: { parent: number; name: Uint8Array }, directory: number, name: Uint8Array): void {
    const { store, resolver } = this.#tree;
    const fromParent = from.parent;
    store.leave(fromParent, decodeName(from.name), CALL);
    store.enter(directory, decodeName(name), node, CALL);
    if (!isFile(node.mode)) resolver.forget();
    touchMetadata(node, store.now);
    store.save(node);
    const links = isDirectory(node.mode) && fromParent !== directory ? 1 : 0;
    this.#touch(fromParent, -links);
    if (fromParent !== directory) this.#touch(directory, links);
    this.#count++;
  }

  /** Moves what has a name aside, in the same directory, so that the name is free. */
  displace(directory: number, name: Uint8Array, node: Node): void {
    let aside = encoder.encode(`.restored-${node.id}`);
    for (let i = 1; this.child(directory, aside) !== undefined; i++)
      aside = encoder.encode(`.restored-${node.id}-${i}`);
    this.move(node, { parent: directory, name }, directory, aside);
  }

  /** Gives a file one more name. */
  link(node: Node, directory: number, name: Uint8Array): void {
    const { store } = this.#tree;
    node.nlink += 1;
    touchMetadata(node, store.now);
    store.enter(directory, decodeName(name), node, CALL);
    store.save(node);
    this.#touch(directory, 0);
    this.#count++;
  }

  /** Makes a node as it was; a directory without its entries. Under its old number, unless something live has that. */
  make({ node: was, content }: Source, directory: number, name: Uint8Array): Node {
    const { store } = this.#tree;
    const made = store.create(was.mode);
    const id = store.find(was.id) === undefined ? was.id : made.id;
    const node: Node = {
      ...was,
      id,
      nlink: isDirectory(was.mode) ? 2 : 1,
      size: 0,
      ctime_s: made.ctime_s,
      ctime_ns: made.ctime_ns,
    };
    store.enter(directory, decodeName(name), node, CALL);
    if (!isDirectory(was.mode)) this.#tree.content.copyFrom(content, was, node);
    store.insert(node);
    this.#touch(directory, isDirectory(was.mode) ? 1 : 0);
    this.#count++;
    return node;
  }

  /** Gives a node the attributes of what it was; with `content`, also its bytes, and the times that belong to them. */
  reset(node: Node, attributes: Node | undefined, content: Source | undefined): void {
    const { store } = this.#tree;
    if (attributes !== undefined) {
      node.mode = attributes.mode;
      node.uid = attributes.uid;
      node.gid = attributes.gid;
    }
    if (content !== undefined) {
      const was = content.node;
      if (!isDirectory(node.mode)) this.#tree.content.copyFrom(content.content, was, node);
      node.mtime_s = was.mtime_s;
      node.mtime_ns = was.mtime_ns;
      node.atime_s = was.atime_s;
      node.atime_ns = was.atime_ns;
    }
    touchMetadata(node, store.now);
    store.save(node);
    this.#count++;
  }

  #touch(id: number, links: number): void {
    const { store } = this.#tree;
    const directory = store.node(id);
    directory.nlink += links;
    touchContent(directory, store.now);
    store.saveDerived(directory);
  }
}

const encoder = new TextEncoder();
