import type { BigIntStats } from "node:fs";
import { recordChanges } from "../../tree/apply.ts";
import { setAttributes, writeFile } from "../../tree/attributes.ts";
import type { NameChange, NodePut } from "../../tree/changes.ts";
import { kindOf as kindOfNode } from "../../tree/describe.ts";
import type { Inode } from "../../tree/inode.ts";
import { nameToText } from "../../tree/names.ts";
import type { Tree } from "../../tree/tree.ts";
import { kindOf, namesIn, piecesOf, statOf, targetOf, timeOf } from "./disk.ts";

/** What a path looked like when tree and folder last agreed on it. */
interface Seen {
  ino: bigint;
  born: bigint;
  size: bigint;
  mtime: bigint;
  ctime: bigint;
}

interface Found {
  path: string;
  stats: BigIntStats;
  id: number;
  isNew: boolean;
}

/** Finds out what processes did in a folder, and brings it into the tree. */
export class Scanner {
  readonly #tree: Tree;
  readonly #root: string;
  readonly #seen = new Map<number, Seen>();
  readonly #byIno = new Map<bigint, number>();

  constructor(tree: Tree, root: string) {
    this.#tree = tree;
    this.#root = root;
  }

  /** Folder and tree agree on a node. */
  agree(id: number, path: string): void {
    const stats = statOf(path);
    if (stats !== undefined) this.#remember(id, stats);
  }

