import { Cache } from "./cache.ts";
import type { Content } from "./content.ts";
import { type Call, fsError } from "./errors.ts";
import { LINKS_MAX, ROOT } from "./layout.ts";
import { decodeName } from "./names.ts";
import { isDirectory, isSymlink, type Node } from "./node.ts";
import { checkPath, reversedParts } from "./paths.ts";
import type { Store } from "./store.ts";

/** A directory, with the way that leads to it without symbolic links. */
export interface Place {
  readonly id: number;
  readonly name: string;
  /** Undefined for the root. */
  readonly parent: Place | undefined;
}

/** Where a path leads. Its parent exists; it may not. */
export interface Target {
  readonly parent: Place;
  readonly name: string;
  readonly node: Node | undefined;
  /** The path ends in a slash: only a directory will do. */
  readonly slash: boolean;
  /** The directory itself, when the path ends in none of its names: in `.`, in `..`, or at the root. */
  readonly unnamed: Place | undefined;
}

/**
 * What becomes of a symbolic link at the end of a path: `follow` it; `keep` it, unless a slash comes after
 * it; `never` follow it, slash or not, as verbs do that make or remove a name.
 */
export type LastLink = "follow" | "keep" | "never";

const ROOT_PLACE: Place = { id: ROOT, name: "", parent: undefined };

/** Finds what paths lead to, by POSIX's rules. */
export class Resolver {
  readonly #store: Store;
  readonly #content: Content;
  /** Directories by the path that was asked for. Dropped whole whenever a directory or link loses a name. */
  readonly #directories = new Cache<string, Place>(4096);

  constructor(store: Store, content: Content) {
    this.#store = store;
    this.#content = content;
    store.onForget(() => this.forget());
  }

  /** Drops remembered paths. To be called when a name of a directory or of a symbolic link goes. */
  forget(): void {
    this.#directories.clear();
  }

  /** Where a path leads; its last component may be missing. */
  locate(path: string, lastLink: LastLink, call: Call): Target {
    checkPath(path, call);
    const end = path.lastIndexOf("/");
    const name = path.slice(end + 1);
    const directory = path.slice(0, end);
    if (name === "" || name === "." || name === "..") return this.#walk(path, undefined, lastLink, call);
    const known = end === 0 ? ROOT_PLACE : this.#directories.get(directory);
    if (known === undefined) return this.#walk(path, directory, lastLink, call);
    const node = this.#child(known, name, call);
    if (node !== undefined && lastLink === "follow" && isSymlink(node.mode)) {
      return this.#walk(path, directory, lastLink, call);
    }
    return { parent: known, name, node, slash: false, unnamed: undefined };
  }

  /** Where a path leads, which must be somewhere. */
  existing(path: string, lastLink: LastLink, call: Call): Target & { readonly node: Node } {
    const target = this.locate(path, lastLink, call);
    const { node } = target;
    if (node === undefined) throw fsError("ENOENT", call);
    if (target.slash && !isDirectory(node.mode)) throw fsError("ENOTDIR", call);
    return { ...target, node };
  }

  /** The path of a target without symbolic links, dots and doubled slashes. */
  physicalPath(target: Target): string {
    const names: string[] = [];
    let place: Place | undefined = target.unnamed ?? target.parent;
    if (target.unnamed === undefined) names.push(target.name);
    for (; place?.parent !== undefined; place = place.parent) names.push(place.name);
    return `/${names.reverse().join("/")}`;
  }

  #walk(path: string, directory: string | undefined, lastLink: LastLink, call: Call): Target {
    const parts = reversedParts(path);
    let slash = path.endsWith("/");
    let place = ROOT_PLACE;
    let links = 0;
    let remember = directory;
    for (let name = parts.pop(); name !== undefined; name = parts.pop()) {
      if (name === ".") continue;
      if (name === "..") {
        place = place.parent ?? place;
        continue;
      }
      const last = parts.length === 0;
      if (last && remember !== undefined) {
        this.#directories.set(remember, place);
        remember = undefined;
      }
      const node = this.#child(place, name, call);
      if (node === undefined) {
        if (!last) throw fsError("ENOENT", call);
        return { parent: place, name, node, slash, unnamed: undefined };
      }
      if (isSymlink(node.mode) && (!last || lastLink === "follow" || (lastLink === "keep" && slash))) {
        if (++links > LINKS_MAX) throw fsError("ELOOP", call);
        const target = decodeName(this.#content.read(node));
        if (target.startsWith("/")) place = ROOT_PLACE;
        if (last && target.endsWith("/")) slash = true;
        parts.push(...reversedParts(target));
      } else if (last) {
        return { parent: place, name, node, slash, unnamed: undefined };
      } else {
        if (!isDirectory(node.mode)) throw fsError("ENOTDIR", call);
        place = { id: node.id, name, parent: place };
      }
    }
    const node = this.#store.node(place.id);
    return { parent: place.parent ?? place, name: place.name, node, slash: true, unnamed: place };
  }

  #child(place: Place, name: string, call: Call): Node | undefined {
    const id = this.#store.child(place.id, name, call);
    return id === undefined ? undefined : this.#store.node(id);
  }
}
