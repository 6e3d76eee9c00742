import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { Extents } from "../content/extents.ts";
import { Segments } from "../content/segments.ts";
import { fromNode } from "../errors.ts";
import { Directory, type Inode, S_IFDIR, S_IFMT, S_IFREG } from "../inode.ts";
import { ROOT_INO, Tree, type TreeLimits } from "../tree.ts";
import { announced, FRAME_HEADER, isWhole, RecordReader, RecordWriter } from "./records.ts";
import { readInto, type StoredState, writeHead, writeName, writeNode, writeRuns } from "./state.ts";

/** The journal is written anew when it is this much longer than when it was last. */
const JOURNAL_SLACK = 128 * 1024 * 1024;
/** Records are written out in pieces of about this size. */
const PIECE = 1 << 20;

/**
 * A tree and what holds it in a folder: contents in segments, all else in a journal of net changes. A
 * commit is one frame with a checksum; after a crash, whole frames count and the rest is cut off. Contents
 * are written before the frame that names them, and space is used again only after the frame that gave it
 * up: so every state that can be read back is one that the tree was in.
 */
export class Store {
  readonly tree: Tree;
  /** The version that is on record. */
  committed = 0;
  readonly #folder: string;
  readonly #segments: Segments;
  readonly #writer = new RecordWriter();
  #journal: number;
  #length = 0;
  #lengthAtStart = 0;
  #unsynced = false;

  private constructor(folder: string, tree: Tree, segments: Segments, journal: number) {
    this.#folder = folder;
    this.tree = tree;
    this.#segments = segments;
    this.#journal = journal;
  }

  /** Opens a folder's tree, or starts an empty one. */
  static open(folder: string, limits: Partial<TreeLimits> = {}): Store {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(join(folder, "journal.new"), { force: true });
    const file = join(folder, "journal");
    const isNew = !existsSync(file);
    const journal = openSync(file, isNew ? "w+" : "r+", 0o600);
    const segments = new Segments(join(folder, "content"));
    const tree = new Tree(segments, limits);
    const store = new Store(folder, tree, segments, journal);
    if (isNew) store.#begin();
    else store.#recover();
    return store;
  }

