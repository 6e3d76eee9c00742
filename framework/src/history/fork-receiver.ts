import { ComputerError } from "../errors.ts";
import { INLINE_BYTES, ROOT } from "../vfs/layout.ts";
import { decodeName } from "../vfs/names.ts";
import { isDirectory, type Node } from "../vfs/node.ts";
import { pause } from "../vfs/pause.ts";
import type { Tree } from "../vfs/tree.ts";
import type { ForkBatch, ForkColumns, ForkEntry, ForkReceiver } from "./types.ts";

const CALL = { syscall: "fork" };

/**
 * Takes a fork in. Nodes keep their numbers, so that hard links stay and the same node can be found in both.
 * Each batch leaves a sound tree.
 */
export class TreeReceiver implements ForkReceiver {
  readonly #tree: () => Tree;

  constructor(tree: () => Tree) {
    this.#tree = tree;
  }

  async begin(root: ForkColumns): Promise<void> {
    const { store } = this.#opened();
    if (!store.isEmpty(ROOT)) {
      throw new ComputerError(
        "ERR_TARGET_NOT_EMPTY",
        "A fork goes into an empty workspace, and this one holds files already.",
      );
    }
    store.mutate(CALL, () => {
      const node = store.node(ROOT);
      const { mode, uid, gid, mtime_s, mtime_ns, atime_s, atime_ns } = root;
      store.save(Object.assign(node, { mode, uid, gid, mtime_s, mtime_ns, atime_s, atime_ns }));
    });
  }

  async missing(hashes: readonly Uint8Array[]): Promise<number[]> {
    const { chunks } = this.#opened();
    return hashes.flatMap((hash, i) => (chunks.has(hash) ? [] : [i]));
  }

  async put(batch: ForkBatch): Promise<void> {
    const tree = this.#opened();
    tree.store.mutate(CALL, () => {
      for (const entry of batch.entries) this.#enter(tree, entry);
      for (const { node: id, index, hash, data } of batch.extents) {
        const node = tree.store.node(id);
        tree.content.setChunk(node, index, hash, data);
      }
    });
    await pause();
  }

  #enter({ store, content }: Tree, { parent, name, node: id, made }: ForkEntry): void {
    const text = decodeName(name);
    const holder = store.node(parent);
    if (made === undefined) {
      const node = store.node(id);
      node.nlink += 1;
      store.enter(parent, text, node, CALL);
      store.save(node);
      return;
    }
    store.avoid(id);
    const { columns, data } = made;
    const folder = isDirectory(columns.mode);
    const node: Node = { ...store.create(columns.mode), ...columns, id, nlink: folder ? 2 : 1, size: 0 };
    store.enter(parent, text, node, CALL);
    if (data !== undefined) content.replace(node, data);
    else if (!folder && columns.size > INLINE_BYTES) node.size = columns.size;
    store.insert(node);
    if (!folder) return;
    holder.nlink += 1;
    store.saveDerived(holder);
  }

  #opened(): Tree {
    const tree = this.#tree();
    tree.store.actAs(undefined);
    return tree;
  }
}
