import { randomInt } from "node:crypto";
import { Clock } from "./clock.ts";
import { Content } from "./content/content.ts";
import type { Segments } from "./content/segments.ts";
import { E } from "./errors.ts";
import { Directory, type Dirent, type Inode, S_IFDIR, S_IFLNK, S_IFMT, S_ISGID } from "./inode.ts";
import { ChangeLog } from "./log.ts";
import { isName, NAME_MAX } from "./names.ts";
import { NodeTable } from "./table.ts";

/** The longest target of a symbolic link, as Linux has it, without the NUL. */
const TARGET_MAX = 4095;
const LINK_MAX = 65_000;
export const ROOT_INO = 1;

/** Bounds of a tree; beyond them a writer gets EDQUOT. */
export interface TreeLimits {
  /** Bytes that contents take up. */
  bytes: number;
  /** Nodes. */
  nodes: number;
}

/** What a new node is to be. */
export interface NewNode {
  mode: number;
  uid: number;
  gid: number;
  rdev?: number;
  /** Of a symbolic link. */
  target?: Buffer;
}

/** What `rename` is told besides the names; the numbers are Linux's. */
export const RENAME_NOREPLACE = 1;
export const RENAME_EXCHANGE = 2;

/**
 * The file tree: nodes, names, contents, and what changed. It knows no kernel and no protocol. Permissions
 * are not its business: they were checked before. Refusals are thrown, `E.ENOENT` and its like.
 */
export class Tree {
  readonly table = new NodeTable();
  readonly log: ChangeLog;
  readonly content: Content;
  readonly segments: Segments;
  readonly limits: TreeLimits;
  readonly clock = new Clock();
  readonly root: Inode;
  /** All names of nodes that have more than one. */
  readonly links = new Map<Inode, Set<Dirent>>();
  /**
   * The next `st_ino` for what is made here: from a range that begins at random, so that it meets neither
   * the numbers of the tree outside nor those of another daemon.
   */
  nextId = (1 + randomInt(4095)) * 2 ** 40;

  constructor(segments: Segments, limits: Partial<TreeLimits> = {}, log = new ChangeLog()) {
    this.segments = segments;
    this.log = log;
    this.content = new Content(segments);
    this.limits = {
      bytes: limits.bytes ?? Number.POSITIVE_INFINITY,
      nodes: limits.nodes ?? Number.POSITIVE_INFINITY,
    };
    this.root = this.table.add(ROOT_INO, S_IFDIR | 0o755);
    this.root.directory = new Directory();
    this.root.nlink = 2;
    this.#stamp(this.root);
  }

  /** A new version begins: call it before any change. */
  begin(): number {
    const version = ++this.log.version;
    this.content.version = version;
    return version;
  }

  /** The entry of a name in a directory. */
  entry(parent: Inode, name: string): Dirent | undefined {
    const directory = parent.directory;
    if (directory === undefined) throw E.ENOTDIR;
    return directory.get(name);
  }

  /** Makes a node with a name. */
  make(parent: Inode, name: string, wanted: NewNode): Inode {
    const directory = this.#directoryFor(parent, name);
    if (directory.get(name) !== undefined) throw E.EEXIST;
    const node = this.makeUnnamed(parent, wanted);
    this.#name(parent, directory, name, node);
    this.#touchTimes(parent);
    return node;
  }

  /** Makes a node that no name leads to: what O_TMPFILE wants. A directory needs the parent for its group. */
  makeUnnamed(parent: Inode, { mode, uid, gid, rdev, target }: NewNode): Inode {
    if (this.table.count >= this.limits.nodes) throw E.EDQUOT;
    if (target !== undefined && (target.length === 0 || target.length > TARGET_MAX))
      throw target.length === 0 ? E.ENOENT : E.ENAMETOOLONG;
    const inherits = (parent.mode & S_ISGID) !== 0;
    const isDirectory = (mode & S_IFMT) === S_IFDIR;
    const version = this.begin();
    const node = this.table.add(this.nextId++, inherits && isDirectory ? mode | S_ISGID : mode);
    node.uid = uid;
    node.gid = inherits ? parent.gid : gid;
    node.rdev = rdev ?? 0;
    if (isDirectory) {
      node.directory = new Directory();
      node.nlink = 2;
    }
    if ((mode & S_IFMT) === S_IFLNK && target !== undefined) {
      node.target = target;
      node.size = target.length;
    }
    node.born = version;
    node.dataVersion = version;
    this.#stamp(node);
    return node;
  }

