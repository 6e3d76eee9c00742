import { damaged } from "./schema.ts";
import type { Sql } from "./sql/types.ts";

/** How many numbers are taken at a time: what is left of them when the process ends is never used. */
const BLOCK = 65_536;

/** Node numbers that one epoch has. */
export const EPOCH = 2 ** 32;

/**
 * Gives out node numbers and revisions. Neither is ever given twice, and neither costs a row: whole blocks
 * are marked as taken, in the transaction of the first that uses one.
 *
 * A node's number is an epoch, drawn at random when the store was made, and a count within it. So the
 * numbers of two stores (of a copy that went its own way, say) do not mean different nodes by the same
 * number, and all are integers that JavaScript holds exactly.
 */
export class Counters {
  readonly #sql: Sql;
  #epoch = 0;
  #unsure = false;
  #id = { next: 0, end: 0 };
  #revision = { next: 0, end: 0 };

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** What a new store starts with. */
  static initialize(sql: Sql): void {
    for (const [key, value] of [
      ["epoch", randomEpoch()],
      ["id", 1],
      ["revision", 1],
    ] as const) {
      sql.exec("INSERT INTO vfs_meta (key, value) VALUES (?, ?)", key, value);
    }
  }

  nextId(): number {
    if (this.#id.next === this.#id.end) {
      this.#id = this.#take("id");
      this.#epoch = this.#read("epoch");
    }
    const id = this.#id.next++;
    // Counts that outgrow an epoch run on into the next: still never given twice.
    return this.#epoch * EPOCH + id;
  }

  /** Sees that a node's number, which comes from another store, is none that this one will give. */
  avoid(id: number): void {
    if (this.#epoch === 0) this.#epoch = this.#read("epoch");
    if (Math.floor(id / EPOCH) !== this.#epoch) return;
    this.#epoch = randomEpoch();
    this.#unsure = true;
    this.#sql.exec("UPDATE vfs_meta SET value = ? WHERE key = 'epoch'", this.#epoch);
  }

  nextRevision(): number {
    if (this.#revision.next === this.#revision.end) this.#revision = this.#take("revision");
    return this.#revision.next++;
  }

  /** The latest revision that may have been made. */
  get latestRevision(): number {
    const { next, end } = this.#revision;
    return (next === end ? this.#read("revision") : next) - 1;
  }

  /** The transaction was kept, and any block that it took with it. */
  keep(): void {
    this.#unsure = false;
  }

  /** The transaction was undone: a block that it took is not marked as taken, so it is dropped. */
  forget(): void {
    if (!this.#unsure) return;
    this.#id = { next: 0, end: 0 };
    this.#revision = { next: 0, end: 0 };
    this.#epoch = 0;
    this.#unsure = false;
  }

  #take(key: string): { next: number; end: number } {
    const next = this.#read(key);
    const end = next + BLOCK;
    this.#unsure = true;
    this.#sql.exec("UPDATE vfs_meta SET value = ? WHERE key = ?", end, key);
    return { next, end };
  }

  #read(key: string): number {
    const [row] = this.#sql.exec("SELECT value FROM vfs_meta WHERE key = ?", key);
    const value = row?.value;
    if (typeof value !== "number") throw damaged(`the count '${key}' is missing`);
    return value;
  }
}

function randomEpoch(): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return 1 + (random % 2 ** 19);
}
