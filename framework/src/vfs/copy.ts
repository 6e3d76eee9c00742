import { assignTimes } from "./attributes.ts";
import { cpError, fsError, hasCode } from "./errors.ts";
import { INLINE_BYTES, STEP_BYTES } from "./layout.ts";
import { decodeName } from "./names.ts";
import { isDirectory, isSymlink, KIND_BITS, type Node, PERMISSIONS } from "./node.ts";
import { checkLinkTarget, join, parentPath, reversedParts } from "./paths.ts";
import { pause } from "./pause.ts";
import type { LastLink, Place } from "./resolver.ts";
import { settle } from "./settle.ts";
import type { Entry } from "./store.ts";
import type { Tree } from "./tree.ts";
import type { CopyOptions } from "./types.ts";

/** Entries that are copied in one go. */
const STEP_COPIES = 128;

/** A directory whose entries are being copied, and how far. */
interface Level {
  readonly from: number;
  readonly to: number;
  readonly fromPath: string;
  readonly toPath: string;
  readonly above: Level | undefined;
  after: Uint8Array | undefined;
}

/** One entry to be copied. */
interface Job {
  readonly node: Node;
  /** What the copy is to replace, or to be merged into. */
  readonly there: Node | undefined;
  readonly parent: number;
  readonly name: string;
  readonly fromPath: string;
  readonly toPath: string;
  readonly above: Level | undefined;
}

/**
 * Copies as Node's `cp` does, by its rules for what is there already, but node by node and in steps, each of them one
 * transaction. Memory holds a place per level. What is copied is what is there when its directory is reached.
 */
export class Copy {
  readonly #tree: () => Tree;
  readonly #options: CopyOptions;
  readonly #lastLink: LastLink;
  readonly #levels: Level[] = [];
  #root: number | undefined;
  /** What the revision being made has put into its one directory, whose own row is written once. */
  #made = { entries: 0, links: 0 };

  constructor(tree: () => Tree, options: CopyOptions) {
    this.#tree = tree;
    this.#options = options;
    this.#lastLink = options.dereference ? "follow" : "keep";
  }