  /** Puts on record what changed since the last commit. Cheap when nothing did. */
  commit(): number {
    const { tree } = this;
    const { version } = tree.log;
    if (version === this.committed) {
      this.#segments.release();
      return version;
    }
    const delta = tree.log.since(this.committed, true);
    if (!delta.complete) {
      this.checkpoint();
      return version;
    }
    const writer = this.#writer;
    const written = new Set<Inode>();
    for (const { node, created, content } of delta.nodes) {
      written.add(node);
      writeNode(writer, node);
      const changed = created || content || (node.extents?.version ?? 0) > this.committed;
      if (changed && node.isFile) writeRuns(writer, node);
    }
    // A directory's times follow from its names.
    for (const directory of delta.directories) if (!written.has(directory)) writeNode(writer, directory);
    for (const { directory, name, node } of delta.names) writeName(writer, directory.id, name, node?.id ?? 0);
    writeHead(writer, version, tree.nextId);
    this.#append(writer.frame());
    this.committed = version;
    this.#segments.release();
    if (this.#length - this.#lengthAtStart > JOURNAL_SLACK) this.checkpoint();
    return version;
  }

  /** Commits, and tells which descriptors must be synced before that is safe from a loss of power. */
  commitForSync(): number[] {
    this.commit();
    const fds = this.#segments.takeDirty();
    if (this.#unsynced || fds.length > 0) fds.push(this.#journal);
    this.#unsynced = false;
    return fds;
  }

  /** Writes the journal anew, as short as it can be. */
  checkpoint(): void {
    const { tree } = this;
    const fresh = join(this.#folder, "journal.new");
    let fd: number | undefined;
    try {
      fd = openSync(fresh, "w+", 0o600);
      const writer = this.#writer;
      let length = 0;
      for (const node of tree.table.values()) {
        if (node.entry === undefined && node !== tree.root) continue;
        writeNode(writer, node);
        if (node.extents !== undefined) writeRuns(writer, node);
        for (const entry of node.directory?.values() ?? [])
          writeName(writer, node.id, entry.name, entry.node?.id ?? 0);
        if (writer.length > PIECE) length += writeAll(fd, writer.frame(), length);
      }
      writeHead(writer, tree.log.version, tree.nextId);
      length += writeAll(fd, writer.frame(), length);
      this.#segments.sync();
      fdatasyncSync(fd);
      renameSync(fresh, join(this.#folder, "journal"));
      closeSync(this.#journal);
      this.#journal = fd;
      this.#length = length;
      this.#lengthAtStart = length;
      this.committed = tree.log.version;
      this.#segments.release();
    } catch (error) {
      this.#writer.frame();
      if (fd !== undefined) closeSync(fd);
      rmSync(fresh, { force: true });
      throw fromNode(error);
    }
  }

  /** Commits, waits for the disk, and closes the files. */
  close(): void {
    try {
      this.commit();
      this.#segments.sync();
      fdatasyncSync(this.#journal);
    } finally {
      closeSync(this.#journal);
      this.#segments.close();
    }
  }

  #append(frame: Buffer): void {
    try {
      writeAll(this.#journal, frame, this.#length);
    } catch (error) {
      // A full disk: what was not written whole must not stand there.
      ftruncateSync(this.#journal, this.#length);
      throw fromNode(error);
    }
    this.#length += frame.length;
    this.#unsynced = true;
  }

  /** The first frame: an empty tree. */
  #begin(): void {
    writeNode(this.#writer, this.tree.root);
    writeHead(this.#writer, this.tree.log.version, this.tree.nextId);
    this.#append(this.#writer.frame());
    this.committed = this.tree.log.version;
  }

  #recover(): void {
    const state: StoredState = { version: 0, nextId: 0, nodes: new Map(), names: new Map() };
    const { size } = fstatSync(this.#journal);
    const header = Buffer.alloc(FRAME_HEADER);
    let at = 0;
    while (at + FRAME_HEADER <= size) {
      readSync(this.#journal, header, 0, FRAME_HEADER, at);
      const length = announced(header);
      if (length === undefined || at + FRAME_HEADER + length > size) break;
      const payload = Buffer.allocUnsafe(length);
      readSync(this.#journal, payload, 0, length, at + FRAME_HEADER);
      if (!isWhole(header, payload)) break;
      readInto(state, new RecordReader(payload));
      at += FRAME_HEADER + length;
    }
    if (at === 0) {
      // Not even the first frame was written: nothing was ever on record.
      ftruncateSync(this.#journal, 0);
      this.#begin();
      return;
    }
    rebuild(this.tree, this.#segments, state);
    // What follows the last whole frame is what a crash cut short.
    ftruncateSync(this.#journal, at);
    this.#length = at;
    this.committed = state.version;
    if (at > JOURNAL_SLACK) this.checkpoint();
  }
}

function writeAll(fd: number, bytes: Buffer, position: number): number {
  let done = 0;
  while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  return bytes.length;
}

/** Makes the tree from what the journal said: all that can be reached from the root. */
function rebuild(tree: Tree, segments: Segments, state: StoredState): void {
  const made = new Map<number, Inode>([[ROOT_INO, tree.root]]);
  const waiting: Inode[] = [tree.root];
  tree.log.version = state.version;
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const [name, id] of state.names.get(parent.id) ?? []) {
      const stored = state.nodes.get(id);
      if (stored === undefined) continue;
      let node = made.get(id);
      if (node === undefined) {
        node = tree.table.add(id, stored.mode);
        made.set(id, node);
        if ((stored.mode & S_IFMT) === S_IFDIR) {
          node.directory = new Directory();
          waiting.push(node);
        }
      }
      tree.attachName(parent, name, node);
    }
  }
  for (const [id, node] of made) {
    const stored = state.nodes.get(id);
    if (stored === undefined) continue;
    node.mode = stored.mode;
    node.uid = stored.uid;
    node.gid = stored.gid;
    node.rdev = stored.rdev;
    node.size = stored.size;
    [
      node.atimeSec = 0,
      node.mtimeSec = 0,
      node.ctimeSec = 0,
      node.atimeNsec = 0,
      node.mtimeNsec = 0,
      node.ctimeNsec = 0,
    ] = stored.times;
    node.target = stored.target;
    node.xattrs = stored.xattrs;
    node.attrVersion = state.version;
    if (stored.runs.length > 0 && (stored.mode & S_IFMT) === S_IFREG) {
      node.extents = new Extents();
      for (let run = 0; run < stored.runs.length; run += 3) {
        const [block = 0, store = 0, count = 0] = stored.runs.slice(run, run + 3);
        node.extents.insert(block, store, count);
        segments.claim(store, count);
      }
    }
  }
  tree.nextId = state.nextId;
  tree.log.startAt(state.version);
}
