import type { ApplyOptions, ApplyResult, ChangeSet, Conflict, NameChange, NodePut } from "./changes.ts";
import { kindBits, kindOf } from "./describe.ts";
import { Directory, type Dirent, type Inode, S_IFDIR } from "./inode.ts";
import { nameFromText, nameToText } from "./names.ts";
import { isWithin, type Tree } from "./tree.ts";

/** What an apply did, for whoever must tell a kernel. */
export interface Applied extends ApplyResult {
  /** Names that lead elsewhere now, and what they led to. */
  names: { parent: Inode; name: string; before: FormerNode | undefined; now: Inode | undefined }[];
  /** Nodes whose number is dead, though they live on: their content is another now. */
  replaced: { node: Inode; before: FormerNode }[];
  /** Nodes of which only attributes changed. */
  touched: Inode[];
}

/** What a node was to the kernel before. */
export interface FormerNode {
  slot: number;
  generation: number;
  lookups: number;
  /** Whether it is dead now, by that number. */
  dead: boolean;
  isDirectory: boolean;
}

/** Brings changes from outside into a tree. Everything happens in one version and is not told as a change from inside. */
export function applyChanges(tree: Tree, changes: ChangeSet, options: ApplyOptions = {}): Applied {
  return new Application(tree, options.base, true).run(changes);
}

/** Brings changes into a tree that happened inside, but were found out only later. */
export function recordChanges(tree: Tree, changes: ChangeSet): Applied {
  return new Application(tree, undefined, false).run(changes);
}

class Application {
  readonly #tree: Tree;
  readonly #base: number | undefined;
  readonly #outside: boolean;
  readonly #conflicts: Conflict[] = [];
  readonly #applied: Applied;
  readonly #nameless = new Set<Inode>();
  #changedNames: Set<string> | undefined;

  constructor(tree: Tree, base: number | undefined, outside: boolean) {
    this.#outside = outside;
    this.#tree = tree;
    this.#base = base;
    this.#applied = { version: 0, conflicts: this.#conflicts, names: [], replaced: [], touched: [] };
  }

  run({ nodes, names }: ChangeSet): Applied {
    const tree = this.#tree;
    if (this.#base !== undefined) {
      const { names: changed } = tree.log.since(this.#base);
      this.#changedNames = new Set(changed.map(({ directory, name }) => `${directory.id}/${name}`));
    }
    tree.begin();
    tree.log.outside = this.#outside;
    try {
      for (const put of nodes) this.#node(put);
      // Names that go first: what they free may be taken by those that come.
      for (const change of names) if (change.node === null) this.#removeName(change);
      for (const change of names) if (change.node !== null) this.#setName(change, change.node);
      this.#bury();
    } finally {
      tree.log.outside = false;
    }
    this.#applied.version = tree.log.version;
    return this.#applied;
  }

  #node(put: NodePut): void {
    const tree = this.#tree;
    let node = tree.table.byId(put.id);
    if (node !== undefined && kindOf(node.mode) !== put.kind) {
      this.#conflicts.push({ about: "content", node: put.id, why: `here it is a ${kindOf(node.mode)}` });
      return;
    }
    const isNew = node === undefined;
    if (node === undefined) {
      if (put.kind === "device") {
        this.#conflicts.push({ about: "content", node: put.id, why: "devices are not carried" });
        return;
      }
      node = this.#create(put);
    }
    const content = put.content !== undefined || put.target !== undefined;
    if (content && !isNew && this.#base !== undefined && node.dataVersion > this.#base) {
      this.#conflicts.push({ about: "content", node: put.id, why: "it changed here too" });
      return;
    }
    const former = formerOf(node);
    if (content) this.#content(node, put);
    const mtimeBefore = `${node.mtimeSec}.${node.mtimeNsec}`;
    if (!isNew && this.#base !== undefined && node.attrVersion > this.#base && !content)
      this.#conflicts.push({ about: "attributes", node: put.id, why: "they changed here too" });
    else this.#attributes(node, put);
    tree.touchAttributes(node);
    if (isNew) return;
    // The kernel believes its own size and time of a file that it knows: it must know another one.
    const stale = node.isFile && (content || `${node.mtimeSec}.${node.mtimeNsec}` !== mtimeBefore);
    if (stale || (content && node.isSymlink)) {
      if (former.lookups > 0) tree.table.renumber(node);
      this.#applied.replaced.push({ node, before: { ...former, dead: true } });
    } else this.#applied.touched.push(node);
  }

  #create(put: NodePut): Inode {
    const tree = this.#tree;
    const isDirectory = put.kind === "directory";
    const node = tree.table.add(put.id, kindBits(put.kind) | (isDirectory ? 0o755 : 0o644));
    if (isDirectory) {
      node.directory = new Directory();
      node.nlink = 2;
    }
    if (!this.#outside) {
      node.born = tree.log.version;
      node.dataVersion = node.born;
    }
    const { sec, nsec } = tree.clock.tick();
    node.atimeSec = node.mtimeSec = sec;
    node.atimeNsec = node.mtimeNsec = nsec;
    this.#nameless.add(node);
    return node;
  }