  /** Brings what changed into the tree. */
  scan(): void {
    const nodes: NodePut[] = [];
    const names: NameChange[] = [];
    const found: Found[] = [];
    const here = new Set<number>();
    this.#folder(this.#tree.root, this.#root, nodes, names, found, here);
    if (nodes.length > 0 || names.length > 0) recordChanges(this.#tree, { nodes, names });
    for (const item of found) this.#content(item);
    for (const [id, { ino }] of this.#seen) {
      if (here.has(id)) continue;
      this.#seen.delete(id);
      if (this.#byIno.get(ino) === id) this.#byIno.delete(ino);
    }
  }

  #folder(
    parent: { id: number; directory: Inode["directory"] },
    path: string,
    nodes: NodePut[],
    names: NameChange[],
    found: Found[],
    here: Set<number>,
  ): void {
    const left = new Set([...(parent.directory?.values() ?? [])].map(({ name }) => name));
    for (const name of namesIn(path)) {
      const stats = statOf(`${path}/${name}`);
      if (stats === undefined || kindOf(stats) === "device") continue;
      left.delete(name);
      const known = this.#identify(stats, parent.directory?.get(name)?.node, here);
      const id = known?.id ?? this.#tree.nextId++;
      const item: Found = { path: `${path}/${name}`, stats, id, isNew: known === undefined };
      if (!here.has(id)) {
        here.add(id);
        this.#node(item, known, nodes, found);
        // Another name of the same file, further on, leads to the same node.
        if (known === undefined) this.#byIno.set(stats.ino, id);
        this.#pending.set(id, item);
      }
      if (parent.directory?.get(name)?.node?.id !== id)
        names.push({ parent: parent.id, name: nameToText(name), node: id });
      if (stats.isDirectory())
        this.#folder({ id, directory: known?.directory }, item.path, nodes, names, found, here);
    }
    for (const name of left) names.push({ parent: parent.id, name: nameToText(name), node: null });
    if (path === this.#root) this.#pending.clear();
  }

  /** Nodes that this scan has come across and the tree may not have yet. */
  readonly #pending = new Map<number, Found>();

  /** The node that something in the folder is: by its number there, else by the name under which it stands. */
  #identify(
    stats: BigIntStats,
    named: Inode | undefined,
    here: Set<number>,
  ): { id: number; directory: Inode["directory"] } | undefined {
    const id = this.#byIno.get(stats.ino);
    if (id !== undefined) {
      const node = this.#tree.table.byId(id);
      const seen = this.#seen.get(id);
      if (this.#pending.has(id)) return { id, directory: node?.directory };
      // The number of something that was removed may have been given out again.
      if (node !== undefined && kindOfNode(node.mode) === kindOf(stats) && seen?.born === stats.birthtimeNs)
        return node;
    }
    if (named === undefined || here.has(named.id) || kindOfNode(named.mode) !== kindOf(stats))
      return undefined;
    // Replaced by another file: that is a change of its content, unless the old one is still somewhere.
    return named.nlink > 1 && this.#seen.has(named.id) ? undefined : named;
  }

  #node(
    { path, stats, id, isNew }: Found,
    known: { id: number } | undefined,
    nodes: NodePut[],
    found: Found[],
  ): void {
    const seen = this.#seen.get(id);
    if (known !== undefined && seen !== undefined && seen.ctime === stats.ctimeNs && seen.ino === stats.ino)
      return;
    const kind = kindOf(stats);
    const node = this.#tree.table.byId(id);
    const put: NodePut = {
      id,
      kind,
      mode: Number(stats.mode) & 0o7777,
      uid: Number(stats.uid),
      gid: Number(stats.gid),
      mtime: timeOf(stats.mtimeNs),
      atime: timeOf(stats.atimeNs),
    };
    if (kind === "symlink") {
      const target = targetOf(path);
      if (node?.target?.toString("latin1") !== target) put.target = nameToText(target);
    }
    if (node === undefined || put.target !== undefined || differs(node, put)) nodes.push(put);
    if (kind === "file") found.push({ path, stats, id, isNew });
    else this.#remember(id, stats);
  }

  /** Copies a file's bytes into the tree where they differ: first by size and time, then byte by byte. */
  #content({ path, stats, id, isNew }: Found): void {
    const tree = this.#tree;
    const node = tree.table.byId(id);
    const seen = this.#seen.get(id);
    if (node === undefined) return;
    const same = seen?.size === stats.size && seen.mtime === stats.mtimeNs && seen.ino === stats.ino;
    let after: BigIntStats | undefined = stats;
    for (let attempt = 0; !same && attempt < 3; attempt++) {
      try {
        if (isNew || node.size !== Number(after.size) || !this.#equal(node, path)) this.#copy(node, path);
      } catch {
        // It went away or may not be read; the next scan sees what there is.
        return;
      }
      const before: BigIntStats = after;
      after = statOf(path);
      if (after === undefined || after.mtimeNs === before.mtimeNs) break;
    }
    if (after === undefined) return;
    [node.mtimeSec, node.mtimeNsec] = timeOf(after.mtimeNs);
    this.#remember(id, after);
  }

  #equal(node: Inode, path: string): boolean {
    const ours = Buffer.allocUnsafe(1 << 20);
    for (const { bytes, offset } of piecesOf(path)) {
      const length = this.#tree.content.read(node, offset, bytes.length, ours, 0);
      if (length !== bytes.length || !bytes.equals(ours.subarray(0, length))) return false;
    }
    return true;
  }

  #copy(node: Inode, path: string): void {
    let end = 0;
    for (const { bytes, offset } of piecesOf(path)) {
      writeFile(this.#tree, node, offset, bytes, 0, bytes.length);
      end = offset + bytes.length;
    }
    if (node.size > end) setAttributes(this.#tree, node, { size: end });
  }

  #remember(id: number, stats: BigIntStats): void {
    const { ino, birthtimeNs, size, mtimeNs, ctimeNs } = stats;
    const old = this.#seen.get(id);
    if (old !== undefined && old.ino !== ino) this.#byIno.delete(old.ino);
    this.#seen.set(id, { ino, born: birthtimeNs, size, mtime: mtimeNs, ctime: ctimeNs });
    this.#byIno.set(ino, id);
  }
}

function differs(node: Inode, { mode, uid, gid, mtime }: NodePut): boolean {
  if ((node.mode & 0o7777) !== mode || node.uid !== uid || node.gid !== gid) return true;
  // A directory's times follow from its names.
  return !node.isDirectory && (mtime?.[0] !== node.mtimeSec || mtime[1] !== node.mtimeNsec);
}
