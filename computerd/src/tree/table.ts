import { Inode } from "./inode.ts";

/**
 * All nodes, found by the number that the kernel knows them by: slot and generation. A slot is used again,
 * with the next generation, so that a number never comes back and an old one is told from a new one.
 */
export class NodeTable {
  readonly #slots: (Inode | undefined)[] = [undefined];
  readonly #generations: number[] = [0];
  readonly #free: number[] = [];
  readonly #byId = new Map<number, Inode>();

  /** How many nodes there are. */
  get count(): number {
    return this.#byId.size;
  }

  /** Adds a node. The first one is the root: slot 1, generation 0, the node id 1 that FUSE wants. */
  add(id: number, mode: number): Inode {
    const slot = this.#free.pop() ?? this.#slots.push(undefined) - 1;
    const node = new Inode(slot, this.#generations[slot] ?? 0, id, mode);
    this.#slots[slot] = node;
    this.#generations[slot] = node.generation;
    this.#byId.set(id, node);
    return node;
  }

  /** The node of a number; undefined when it is dead or never was. */
  get(slot: number, generation: number): Inode | undefined {
    const node = this.#slots[slot];
    return node !== undefined && node.generation === generation ? node : undefined;
  }

  /** The node with an `st_ino`. */
  byId(id: number): Inode | undefined {
    return this.#byId.get(id);
  }

  /** Every node, in no order. */
  values(): IterableIterator<Inode> {
    return this.#byId.values();
  }

  /** Gives a node another number: whoever holds the old one holds something dead. */
  renumber(node: Inode): void {
    this.#retire(node.slot, node.generation);
    const slot = this.#free.pop() ?? this.#slots.push(undefined) - 1;
    node.slot = slot;
    node.generation = this.#generations[slot] ?? 0;
    this.#slots[slot] = node;
    this.#generations[slot] = node.generation;
    node.lookups = 0;
  }

  /** Removes a node: its number is dead from now on. */
  remove(node: Inode): void {
    node.alive = false;
    this.#retire(node.slot, node.generation);
    if (this.#byId.get(node.id) === node) this.#byId.delete(node.id);
  }

  #retire(slot: number, generation: number): void {
    this.#slots[slot] = undefined;
    this.#generations[slot] = generation + 1;
    // The last generation is not followed by the first: better waste the slot.
    if (generation + 1 < 2 ** 32) this.#free.push(slot);
  }
}