  #content(node: Inode, put: NodePut): void {
    const tree = this.#tree;
    if (put.target !== undefined && node.isSymlink) {
      node.target = Buffer.from(encode(put.target), "latin1");
      node.size = node.target.length;
    }
    if (put.content !== undefined && node.isFile) {
      tree.content.resize(node, 0);
      tree.content.write(node, 0, put.content, 0, put.content.length);
      const { sec, nsec } = tree.clock.tick();
      node.mtimeSec = sec;
      node.mtimeNsec = nsec;
    }
    tree.touchData(node);
  }

  #attributes(node: Inode, put: NodePut): void {
    if (put.mode !== undefined) node.mode = (node.mode & ~0o7777) | (put.mode & 0o7777);
    if (put.uid !== undefined) node.uid = put.uid;
    if (put.gid !== undefined) node.gid = put.gid;
    if (put.mtime !== undefined) [node.mtimeSec, node.mtimeNsec] = put.mtime;
    if (put.atime !== undefined) [node.atimeSec, node.atimeNsec] = put.atime;
    if (put.xattrs !== undefined) {
      const all = Object.entries(put.xattrs);
      node.xattrs = new Map(all.map(([name, value]) => [encode(name), Buffer.from(value)]));
      if (all.length === 0) node.xattrs = undefined;
    }
    const { sec, nsec } = this.#tree.clock.tick();
    node.ctimeSec = sec;
    node.ctimeNsec = nsec;
  }

  #removeName(change: NameChange): void {
    const place = this.#place(change);
    if (place === undefined) return;
    const entry = place.parent.directory?.get(place.name);
    if (entry !== undefined) this.#detach(entry);
  }

  #setName(change: NameChange, id: number): void {
    const tree = this.#tree;
    const place = this.#place(change);
    if (place === undefined) return;
    const { parent, name } = place;
    const node = tree.table.byId(id);
    const entry = parent.directory?.get(name);
    if (node !== undefined && entry?.node === node) return;
    if (node === undefined) {
      this.#refuse(change, `there is no node ${id}`);
      return;
    }
    if (node.isDirectory && isWithin(parent, node)) {
      this.#refuse(change, "a directory cannot lie within itself");
      return;
    }
    // A directory has one name; the entry that takes its old one away may come later, or not at all.
    if (node.isDirectory && node.entry !== undefined) this.#detach(node.entry);
    if (entry !== undefined) this.#detach(entry);
    tree.attachName(parent, name, node);
    this.#nameless.delete(node);
    this.#applied.names.push({ parent, name, before: undefined, now: node });
  }

  /** Where a change of a name happens; undefined, and reported, when it cannot. */
  #place(change: NameChange): { parent: Inode; name: string } | undefined {
    const parent = this.#tree.table.byId(change.parent);
    const name = nameFromText(change.name);
    if (parent?.directory === undefined) this.#refuse(change, `there is no directory ${change.parent}`);
    else if (name === undefined || name.length > 255) this.#refuse(change, "that is no name");
    else if (this.#changedNames?.has(`${parent.id}/${name}`)) this.#refuse(change, "it changed here too");
    else return { parent, name };
    return undefined;
  }

  #refuse({ parent, name, node }: NameChange, why: string): void {
    this.#conflicts.push({ about: "name", parent, name, ...(node === null ? {} : { node }), why });
  }

  #detach(entry: Dirent): void {
    const node = entry.node as Inode;
    const { parent, name } = entry;
    this.#tree.detachName(entry);
    if (node.entry === undefined) this.#nameless.add(node);
    this.#applied.names.push({ parent, name, before: formerOf(node), now: undefined });
  }

  /** Lets go of what no name leads to any more; but a directory with something in it gets its name back. */
  #bury(): void {
    const tree = this.#tree;
    for (let found = true; found; ) {
      found = false;
      for (const node of this.#nameless) {
        if (node.entry !== undefined || node.directory === undefined || node.directory.size === 0) continue;
        found = this.#restore(node) || found;
      }
    }
    for (const node of this.#nameless) {
      if (!node.alive || node.entry !== undefined) continue;
      const was = this.#formerName(node);
      if (was?.before !== undefined) was.before.dead = true;
      tree.kill(node);
    }
  }

  #restore(node: Inode): boolean {
    const was = this.#formerName(node);
    if (was === undefined) return false;
    const { parent, name } = was;
    const isFree = parent.directory?.get(name) === undefined;
    const place = isFree ? name : `${name.slice(0, 200)}.${node.id}`;
    this.#tree.attachName(parent, place, node);
    if (isFree) this.#applied.names.splice(this.#applied.names.indexOf(was), 1);
    const why = "the directory is not empty here";
    this.#refuse({ parent: parent.id, name: nameToText(place), node: null }, why);
    return true;
  }

  #formerName(node: Inode) {
    return this.#applied.names.findLast(
      ({ before }) => before?.slot === node.slot && before.generation === node.generation,
    );
  }
}

function formerOf(node: Inode): FormerNode {
  const { slot, generation, lookups } = node;
  return { slot, generation, lookups, dead: false, isDirectory: (node.mode & S_IFDIR) === S_IFDIR };
}

function encode(text: string): string {
  return text
    .split("/")
    .map((part) => nameFromText(part) ?? part)
    .join("/");
}