  /** Removes a name of anything but a directory. */
  unlink(parent: Inode, name: string): Inode {
    const entry = this.#existing(parent, name);
    const node = entry.node as Inode;
    if (node.isDirectory) throw E.EISDIR;
    this.begin();
    this.#unname(entry);
    this.#touchTimes(parent);
    this.#changed(node);
    this.release(node);
    return node;
  }

  /** Removes an empty directory. */
  rmdir(parent: Inode, name: string): Inode {
    const entry = this.#existing(parent, name);
    const node = entry.node as Inode;
    if (node.directory === undefined) throw E.ENOTDIR;
    if (node.directory.size > 0) throw E.ENOTEMPTY;
    this.begin();
    this.#unname(entry);
    this.#touchTimes(parent);
    this.#changed(node);
    this.release(node);
    return node;
  }

  /** Gives a node another name. */
  link(node: Inode, parent: Inode, name: string): void {
    if (node.isDirectory) throw E.EPERM;
    const directory = this.#directoryFor(parent, name);
    if (directory.get(name) !== undefined) throw E.EEXIST;
    if (node.nlink >= LINK_MAX) throw E.EMLINK;
    this.begin();
    // Made without a name (O_TMPFILE): as far as the log goes it is made now.
    if (node.entry === undefined) {
      node.born = this.log.version;
      this.touchData(node);
    }
    this.#name(parent, directory, name, node);
    this.#touchTimes(parent);
    this.#changed(node);
  }

