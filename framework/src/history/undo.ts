import { isDirectory } from "../vfs/node.ts";
import type { Tree } from "../vfs/tree.ts";
import { STEP, STEP_ROWS, type Step } from "./changes.ts";
import { type At, sameContent, samePermissions } from "./compare.ts";
import { PastStore } from "./past-store.ts";
import { Paths } from "./paths.ts";
import type { KeptRun } from "./pins.ts";
import { Placer, type Source } from "./placer.ts";
import type { Conflict } from "./types.ts";
import { type NameVersion, type NodeVersion, nameVersions, nodeVersions, rewind } from "./versions.ts";
import type { Held, Views } from "./views.ts";

/** Changes that are made in one go. */
const STEP_CHANGES = 8;
/** Conflicts that are listed. */
const MAX_CONFLICTS = 1000;

/**
 * Takes back what a run wrote: names, attributes and content, each for itself. Where somebody else has written
 * since, that is left. Times and link counts of directories follow from their entries and never stand in the way.
 *
 * First what the run took away comes back, then goes what it made, then come attributes and content. Between any two
 * steps the tree is sound.
 */
export class Undo {
  readonly placer: Placer;
  readonly conflicts: Conflict[] = [];
  #conflictCount = 0;
  readonly #live: Tree;
  readonly #views: Views;
  readonly #run: KeptRun;
  readonly #was: Paths;
  readonly #before: number;
  readonly #now: number;
  /** Directories that the run made, those above before those below. */
  readonly #made: number[] = [];
  #done = 0;

  constructor(live: Tree, views: Views, run: KeptRun, before: Held, now: Held) {
    this.#live = live;
    this.#views = views;
    this.#run = run;
    this.#was = new Paths(before.store, true);
    this.#before = before.store.at;
    this.#now = now.store.at;
    this.placer = new Placer(live);
  }

  get conflictCount(): number {
    return this.#conflictCount;
  }

  *work(): Generator<Step> {
    for (const found of this.#names()) {
      if (found === STEP) yield STEP;
      else yield* this.#bringBack(found.directory, found.name, true);
      if (this.#isTime()) yield STEP;
    }
    for (const found of this.#names()) {
      if (found === STEP) yield STEP;
      else this.#takeAway(found.directory, found.name);
      if (this.#isTime()) yield STEP;
    }
    yield* this.#removeDirectories();
    for (const id of this.#nodes()) {
      if (id === STEP) yield STEP;
      else this.#reset(id);
      if (this.#isTime()) yield STEP;
    }
  }

  /** Puts back what the run took from a name, or replaced under it. */
  *#bringBack(directory: number, name: Uint8Array, report: boolean): Generator<Step, boolean> {
    const versions = this.#versionsOf(directory, name);
    const { to, changedSince } = rewind(
      versions,
      this.#run.number,
      ({ run }) => run,
      (a, b) => a.node === b.node,
    );
    const wanted = versions[to]?.node;
    if (changedSince && report) this.#conflict(this.#path(directory, name), "changed since");
    if (to === 0 || wanted === undefined || wanted === versions[0]?.node) return false;
    if (this.placer.child(directory, name) === wanted) return true;
    if (!(yield* this.#bringBackDirectory(directory))) {
      this.#conflict(this.#path(directory, name), "folder gone");
      return false;
    }
    return this.#put(directory, name, wanted);
  }

  #put(directory: number, name: Uint8Array, id: number): boolean {
    const { placer } = this;
    const path = this.#path(directory, name);
    const node = placer.find(id);
    const home = node && placer.paths.home(id);
    const versions = this.#versionsOfNode(id);
    const linked = !versions.every((version) => version.node.nlink === 1);
    const mayLink = node !== undefined && !isDirectory(node.mode) && linked && this.#hadOtherNames(versions);
    if (node !== undefined && !mayLink) {
      // It lives on: under a name that the run gave it, or one that others did since.
      const reached = home !== undefined && placer.paths.reaches(id);
      if (!reached || !this.#isOurs(home.parent, home.name) || placer.paths.isWithin(directory, id)) {
        this.#conflict(path, reached ? "moved since" : "removed since");
        return false;
      }
    }
    const source = node === undefined ? this.#source(versions) : undefined;
    if (node === undefined && source === undefined) {
      this.#conflict(path, "removed since");
      return false;
    }
    const occupant = placer.child(directory, name);
    if (occupant !== undefined) this.#makeRoom(directory, name, occupant);
    if (source !== undefined) placer.make(source, directory, name);
    else if (node !== undefined && mayLink) placer.link(node, directory, name);
    else if (node !== undefined && home !== undefined) placer.move(node, home, directory, name);
    return true;
  }

  /** Whether the file had several names when the run began. */
  #hadOtherNames(versions: readonly NodeVersion[]): boolean {
    return (versions.at(-1)?.node.nlink ?? 1) > 1;
  }

  /** Sees that a directory is there, if the run is what took it away. */
  *#bringBackDirectory(id: number): Generator<Step, boolean> {
    const chain: { parent: number; name: Uint8Array; id: number }[] = [];
    for (let at = id; !this.placer.paths.reaches(at); ) {
      if (this.placer.find(at) !== undefined) return false;
      const [last] = this.#versionsOfNode(at);
      if (last === undefined || chain.length > MAX_DEPTH) return false;
      const { parent, name } = last.node;
      chain.push({ parent, name, id: at });
      at = parent;
    }
    for (const { parent, name, id: child } of chain.reverse()) {
      yield* this.#bringBack(parent, name, false);
      if (this.placer.child(parent, name) !== child) return false;
    }
    return true;
  }

