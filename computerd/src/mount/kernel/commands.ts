import { applyChanges, type FormerNode } from "../../tree/apply.ts";
import type { ApplyOptions, ApplyResult, ChangeSet } from "../../tree/changes.ts";
import type { Dirent, Inode } from "../../tree/inode.ts";
import { nameFromText } from "../../tree/names.ts";
import { TreeService } from "../../tree/service.ts";
import type { Store } from "../../tree/store/store.ts";
import { idOf, type Notice } from "./notices.ts";
import type { Play, Stage } from "./stage.ts";

/** A change set that was applied, and what the kernel and watchers must hear of it. */
export interface AppliedInLoop {
  result: ApplyResult;
  notices: Notice[];
  plays: Play[];
}

/** What the main thread asks of the loop, one method each. */
export class Commands extends TreeService {
  readonly #stage: Stage;

  constructor(store: Store, stage: Stage) {
    super(store);
    this.#stage = stage;
  }

  commit(): number {
    return this.store.commit();
  }

  /** What must be written back before a change set is applied: files that it replaces or removes. */
  before(changes: ChangeSet): Notice[] {
    const { table } = this.store.tree;
    const nodes = new Set<Inode>();
    for (const { id, content } of changes.nodes) {
      const node = table.byId(id);
      if (content !== undefined && node !== undefined) nodes.add(node);
    }
    for (const { parent, name } of changes.names) {
      const node = table.byId(parent)?.directory?.get(nameFromText(name) ?? "")?.node;
      if (node !== undefined) nodes.add(node);
    }
    return this.#pages(nodes);
  }

  /** Those of the nodes with these ids that the kernel may hold unwritten pages of. */
  pagesOf(ids: readonly number[]): Notice[] {
    const { table } = this.store.tree;
    return this.#pages(ids.map((id) => table.byId(id)).filter((node) => node !== undefined));
  }

  apply({ changes, options }: { changes: ChangeSet; options: ApplyOptions }): AppliedInLoop {
    const { tree } = this.store;
    const applied = applyChanges(tree, changes, options);
    const notices: Notice[] = [];
    const plays: Play[] = [];
    const parents = new Set<Inode>();
    for (const { parent, name, before, now } of applied.names) {
      parents.add(parent);
      notices.push(...forgetName(parent, name, before));
      const path = pathOf(parent, name);
      if (path !== undefined) plays.push(this.#stage.play(parent, name, path, before, now));
    }
    for (const { node, before } of applied.replaced) {
      for (const entry of tree.namesOf(node)) {
        const { parent, name } = entry;
        parents.add(parent);
        notices.push(...forgetName(parent, name, before));
        const path = pathOf(parent, name);
        if (path !== undefined) plays.push(this.#stage.play(parent, name, path, before, node));
      }
    }
    for (const node of applied.touched) {
      if (node.lookups > 0) notices.push({ kind: "attributes", node: idOf(node) });
      for (const entry of tree.namesOf(node)) {
        const path = pathOf(entry.parent, entry.name);
        if (path !== undefined) plays.push(this.#stage.touch(entry.parent, node, path));
      }
    }
    // Names first: that waits for listings under way, and what they cached is dropped after.
    for (const parent of parents) if (parent.alive) notices.push({ kind: "pages", node: idOf(parent) });
    const { version, conflicts } = applied;
    return { result: { version, conflicts }, notices, plays };
  }

  /** From now on, the thread that looks up this name in the root is one of ours that only plays. */
  admit(name: string): void {
    this.#stage.admit(name);
  }

  /** The plays are over. */
  clearStage(): void {
    this.#stage.clear();
  }

  #pages(nodes: Iterable<Inode>): Notice[] {
    const notices: Notice[] = [];
    for (const node of nodes)
      if (node.isFile && node.lookups > 0) notices.push({ kind: "pages", node: idOf(node) });
    return notices;
  }
}

function forgetName(parent: Inode, name: string, before: FormerNode | undefined): Notice[] {
  if (!parent.alive) return [];
  const id = idOf(parent);
  if (before === undefined || before.lookups === 0) return [{ kind: "entry", parent: id, name }];
  const child = { slot: before.slot, generation: before.generation };
  if (!before.dead) return [{ kind: "entry", parent: id, name }];
  const notices: Notice[] = [{ kind: "delete", parent: id, child, name }];
  // Whoever has it open still sees its pages otherwise.
  if (!before.isDirectory) notices.push({ kind: "pages", node: child });
  return notices;
}

/** The path of a name, one character per byte; undefined when it cannot be reached. */
function pathOf(parent: Inode, name: string): string | undefined {
  const parts = [name];
  let at: Inode = parent;
  for (let entry: Dirent | undefined = at.entry; entry !== undefined; entry = at.entry) {
    parts.push(entry.name);
    at = entry.parent;
  }
  return at.id === 1 ? parts.reverse().join("/") : undefined;
}
