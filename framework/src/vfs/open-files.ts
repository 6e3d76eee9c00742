import { type Call, fsError } from "./errors.ts";

/** Files that may be open at the same time. */
const OPEN_MAX = 1024;

/**
 * Which files are open, and how often. What is open is not taken apart when its last name goes, but when
 * it is closed. In memory only: after a crash nothing is open.
 */
export class OpenFiles {
  readonly #counts = new Map<number, number>();
  #total = 0;
  #next = 3;

  /** Files that are open. */
  get count(): number {
    return this.#counts.size;
  }

  /** The files that are open. */
  get nodes(): number[] {
    return [...this.#counts.keys()];
  }

  has(node: number): boolean {
    return this.#counts.has(node);
  }

  /** Notes an opening of a file; answers its number. */
  open(node: number, call: Call): number {
    if (this.#total >= OPEN_MAX) throw fsError("EMFILE", call, `at most ${OPEN_MAX}`);
    this.#total += 1;
    this.#counts.set(node, (this.#counts.get(node) ?? 0) + 1);
    return this.#next++;
  }

  /** An opening, noted before it was known of what, turned out to be of this file. */
  move(from: number, node: number): void {
    this.close(from);
    this.#total += 1;
    this.#counts.set(node, (this.#counts.get(node) ?? 0) + 1);
  }

  /** Notes that an opening ended; answers whether it was the file's last. */
  close(node: number): boolean {
    this.#total -= 1;
    const left = (this.#counts.get(node) ?? 1) - 1;
    if (left > 0) this.#counts.set(node, left);
    else this.#counts.delete(node);
    return left === 0;
  }
}