  /** Moves a name; see rename(2) and renameat2(2) for what it refuses. */
  rename(parent: Inode, name: string, toParent: Inode, toName: string, flags: number): void {
    if ((flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE)) !== 0) throw E.EINVAL;
    if (flags === (RENAME_NOREPLACE | RENAME_EXCHANGE)) throw E.EINVAL;
    const entry = this.#existing(parent, name);
    const node = entry.node as Inode;
    const directory = this.#directoryFor(toParent, toName);
    const target = directory.get(toName);
    const replaced = target?.node;
    if (node.isDirectory && isWithin(toParent, node)) throw E.EINVAL;
    if ((flags & RENAME_EXCHANGE) !== 0) {
      if (target === undefined || replaced === undefined) throw E.ENOENT;
      if (replaced.isDirectory && isWithin(parent, replaced)) throw E.EINVAL;
      this.#exchange(entry, node, target, replaced);
      return;
    }
    if (target !== undefined && replaced !== undefined) {
      if ((flags & RENAME_NOREPLACE) !== 0) throw E.EEXIST;
      if (replaced === node) return;
      if (replaced.directory !== undefined) {
        if (!node.isDirectory) throw E.EISDIR;
        if (replaced.directory.size > 0) throw E.ENOTEMPTY;
      } else if (node.isDirectory) throw E.ENOTDIR;
    }
    this.begin();
    if (target !== undefined && replaced !== undefined) {
      // The entry stays, and with it its cookie: a listing under way sees the name once.
      this.log.renamed(toParent, toName, replaced.id, node.id);
      this.#detach(target, replaced);
      this.log.renamed(parent, name, node.id, 0);
      this.#detach(entry, node);
      (parent.directory as Directory).remove(entry);
      this.#attach(target, node);
      this.#changed(replaced);
      this.release(replaced);
    } else {
      this.#unname(entry);
      this.#name(toParent, directory, toName, node);
    }
    this.#touchTimes(parent);
    if (toParent !== parent) this.#touchTimes(toParent);
    this.#changed(node);
  }

  /** A node's attributes changed in the present version. */
  touchAttributes(node: Inode): void {
    if (this.log.outside) node.outsideVersion = this.log.version;
    else node.attrVersion = this.log.version;
    this.log.touch(node);
  }

  /** A node's bytes changed in the present version. */
  touchData(node: Inode): void {
    if (this.log.outside) node.outsideVersion = this.log.version;
    else node.dataVersion = this.log.version;
    this.log.touch(node);
  }

  /** Every name that leads to a node. */
  namesOf(node: Inode): Dirent[] {
    const all = this.links.get(node);
    if (all !== undefined) return [...all];
    return node.entry === undefined ? [] : [node.entry];
  }

  /** The kernel forgets a node that it was told of `count` times. */
  forget(node: Inode, count: number): void {
    node.lookups = Math.max(0, node.lookups - count);
    this.release(node);
  }

  /** Lets a node go for good if neither a name nor the kernel holds it. */
  release(node: Inode): void {
    if (node.lookups > 0 || node.entry !== undefined || node === this.root || !node.alive) return;
    this.kill(node);
  }

  /** Lets a node go whoever holds it: its number is dead. Its names must be gone. */
  kill(node: Inode): void {
    this.content.drop(node);
    this.log.gone(node);
    this.table.remove(node);
  }

  /** Adds a name without any check or time: for recovery and changes from outside. */
  attachName(parent: Inode, name: string, node: Inode): void {
    this.#name(parent, parent.directory as Directory, name, node);
  }

  /** Removes a name without any check or time: for recovery and changes from outside. */
  detachName(entry: Dirent): void {
    this.#unname(entry);
  }

  #existing(parent: Inode, name: string): Dirent {
    const entry = this.entry(parent, name);
    if (entry === undefined) throw name.length > NAME_MAX ? E.ENAMETOOLONG : E.ENOENT;
    return entry;
  }

  /** The directory that a new name is to stand in. */
  #directoryFor(parent: Inode, name: string): Directory {
    const directory = parent.directory;
    if (directory === undefined) throw E.ENOTDIR;
    if (name.length > NAME_MAX) throw E.ENAMETOOLONG;
    if (!isName(name)) throw E.EINVAL;
    // A directory that was removed while somebody stood in it takes no new names.
    if (parent.entry === undefined && parent !== this.root) throw E.ENOENT;
    return directory;
  }

  #name(parent: Inode, directory: Directory, name: string, node: Inode): void {
    this.log.renamed(parent, name, 0, node.id);
    const entry = directory.add(name, parent, node);
    this.#attach(entry, node);
  }

  #unname(entry: Dirent): void {
    const node = entry.node as Inode;
    this.log.renamed(entry.parent, entry.name, node.id, 0);
    this.#detach(entry, node);
    (entry.parent.directory as Directory).remove(entry);
  }

  #attach(entry: Dirent, node: Inode): void {
    entry.node = node;
    if (node.directory !== undefined) {
      (entry.parent.directory as Directory).directories++;
      entry.parent.nlink++;
      node.nlink = 2 + node.directory.directories;
    } else node.nlink++;
    if (node.entry === undefined) {
      node.entry = entry;
      return;
    }
    let all = this.links.get(node);
    if (all === undefined) {
      all = new Set([node.entry]);
      this.links.set(node, all);
    }
    all.add(entry);
  }

  #detach(entry: Dirent, node: Inode): void {
    if (node.directory !== undefined) {
      (entry.parent.directory as Directory).directories--;
      entry.parent.nlink--;
      node.nlink = 0;
      node.entry = undefined;
      return;
    }
    node.nlink--;
    const all = this.links.get(node);
    if (all === undefined) {
      node.entry = undefined;
      return;
    }
    all.delete(entry);
    node.entry = all.values().next().value;
    if (all.size === 1) this.links.delete(node);
  }

  #exchange(entry: Dirent, node: Inode, target: Dirent, other: Inode): void {
    this.begin();
    if (node !== other) {
      this.log.renamed(entry.parent, entry.name, node.id, other.id);
      this.log.renamed(target.parent, target.name, other.id, node.id);
      this.#detach(entry, node);
      this.#detach(target, other);
      this.#attach(entry, other);
      this.#attach(target, node);
    }
    this.#touchTimes(entry.parent);
    if (target.parent !== entry.parent) this.#touchTimes(target.parent);
    this.#changed(node);
    this.#changed(other);
  }

  #stamp(node: Inode): void {
    const { sec, nsec } = this.clock.tick();
    node.atimeSec = node.mtimeSec = node.ctimeSec = sec;
    node.atimeNsec = node.mtimeNsec = node.ctimeNsec = nsec;
    this.touchAttributes(node);
  }

  /** A directory's own times follow from its names; they are no change of it in the log. */
  #touchTimes(directory: Inode): void {
    const { sec, nsec } = this.clock.tick();
    directory.mtimeSec = directory.ctimeSec = sec;
    directory.mtimeNsec = directory.ctimeNsec = nsec;
  }

  #changed(node: Inode): void {
    const { sec, nsec } = this.clock.tick();
    node.ctimeSec = sec;
    node.ctimeNsec = nsec;
    if (node.alive) this.touchAttributes(node);
  }
}

/** Whether a directory is another one or lies below it. */
export function isWithin(directory: Inode, ancestor: Inode): boolean {
  let at: Inode | undefined = directory;
  while (at !== undefined) {
    if (at === ancestor) return true;
    at = at.entry?.parent;
  }
  return false;
}

/** The id to show for `..` of a directory. */
export function parentOf(directory: Inode): Inode {
  return directory.entry?.parent ?? directory;
}
