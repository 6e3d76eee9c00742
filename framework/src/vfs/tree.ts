import { Attributes } from "./attributes.ts";
import { Chunks } from "./chunks.ts";
import { Content, type Staged, type Version } from "./content.ts";
import { Counters } from "./counters.ts";
import { type Call, fsError, hasCode, rmIsDirectory, tooLarge } from "./errors.ts";
import { FILE_MAX, INLINE_BYTES, ROOT, STEP_REMOVED } from "./layout.ts";
import { decodeName } from "./names.ts";
import {
  isDirectory,
  isFile,
  isSymlink,
  KIND_BITS,
  type Node,
  PERMISSIONS,
  touchContent,
  touchMetadata,
} from "./node.ts";
import { OpenFiles } from "./open-files.ts";
import type { OpenOptions, RemoveOptions } from "./options.ts";
import { checkLinkTarget, checkPath, parentPath } from "./paths.ts";
import { Removal } from "./removal.ts";
import { movable } from "./rename.ts";
import { type LastLink, Resolver, type Target } from "./resolver.ts";
import { inspectSchema, migrate, SCHEMA_VERSION } from "./schema.ts";
import type { Sql } from "./sql/types.ts";
import { type Entry, Store } from "./store.ts";
import type { Limits } from "./usage.ts";

/** Options of a {@link Tree}. */
export interface TreeOptions {
  /** Whether what runs change is kept as it was. */
  readonly keepsRuns?: boolean;
  /** Rows to read instead of the live ones, and the chunks of the live tree. */
  readonly view?: { readonly store: Store; readonly chunks: Chunks };
  /** What the tree may hold. */
  readonly limits?: Limits;
}

/** Bytes of small content that a view remembers: there may be several. */
const VIEW_CACHE_BYTES = 1024 * 1024;

/**
 * The file tree, synchronously. Every verb checks everything first and then changes rows in one
 * transaction. What takes long has a bounded step instead (see `removal`, `adopt`); the asynchronous
 * {@link FileSystem} puts the steps together.
 */
export class Tree {
  readonly store: Store;
  readonly chunks: Chunks;
  readonly removal: Removal;
  readonly attributes: Attributes;
  readonly openFiles = new OpenFiles();
  readonly content: Content;
  readonly resolver: Resolver;
  /** How many bytes of a file are read in one piece at most. */
  readonly readLimit: number;

  /** @param readLimit how many bytes of a file are read in one piece at most. */
  constructor(sql: Sql, readLimit: number, { keepsRuns = false, view, limits }: TreeOptions = {}) {
    const version = view === undefined ? inspectSchema(sql) : SCHEMA_VERSION;
    if (version === 0) {
      sql.transaction(() => {
        migrate(sql, 0);
        Counters.initialize(sql);
      });
    } else migrate(sql, version);
    this.store = view?.store ?? new Store(sql, keepsRuns, limits);
    this.chunks = view?.chunks ?? new Chunks(this.store);
    if (view === undefined) {
      this.store.check();
      this.store.usage.onFull(() => this.chunks.reclaim());
    }
    this.content = new Content(this.store, this.chunks, view && VIEW_CACHE_BYTES);
    this.resolver = new Resolver(this.store, this.content);
    this.removal = new Removal(this.store, this.content, this.resolver, this.openFiles);
    this.attributes = new Attributes(this.store, this.resolver);
    this.readLimit = readLimit;
    if (version === 0) this.#setTimes(ROOT);
  }

  /**
   * Does a bounded part of what is left over: takes apart what was removed, frees chunks without a use.
   *
   * @returns whether there may be more to do.
   */
  recover(): boolean {
    const swept = this.chunks.sweep();
    return this.removal.step(STEP_REMOVED) || swept;
  }

  /**
   * Does a bounded part of taking apart what was removed. Bytes of large files may be left to be freed later, but not
   * very many.
   *
   * @returns whether there may be more to do.
   */
  takeApart(): boolean {
    return this.removal.step(STEP_REMOVED) || this.chunks.backlog();
  }

  /** Forgets everything; streams that are still open find nothing to release. */
  close(): void {
    this.store.close();
  }

  /** The node that a path leads to. */
  node(path: string, lastLink: LastLink, syscall: string): Node {
    return this.resolver.existing(path, lastLink, { syscall, path }).node;
  }

  realpath(path: string): string {
    return this.resolver.physicalPath(this.resolver.existing(path, "follow", { syscall: "realpath", path }));
  }