  /** Frees a name under which the run has put something. */
  #makeRoom(directory: number, name: Uint8Array, id: number): void {
    const { placer } = this;
    const node = this.#live.store.node(id);
    if (!isDirectory(node.mode) && (node.nlink > 1 || this.#isAllOurs(id)))
      placer.remove(directory, name, node);
    else {
      placer.displace(directory, name, node);
      if (isDirectory(node.mode) && this.#isMadeByRun(id)) this.#made.push(id);
    }
  }

  /** Takes away a name that the run made. */
  #takeAway(directory: number, name: Uint8Array): void {
    const { placer } = this;
    const id = placer.child(directory, name);
    if (id === undefined || !placer.paths.reaches(directory)) return;
    const versions = this.#versionsOf(directory, name);
    const { to } = rewind(
      versions,
      this.#run.number,
      ({ run }) => run,
      (a, b) => a.node === b.node,
    );
    if (to === 0 || versions[to]?.node !== undefined || versions[0]?.node !== id) return;
    const node = this.#live.store.node(id);
    if (isDirectory(node.mode)) {
      if (this.#isMadeByRun(id)) this.#made.push(id);
    } else if (node.nlink > 1) {
      placer.remove(directory, name, node);
    } else if (this.#isAllOurs(id)) {
      placer.remove(directory, name, node);
    } else if (this.#isMadeByRun(id)) {
      this.#conflict(this.#path(directory, name), "changed since");
    }
  }

  /** Removes the directories that the run made, those below before those above: again as long as one goes. */
  *#removeDirectories(): Generator<Step> {
    let left = this.#made.reverse();
    for (let before = -1; left.length !== before; ) {
      before = left.length;
      const kept: number[] = [];
      for (const [i, id] of left.entries()) {
        const [node, home] = [this.placer.find(id), this.placer.paths.home(id)];
        if (node !== undefined && home !== undefined) {
          if (this.placer.isEmpty(id)) this.placer.remove(home.parent, home.name, node);
          else kept.push(id);
        }
        if (this.#isTime() || i % STEP_ROWS === STEP_ROWS - 1) yield STEP;
      }
      left = kept;
    }
    for (const id of left) this.#conflict(this.placer.paths.of(id) ?? "?", "holds others' files");
  }

  /** Takes back what the run changed in a node itself. */
  #reset(id: number): void {
    const node = this.placer.find(id);
    if (node === undefined || this.#isMadeByRun(id) || !this.placer.paths.reaches(id)) return;
    const versions = this.#versionsOfNode(id);
    const { attributes, content, times, changedSince } = this.#rewound(versions);
    if (changedSince) this.#conflict(this.placer.paths.of(id) ?? this.#was.of(id) ?? "?", "changed since");
    const was = versions[attributes]?.node;
    const bytes = versions[content];
    const differs =
      bytes !== undefined &&
      content > 0 &&
      !sameContent(this.#at({ node, until: undefined }), this.#at(bytes));
    const time = versions[times]?.node;
    const source = differs
      ? this.#content(bytes)
      : time !== undefined && (time.mtime_s !== node.mtime_s || time.mtime_ns !== node.mtime_ns)
        ? { node: { ...node, mtime_s: time.mtime_s, mtime_ns: time.mtime_ns }, content: this.#live.content }
        : undefined;
    const sets = was !== undefined && !samePermissions(was, node) ? was : undefined;
    if (source !== undefined || sets !== undefined) this.placer.reset(node, sets, source);
  }

  /** What a node that is no more was, without the run's part. */
  #source(versions: readonly NodeVersion[]): Source | undefined {
    const { attributes, content } = this.#rewound(versions);
    const [was, bytes] = [versions[attributes]?.node, versions[content]];
    if (was === undefined || bytes === undefined) return undefined;
    const source = this.#content(bytes);
    const { mode, uid, gid } = was;
    return { ...source, node: { ...source.node, mode, uid, gid } };
  }

  #rewound(versions: readonly NodeVersion[]) {
    const run = this.#run.number;
    const writer = (version: NodeVersion) => version.node.run;
    const attributes = rewind(versions, run, writer, (a, b) => samePermissions(a.node, b.node));
    const content = rewind(versions, run, writer, (a, b) => sameContent(this.#at(a), this.#at(b)));
    const isFolder = versions[0] !== undefined && isDirectory(versions[0].node.mode);
    // A directory's times follow from its entries.
    const times = isFolder
      ? { to: 0 }
      : rewind(
          versions,
          run,
          writer,
          (a, b) => a.node.mtime_s === b.node.mtime_s && a.node.mtime_ns === b.node.mtime_ns,
        );
    return {
      attributes: attributes.to,
      content: content.to,
      times: times.to,
      changedSince: attributes.changedSince || content.changedSince,
    };
  }

  #at({ node, until }: NodeVersion): At {
    const { store } = this.#live;
    return { node, store: until === undefined ? store : new PastStore(store.sql, until - 1) };
  }

  #content({ node, until }: NodeVersion): Source {
    return { node, content: until === undefined ? this.#live.content : this.#views.tree(until - 1).content };
  }

  /** The versions of a name, as if this undoing had not changed it yet. */
  #versionsOf(directory: number, name: Uint8Array): NameVersion[] {
    const { store } = this.#live;
    const me = store.recorder.run;
    return nameVersions(store, directory, name, this.#before).filter(({ run }) => run !== me);
  }

  /** The versions of a node, likewise. */
  #versionsOfNode(id: number): NodeVersion[] {
    const { store } = this.#live;
    const me = store.recorder.run;
    return nodeVersions(store, id, this.#before).filter(({ node }) => node.run !== me);
  }

  /** Whether an entry is the run's, or this undoing's. */
  #isOurs(parent: number, name: Uint8Array): boolean {
    const [row] = this.#live.store.sql.exec<{ run: number }>(
      "SELECT run FROM vfs_dirent WHERE parent = ? AND name = ?",
      parent,
      name,
    );
    return row !== undefined && (row.run === this.#run.number || row.run === this.#live.store.recorder.run);
  }

  /** Whether the run made a node. */
  #isMadeByRun(id: number): boolean {
    if (this.#was.reaches(id)) return false;
    return this.#versionsOfNode(id).at(-1)?.node.run === this.#run.number;
  }

  /** Whether the run made a node, and nobody else has changed it. */
  #isAllOurs(id: number): boolean {
    if (this.#was.reaches(id)) return false;
    return this.#versionsOfNode(id).every(({ node }) => node.run === this.#run.number);
  }

  /** The names that the run has had to do with. */
  *#names(): Generator<{ directory: number; name: Uint8Array } | Step> {
    for (const id of this.#nodes()) {
      if (id === STEP) yield STEP;
      else if (this.#wasDirectory(id)) yield* this.#namesIn(id);
    }
  }

  #wasDirectory(id: number): boolean {
    const [latest] = this.#versionsOfNode(id);
    return latest !== undefined && isDirectory(latest.node.mode);
  }

  /** Those in a directory that changed, and in the new ones below it. */
  *#namesIn(top: number): Generator<{ directory: number; name: Uint8Array } | Step> {
    const directories = [top];
    for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
      for (let after: Uint8Array = NOTHING; ; ) {
        const rows = this.#live.store.sql.exec<{ name: Uint8Array; node: number }>(
          `SELECT name, node FROM vfs_dirent WHERE parent = ? AND name > ? AND rev > ?
           UNION SELECT name, 0 FROM vfs_dirent_past WHERE parent = ? AND name > ? AND until > ? AND (run = ? OR by = ?)
           ORDER BY name, node DESC LIMIT ?`,
          directory,
          after,
          this.#before,
          directory,
          after,
          this.#before,
          this.#run.number,
          this.#run.number,
          STEP_ROWS,
        );
        for (const { name, node } of rows) {
          const child = node === 0 ? undefined : this.placer.find(node);
          yield { directory, name };
          if (child !== undefined && isDirectory(child.mode) && this.#isFoundHereOnly(child.id)) {
            directories.push(child.id);
          }
        }
        yield STEP;
        const last = rows.at(-1);
        if (last === undefined || rows.length < STEP_ROWS) break;
        after = last.name;
      }
    }
  }

  /** Whether a directory is new, and has no past that would lead to it. */
  #isFoundHereOnly(id: number): boolean {
    if (this.#was.reaches(id)) return false;
    const past = this.#live.store.sql.exec(
      "SELECT 1 FROM vfs_node_past WHERE id = ? AND until > ? AND until <= ? LIMIT 1",
      id,
      this.#before,
      this.#now,
    );
    return past.length === 0;
  }

  /** Nodes with a past since the run began, each once. */
  *#nodes(): Generator<number | Step> {
    const { sql } = this.#live.store;
    for (let until = this.#before, id = Number.MAX_SAFE_INTEGER; ; ) {
      const rows = sql.exec<{ id: number; until: number; first: number }>(
        `SELECT id, until, (SELECT min(q.until) FROM vfs_node_past q WHERE q.id = p.id AND q.until > ?) AS first
         FROM vfs_node_past p WHERE (until, id) > (?, ?) AND until <= ? ORDER BY until, id LIMIT ?`,
        this.#before,
        until,
        id,
        this.#now,
        STEP_ROWS,
      );
      for (const row of rows) if (row.first === row.until) yield row.id;
      const last = rows.at(-1);
      if (last === undefined || rows.length < STEP_ROWS) return;
      until = last.until;
      id = last.id;
      yield STEP;
    }
  }

  #path(directory: number, name: Uint8Array): string {
    return this.placer.paths.entry(directory, name) ?? this.#was.entry(directory, name) ?? "?";
  }

  #conflict(path: string, reason: Conflict["reason"]): void {
    if (this.conflicts.some((known) => known.path === path && known.reason === reason)) return;
    this.#conflictCount += 1;
    if (this.conflicts.length < MAX_CONFLICTS) this.conflicts.push({ path, reason });
  }

  #isTime(): boolean {
    if (this.placer.count - this.#done < STEP_CHANGES) return false;
    this.#done = this.placer.count;
    return true;
  }
}

const NOTHING = new Uint8Array();
const MAX_DEPTH = 100_000;
