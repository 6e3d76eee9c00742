import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Applied, applyChanges } from "../../tree/apply.ts";
import type { ApplyOptions, ApplyResult, ChangeSet } from "../../tree/changes.ts";
import { kindOf } from "../../tree/describe.ts";
import type { Inode } from "../../tree/inode.ts";
import { TreeService } from "../../tree/service.ts";
import { lockStore, type StoreLock } from "../../tree/store/lock.ts";
import { Store } from "../../tree/store/store.ts";
import { LocalTree } from "../local-mount.ts";
import { type Mount, type MountDriver, MountError, type MountOptions } from "../types.ts";
import * as disk from "./disk.ts";
import { Scanner } from "./scan.ts";

/**
 * A plain folder: the tree is written out into it, and what processes change there is found by looking
 * through it. For hosts without any FUSE. Nothing is live from the inside out: {@link Mount.quiesce} looks.
 */
export const copyDriver: MountDriver = { name: "copy", mount: mountCopy };

/** In the store: the folder that its tree was written out to. */
const MARK = "copied-to";

async function mountCopy(options: MountOptions): Promise<Mount> {
  const lock = lockStore(options.store);
  if (lock === undefined)
    throw new MountError("ERR_STORE_LOCKED", `${options.store} belongs to a daemon that is running`);
  try {
    mkdirSync(options.path, { recursive: true });
    const path = realpathSync(resolve(options.path));
    const mark = join(options.store, MARK);
    const isOurs = existsSync(mark) && readFileSync(mark, "utf8") === path;
    if (!isOurs && readdirSync(path).length > 0)
      throw new MountError(
        "ERR_MOUNT_FAILED",
        `${path} is not empty: what is in it would be mixed with the tree`,
      );
    const store = Store.open(options.store, options.limits);
    const mount = new CopyMount(path, store, lock);
    if (isOurs && readdirSync(path).length > 0) mount.look();
    else mount.writeOut();
    writeFileSync(mark, path);
    return mount;
  } catch (error) {
    lock.release();
    throw error;
  }
}

class CopyMount extends LocalTree implements Mount {
  readonly driver = "copy";
  readonly path: string;
  readonly ended: Promise<string>;
  readonly #end = Promise.withResolvers<string>();
  readonly #store: Store;
  readonly #lock: StoreLock;
  readonly #scanner: Scanner;
  readonly #root: string;
  #closed = false;

  constructor(path: string, store: Store, lock: StoreLock) {
    super(new TreeService(store));
    this.path = path;
    this.ended = this.#end.promise;
    this.#store = store;
    this.#lock = lock;
    this.#root = Buffer.from(path).toString("latin1");
    this.#scanner = new Scanner(store.tree, this.#root);
  }

  /** Finds out what changed in the folder. */
  look(): void {
    this.#scanner.scan();
  }

  /** Writes the whole tree into the folder. */
  writeOut(): void {
    this.#below(this.#store.tree.root, this.#root, new Set());
  }

  async apply(changes: ChangeSet, options: ApplyOptions = {}): Promise<ApplyResult> {
    this.look();
    const applied = applyChanges(this.#store.tree, changes, options);
    this.#show(applied);
    const { version, conflicts } = applied;
    return { version, conflicts };
  }

  async quiesce(): Promise<number> {
    // What is mapped and dirty has its time set only when it is written back.
    await new Promise<void>((done) => {
      const child = spawn("sync", ["-f", this.path], { cwd: "/", stdio: "ignore" });
      child.on("error", () => done());
      child.on("close", () => done());
    });
    this.look();
    return this.#store.commit();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.look();
    this.#store.close();
    this.#lock.release();
    this.#end.resolve("closed");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Brings the folder in line with what an apply changed. */
  #show({ names, replaced, touched }: Applied): void {
    const places = new Map<string, { parent: Inode; name: string }>();
    const placed = new Set<Inode>();
    for (const { parent, name } of names) places.set(`${parent.id}/${name}`, { parent, name });
    // First all that is gone or another, deepest first; what is to be there follows, from the top.
    const paths = [...places.values()].flatMap(({ parent, name }) => {
      const folder = this.#pathOf(parent);
      return folder === undefined ? [] : [{ parent, name, folder }];
    });
    for (const { parent, name, folder } of paths) {
      const node = parent.directory?.get(name)?.node;
      if (node === undefined || !node.isFile) disk.remove(`${folder}/${name}`);
    }
    for (const { parent, name, folder } of paths.sort((a, b) => a.folder.length - b.folder.length)) {
      const node = parent.directory?.get(name)?.node;
      if (node !== undefined && disk.statOf(folder) !== undefined) this.#place(node, folder, name, placed);
    }
    for (const { node } of replaced) {
      const [entry] = this.#store.tree.namesOf(node);
      const folder = entry === undefined ? undefined : this.#pathOf(entry.parent);
      if (entry === undefined || folder === undefined || placed.has(node)) continue;
      const path = `${folder}/${entry.name}`;
      if (node.isFile && node.nlink > 1) disk.overwrite(this.#store.tree, node, path);
      else disk.write(this.#store.tree, node, kindOf(node.mode), folder, entry.name);
      this.#scanner.agree(node.id, path);
    }
    for (const node of touched) {
      const [entry] = this.#store.tree.namesOf(node);
      const folder = entry === undefined ? undefined : this.#pathOf(entry.parent);
      const path = node === this.#store.tree.root ? this.#root : `${folder}/${entry?.name}`;
      if (disk.statOf(path) === undefined) continue;
      disk.dress(node, path);
      this.#scanner.agree(node.id, path);
    }
  }

  /** Puts a node at a path, and all below it. A file that was put somewhere already is linked. */
  #place(node: Inode, folder: string, name: string, placed: Set<Inode>): void {
    const path = `${folder}/${name}`;
    const other = node.nlink > 1 && node.isFile ? this.#otherPath(node, path, placed) : undefined;
    if (other !== undefined) {
      disk.remove(path);
      disk.link(other, path);
    } else disk.write(this.#store.tree, node, kindOf(node.mode), folder, name);
    placed.add(node);
    if (node.directory !== undefined) {
      this.#below(node, path, placed);
      disk.dress(node, path);
    }
    this.#scanner.agree(node.id, path);
  }

  #below(directory: Inode, path: string, placed: Set<Inode>): void {
    for (const { name, node } of directory.directory?.values() ?? [])
      if (node !== undefined) this.#place(node, path, name, placed);
  }

  /** Another path at which a file of several names is already as it should be. */
  #otherPath(node: Inode, path: string, placed: Set<Inode>): string | undefined {
    for (const { parent, name } of this.#store.tree.namesOf(node)) {
      const folder = this.#pathOf(parent);
      const other = `${folder}/${name}`;
      if (folder === undefined || other === path || disk.statOf(other)?.isFile() !== true) continue;
      if (placed.has(node)) return other;
    }
    return undefined;
  }

  #pathOf(directory: Inode): string | undefined {
    const parts: string[] = [];
    let at = directory;
    while (at.entry !== undefined) {
      parts.push(at.entry.name);
      at = at.entry.parent;
    }
    return at === this.#store.tree.root ? [this.#root, ...parts.reverse()].join("/") : undefined;
  }
}