  async run(source: string, target: string): Promise<void> {
    const { filter } = this.#options;
    if (filter !== undefined && !(await filter(source, target))) return;
    this.#start(source, target);
    for (let level = this.#levels.at(-1); level !== undefined; level = this.#levels.at(-1)) {
      await pause();
      await this.#step(level);
    }
    await settle(this.#tree());
  }

  /** Checks the two paths, makes the directories above the target, and copies the first entry. */
  #start(source: string, target: string): void {
    const tree = this.#tree();
    const syscall = this.#options.dereference ? "stat" : "lstat";
    const { node } = tree.resolver.existing(source, this.#lastLink, { syscall, path: source });
    const place = this.#place(target);
    this.#checkKinds(node, place?.node, source, target);
    if (isDirectory(node.mode)) {
      for (let at = place?.parent; at !== undefined; at = at.parent)
        if (at.id === node.id)
          throw cpError(
            "ERR_FS_CP_EINVAL",
            `cannot copy ${source} to a subdirectory of self ${target}`,
            target,
          );
    }
    tree.store.mutate({ syscall: "cp", path: source, dest: target }, () => {
      if (place === undefined) tree.mkdirs(parentPath(target), 0o755);
      const to = place ?? tree.resolver.locate(target, "never", { syscall: "cp", path: target });
      const at = { parent: to.parent.id, name: to.name, above: undefined };
      this.#made = { entries: 0, links: 0 };
      this.#copy({ node, there: to.node, ...at, fromPath: source, toPath: target });
      this.#touch(to.parent.id);
    });
    this.#root = this.#levels[0]?.to;
  }

  /** Where the target is; undefined when a directory above it is missing. */
  #place(target: string): { parent: Place; name: string; node: Node | undefined } | undefined {
    const call = { syscall: this.#options.dereference ? "stat" : "lstat", path: target };
    try {
      return this.#tree().resolver.locate(target, this.#lastLink, call);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  /** Copies some entries of a directory. */
  async #step(level: Level): Promise<void> {
    let tree = this.#tree();
    const { filter } = this.#options;
    const entries = tree.entries(level.from, level.after, STEP_COPIES);
    const wanted: Entry[] = [];
    let bytes = 0;
    let taken = 0;
    for (const entry of entries) {
      const { name, size } = entry;
      if (filter === undefined || (await filter(join(level.fromPath, name), join(level.toPath, name))))
        wanted.push(entry);
      taken += 1;
      bytes += size > INLINE_BYTES ? STEP_BYTES / 4 : size;
      if (bytes > STEP_BYTES) break;
    }
    if (taken > 0) level.after = entries[taken - 1]?.bytes;
    if (entries.length < STEP_COPIES && taken === entries.length) this.#leave(level);
    const call = { syscall: "cp", path: level.fromPath, dest: level.toPath };
    tree = this.#tree();
    const to = tree.store.find(level.to);
    if (to === undefined) throw fsError("ENOENT", call, "the target was removed meanwhile");
    tree.store.mutate(call, () => {
      this.#made = { entries: 0, links: 0 };
      for (const { name, node: id } of wanted) {
        const fromPath = join(level.fromPath, name);
        const toPath = join(level.toPath, name);
        const node = this.#entry(level, name, id, fromPath);
        // Gone meanwhile, or the copy itself, moved to where it is copied from.
        if (node === undefined || node.id === this.#root) continue;
        const at = { parent: level.to, name, above: level };
        this.#copy({ node, there: this.#there(level.to, name, toPath), ...at, fromPath, toPath });
      }
      this.#touch(level.to);
    });
  }

  /** What is to be copied for an entry: what it is now. */
  #entry(level: Level, name: string, listed: number, path: string): Node | undefined {
    const tree = this.#tree();
    const call = { syscall: "lstat", path };
    // Where a filter was waited for, something else may be there by now.
    const id = this.#options.filter === undefined ? listed : tree.store.child(level.from, name, call);
    const node = id === undefined ? undefined : tree.store.find(id);
    if (node === undefined || !this.#options.dereference || !isSymlink(node.mode)) return node;
    return tree.resolver.existing(path, "follow", { syscall: "stat", path }).node;
  }

  /** What is there already. */
  #there(parent: number, name: string, path: string): Node | undefined {
    const tree = this.#tree();
    const call = { syscall: "lstat", path };
    const id = tree.store.child(parent, name, call);
    const there = id === undefined ? undefined : tree.store.node(id);
    if (there === undefined || !this.#options.dereference || !isSymlink(there.mode)) return there;
    const { node } = tree.resolver.locate(path, "follow", call);
    return node !== undefined && isDirectory(node.mode) ? node : there;
  }

  /** Copies one entry; a directory's entries follow in steps of their own. Part of a revision. */
  #copy(job: Job): void {
    this.#checkKinds(job.node, job.there, job.fromPath, job.toPath);
    if (isDirectory(job.node.mode)) this.#copyDirectory(job);
    else if (isSymlink(job.node.mode)) this.#copyLink(job);
    else this.#copyFile(job);
  }

  #copyDirectory({ node, there, parent, name, fromPath, toPath, above }: Job): void {
    const { recursive, force = true, errorOnExist } = this.#options;
    if (!recursive) throw cpError("ERR_FS_EISDIR", `${fromPath} is a directory (not copied)`, fromPath);
    if (there !== undefined && errorOnExist && !force)
      throw cpError("ERR_FS_CP_EEXIST", `${toPath} already exists`, toPath);
    // Links that are followed may lead in a circle.
    for (let at = this.#options.dereference ? above : undefined; at !== undefined; at = at.above)
      if (at.from === node.id) throw fsError("ELOOP", { syscall: "cp", path: fromPath });
    const to = there ?? this.#make(KIND_BITS.directory | (node.mode & PERMISSIONS), parent, name);
    this.#levels.push({ from: node.id, to: to.id, fromPath, toPath, above, after: undefined });
  }

  #copyFile({ node, there, parent, name, toPath }: Job): void {
    const { force = true, errorOnExist, preserveTimestamps } = this.#options;
    if (there !== undefined && !force) {
      if (errorOnExist) throw cpError("ERR_FS_CP_EEXIST", `${toPath} already exists`, toPath);
      return;
    }
    const mode = KIND_BITS.file | (node.mode & PERMISSIONS);
    this.#replace(there, parent, name);
    this.#make(mode, parent, name, (created) => {
      this.#tree().content.copy(node, created);
      created.uid = node.uid;
      created.gid = node.gid;
      if (preserveTimestamps) {
        const { atime_s, atime_ns, mtime_s, mtime_ns } = node;
        assignTimes(created, { s: atime_s, ns: atime_ns }, { s: mtime_s, ns: mtime_ns });
      }
    });
  }

  #copyLink({ node, there, parent, name, fromPath, toPath }: Job): void {
    const tree = this.#tree();
    const call = { syscall: "symlink", path: toPath };
    const written = decodeName(tree.content.read(node));
    const verbatim = this.#options.verbatimSymlinks === true || written.startsWith("/");
    const target = verbatim ? written : absolute(parentPath(fromPath), written);
    const bytes = verbatim ? tree.content.read(node) : checkLinkTarget(target, call);
    if (there !== undefined) {
      if (!isSymlink(there.mode)) throw fsError("EEXIST", { syscall: "symlink", path: target, dest: toPath });
      const led = tree.resolver.existing(fromPath, "follow", { syscall: "stat", path: fromPath });
      const old = absolute(parentPath(toPath), decodeName(tree.content.read(there)));
      if (isDirectory(led.node.mode)) {
        if (isBelow(old, target))
          throw cpError("ERR_FS_CP_EINVAL", `cannot copy ${target} to a subdirectory of self ${old}`, toPath);
        if (isBelow(target, old))
          throw cpError(
            "ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY",
            `cannot overwrite ${old} with ${target}`,
            toPath,
          );
      }
    }
    this.#replace(there, parent, name);
    this.#make(KIND_BITS.symlink | 0o777, parent, name, (created) => tree.content.replace(created, bytes));
  }

  #replace(there: Node | undefined, parent: number, name: string): void {
    if (there === undefined) return;
    const tree = this.#tree();
    const call = { syscall: "unlink" };
    const id = tree.store.child(parent, name, call);
    const node = id === undefined ? undefined : tree.store.node(id);
    if (node !== undefined) tree.removal.unlink({ parent: { id: parent }, name, node }, call);
  }

  #make(mode: number, parent: number, name: string, fill?: (node: Node) => void): Node {
    const tree = this.#tree();
    const node = tree.store.create(mode);
    if (isDirectory(mode)) node.nlink = 2;
    fill?.(node);
    tree.store.enter(parent, name, node, { syscall: "cp" });
    tree.store.insert(node);
    this.#made.links += isDirectory(mode) ? 1 : 0;
    this.#made.entries += 1;
    return node;
  }

  #touch(directory: number): void {
    if (this.#made.entries > 0) this.#tree().touchParent(directory, this.#made.links);
  }

  #leave(level: Level): void {
    const at = this.#levels.indexOf(level);
    this.#levels.splice(at, 1);
  }

  #checkKinds(node: Node, there: Node | undefined, source: string, target: string): void {
    if (there === undefined) return;
    if (there.id === node.id) throw cpError("ERR_FS_CP_EINVAL", "src and dest cannot be the same", target);
    if (isDirectory(node.mode) && !isDirectory(there.mode))
      throw cpError(
        "ERR_FS_CP_DIR_TO_NON_DIR",
        `cannot overwrite non-directory ${target} with directory ${source}`,
        target,
      );
    if (!isDirectory(node.mode) && isDirectory(there.mode))
      throw cpError(
        "ERR_FS_CP_NON_DIR_TO_DIR",
        `cannot overwrite directory ${target} with non-directory ${source}`,
        target,
      );
  }
}

/** A path from a directory on, without dots and doubled slashes; links are not looked at. */
function absolute(directory: string, path: string): string {
  const parts: string[] = [];
  for (const part of reversedParts(path.startsWith("/") ? path : `${directory}/${path}`).reverse()) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** Whether a path is another or lies below it, by its words alone. */
function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}