  readlink(path: string): string {
    const call = { syscall: "readlink", path };
    const { node } = this.resolver.existing(path, "keep", call);
    if (!isSymlink(node.mode)) throw fsError("EINVAL", call);
    return decodeName(this.content.read(node));
  }

  /** The directory that a path leads to, to be listed. */
  directory(path: string, syscall = "scandir"): number {
    const call = { syscall, path };
    const { node } = this.resolver.existing(path, "follow", call);
    if (!isDirectory(node.mode)) throw fsError("ENOTDIR", call);
    return node.id;
  }

  /** Some of a directory's entries, by the bytes of their names; those after a name. */
  entries(directory: number, after: Uint8Array | undefined, limit: number): Entry[] {
    return this.store.entries(directory, after, limit);
  }

  /** A file's bytes, for the caller to keep; or, to be looked at only, those that the tree itself may keep. */
  read(path: string, use: "keep" | "look"): Uint8Array {
    const node = this.#file(path);
    if (node.size > this.readLimit) throw tooLarge(node.size, this.readLimit);
    const bytes = this.content.read(node);
    return use === "keep" && node.size <= INLINE_BYTES ? bytes.slice() : bytes;
  }

  /** Holds a file as it is now. */
  open(path: string): Version {
    return this.content.open(this.#file(path));
  }

  /** Holds a file as it is now, by its node; undefined when that is no file, or gone. */
  version(id: number): Version | undefined {
    const node = this.store.find(id);
    return node !== undefined && isFile(node.mode) ? this.content.open(node) : undefined;
  }

  /** The file that would be written, undefined when it would be made; throws when it cannot be opened to be written. */
  writable(path: string, options: OpenOptions): Node | undefined {
    return this.#writable(path, options, { syscall: "open", path }).node;
  }

  /** Writes a file, or adds to it, in one transaction. */
  write(path: string, bytes: Uint8Array, options: OpenOptions): void {
    const append = options.flag.startsWith("a");
    // Nothing added is nothing done; to a file that is not there, it makes one.
    if (append && bytes.length === 0 && this.writable(path, options) !== undefined) return;
    this.#change(path, options, (node) => {
      if (append) this.content.append(node, bytes);
      else this.content.replace(node, bytes);
    });
  }

  /** Makes staged content a file's, in one transaction. */
  adopt(path: string, staged: Staged, options: OpenOptions): void {
    this.#change(path, options, (node) => this.content.adopt(node, staged));
  }

  /** What an append to a file starts from: the bytes that share a chunk with its end. */
  tail(path: string): { size: number; bytes: Uint8Array } {
    const call = { syscall: "open", path };
    const { node } = this.resolver.locate(path, "follow", call);
    return node === undefined
      ? { size: 0, bytes: new Uint8Array() }
      : { size: node.size, bytes: this.content.tail(node) };
  }

  /** Adds staged content, which begins with the tail as it was, in one transaction; false when the file has another tail by now. */
  adoptTail(
    path: string,
    staged: Staged,
    base: { size: number; bytes: Uint8Array },
    options: OpenOptions,
  ): boolean {
    const now = this.tail(path);
    if (now.size !== base.size || now.bytes.some((byte, i) => byte !== base.bytes[i])) return false;
    this.#change(path, options, (node) => this.content.adoptTail(node, staged));
    return true;
  }

  /** Adds parts to a file, all in one transaction. */
  appendParts(path: string, parts: Iterable<Uint8Array>, options: OpenOptions): void {
    this.#change(path, options, (node) => {
      for (const part of parts) this.content.append(node, part);
    });
  }

  truncate(path: string, length: number): void {
    const call = { syscall: "open", path };
    const { node } = this.resolver.existing(path, "follow", call);
    if (isDirectory(node.mode)) throw fsError("EISDIR", call);
    if (length > FILE_MAX) throw fsError("EFBIG", { syscall: "ftruncate" });
    // As POSIX has it: only a size that changes moves the times.
    if (length === node.size) return;
    this.store.mutate(call, () => {
      this.content.truncate(node, length);
      touchContent(node, this.store.now);
      this.store.save(node);
    });
  }

  copyFile(source: string, target: string, exclusive: boolean): void {
    const call = { syscall: "copyfile", path: source, dest: target };
    const { node: from } = this.resolver.existing(source, "follow", call);
    if (isDirectory(from.mode)) throw fsError("EISDIR", call);
    const to = this.writableTarget(target, exclusive, call);
    if (to.node?.id === from.id) return;
    this.store.mutate(call, () => {
      const node = to.node ?? this.store.create(KIND_BITS.file);
      node.mode = KIND_BITS.file | (from.mode & PERMISSIONS);
      // As Node's does for root.
      node.uid = from.uid;
      node.gid = from.gid;
      this.content.copy(from, node);
      this.#saveWritten(to, node, call);
    });
  }

  mkdir(path: string, mode: number): void {
    const call = { syscall: "mkdir", path };
    const target = this.resolver.locate(path, "never", call);
    if (target.node !== undefined) throw fsError("EEXIST", call);
    this.store.mutate(call, () => {
      const node = this.store.create(KIND_BITS.directory | mode);
      node.nlink = 2;
      this.add(target, node, call);
    });
  }

  /** Makes a directory and those above it that are missing; answers the first one made. */
  mkdirs(path: string, mode: number): string | undefined {
    const call = { syscall: "mkdir", path };
    checkPath(path, call);
    if (this.#directoryState(path, path) === "there") return undefined;
    return this.store.mutate(call, () => {
      let first: string | undefined;
      const missing = [path];
      const tried = new Set<string>();
      for (let next = missing.at(-1); next !== undefined; next = missing.at(-1)) {
        const state = this.#directoryState(next, path);
        if (state === "parent missing") {
          // Its parent is there by now: it is a link on the way whose own target has none.
          if (tried.has(next)) throw fsError("ENOENT", call);
          tried.add(next);
          missing.push(parentPath(next));
          continue;
        }
        if (state === "missing") {
          this.mkdir(next, mode);
          first ??= next;
        }
        missing.pop();
      }
      return first;
    });
  }

  link(existing: string, path: string): void {
    const call = { syscall: "link", path: existing, dest: path };
    const { node } = this.resolver.existing(existing, "keep", call);
    const target = this.#vacant(path, call);
    if (isDirectory(node.mode)) throw fsError("EPERM", call);
    this.store.mutate(call, () => {
      node.nlink += 1;
      touchMetadata(node, this.store.now);
      this.store.enter(target.parent.id, target.name, node, call);
      this.store.save(node);
      this.touchParent(target.parent.id);
    });
  }

  symlink(to: string, path: string): void {
    const call = { syscall: "symlink", path: to, dest: path };
    const bytes = checkLinkTarget(to, call);
    const target = this.#vacant(path, call);
    this.store.mutate(call, () => {
      const node = this.store.create(KIND_BITS.symlink | 0o777);
      this.content.replace(node, bytes);
      this.add(target, node, call);
    });
  }

  rename(oldPath: string, newPath: string): void {
    const call = { syscall: "rename", path: oldPath, dest: newPath };
    const from = this.resolver.locate(oldPath, "never", call);
    const to = this.resolver.locate(newPath, "never", call);
    const moving = movable(this.store, from, to, call);
    if (moving.id === to.node?.id) return;
    const isMoving = isDirectory(moving.mode);
    this.store.mutate(call, () => {
      if (to.node !== undefined) this.removal.unlink({ ...to, node: to.node }, call);
      this.store.leave(from.parent.id, from.name, call);
      this.store.enter(to.parent.id, to.name, moving, call);
      if (isMoving || isSymlink(moving.mode)) this.resolver.forget();
      touchMetadata(moving, this.store.now);
      this.store.save(moving);
      const across = from.parent.id !== to.parent.id;
      this.touchParent(from.parent.id, isMoving && across ? -1 : 0);
      if (across) this.touchParent(to.parent.id, isMoving ? 1 : 0);
    });
  }

  /** What `rm` is to remove; undefined when there is nothing and that is fine. */
  toRemove(path: string, options: RemoveOptions): (Target & { readonly node: Node }) | undefined {
    const call = { syscall: "lstat", path };
    let target: Target & { readonly node: Node };
    try {
      target = this.resolver.existing(path, "keep", call);
    } catch (error) {
      if (options.force && hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
    if (!isDirectory(target.node.mode)) return target;
    if (options.recursive !== true) throw rmIsDirectory(path);
    if (target.unnamed !== undefined) {
      const code = target.unnamed.id === ROOT ? "EBUSY" : "EINVAL";
      throw fsError(code, { syscall: "rm", path }, "name the directory to remove");
    }
    // Behind a symbolic link with a slash there is a directory, but the name to remove would be the link's.
    return path.endsWith("/") ? this.resolver.existing(path, "never", call) : target;
  }

  #file(path: string): Node {
    const { node } = this.resolver.existing(path, "follow", { syscall: "open", path });
    if (isDirectory(node.mode)) throw fsError("EISDIR", { syscall: "read" });
    return node;
  }

  #writable(path: string, { flag }: OpenOptions, call: Call): Target {
    return this.writableTarget(path, flag.endsWith("x"), call);
  }

  /**
   * Refuses to make a file where a slash at the end asks for a directory, whatever is there: as on Linux, the last
   * name is not even looked at.
   */
  refuseSlash(path: string, call: Call): void {
    checkPath(path, call);
    if (!path.endsWith("/")) return;
    const { node } = this.resolver.existing(parentPath(path), "follow", call);
    throw fsError(isDirectory(node.mode) ? "EISDIR" : "ENOTDIR", call);
  }

  /** Where a file is that is to be written, or is to be made. */
  writableTarget(path: string, exclusive: boolean, call: Call): Target {
    this.refuseSlash(path, call);
    const target = this.resolver.locate(path, exclusive ? "never" : "follow", call);
    if (target.node !== undefined && exclusive) throw fsError("EEXIST", call);
    if (target.slash || (target.node !== undefined && isDirectory(target.node.mode)))
      throw fsError("EISDIR", call);
    return target;
  }

  #change(path: string, options: OpenOptions, change: (node: Node) => void): void {
    const call = { syscall: "open", path };
    const target = this.#writable(path, options, call);
    this.store.mutate(call, () => {
      const node = target.node ?? this.store.create(KIND_BITS.file | options.mode);
      change(node);
      this.#saveWritten(target, node, call);
    });
  }

  /** Saves a file whose content was written: a new one is entered where it belongs. */
  #saveWritten(target: Target, node: Node, call: Call): void {
    if (node.size > FILE_MAX) throw fsError("EFBIG", call);
    if (target.node === undefined) {
      this.add(target, node, call);
    } else {
      touchContent(node, this.store.now);
      this.store.save(node);
    }
  }

  #vacant(path: string, call: Call): Target {
    const target = this.resolver.locate(path, "never", { ...call });
    if (target.node !== undefined) throw fsError("EEXIST", call);
    if (target.slash) throw fsError("ENOENT", call);
    return target;
  }

  /** Saves a new node and enters it where it belongs. Part of a revision. */
  add(
    target: { readonly parent: { readonly id: number }; readonly name: string },
    node: Node,
    call: Call,
  ): void {
    this.store.enter(target.parent.id, target.name, node, call);
    this.store.insert(node);
    this.touchParent(target.parent.id, isDirectory(node.mode) ? 1 : 0);
  }

  /** A directory's entries changed. Part of a revision. */
  touchParent(id: number, links = 0): void {
    const parent = this.store.node(id);
    parent.nlink += links;
    touchContent(parent, this.store.now);
    this.store.saveDerived(parent);
  }

  /** What there is on the way to a directory that `mkdirs` was asked for. */
  #directoryState(path: string, asked: string): "there" | "missing" | "parent missing" {
    const call = { syscall: "mkdir", path: asked };
    let node: Node | undefined;
    try {
      node = this.resolver.locate(path, "follow", call).node;
    } catch (error) {
      if (!hasCode(error, "ENOENT") || parentPath(path) === path) throw error;
      // What is missing may be above what a link leads to: nothing is made there.
      if (this.#isThere(path, call)) throw fsError(path === asked ? "ENOENT" : "ENOTDIR", { ...call, path });
      return "parent missing";
    }
    if (node !== undefined) {
      if (isDirectory(node.mode)) return "there";
      throw fsError(path === asked && !path.endsWith("/") ? "EEXIST" : "ENOTDIR", call);
    }
    // What is missing may be what a symbolic link leads to: a directory is not made through a link.
    if (this.resolver.locate(path, "never", call).node === undefined) return "missing";
    throw fsError(path === asked ? "ENOENT" : "ENOTDIR", { syscall: "mkdir", path });
  }

  #isThere(path: string, call: Call): boolean {
    try {
      return this.resolver.locate(path, "never", call).node !== undefined;
    } catch (error) {
      if (hasCode(error, "ENOENT")) return false;
      throw error;
    }
  }

  #setTimes(id: number): void {
    this.store.mutate({ syscall: "open" }, () => {
      const node = this.store.node(id);
      const { s, ns } = this.store.now;
      Object.assign(node, { atime_s: s, atime_ns: ns });
      touchContent(node, this.store.now);
      this.store.save(node);
    });
  }
}
