import type { Change } from "./types.ts";

/** Changes that are remembered, and characters of their paths together. */
const CHANGES = 4096;
const CHARACTERS = 1024 * 1024;

/**
 * The latest changes of a workspace, numbered from 0 on. One for all watchers: each of them only knows the
 * number it comes to next, so that many of them, and slow ones, cost nothing.
 */
export class Ring {
  readonly #changes = new Map<number, Change>();
  #first = 0;
  #end = 0;
  #characters = 0;
  #lost: number;

  /** @param revision up to which nothing is known. */
  constructor(revision: number) {
    this.#lost = revision;
  }

  /** The number of the earliest change that is remembered. */
  get first(): number {
    return this.#first;
  }

  /** The number of the change that comes next. */
  get end(): number {
    return this.#end;
  }

  /** The revision up to which changes may be lost. */
  get lost(): number {
    return this.#lost;
  }

  get(number: number): Change | undefined {
    return this.#changes.get(number);
  }

  /** The number of the first change after a revision. */
  after(revision: number): number {
    for (let number = this.#first; number < this.#end; number++) {
      if ((this.#changes.get(number)?.revision ?? 0) > revision) return number;
    }
    return this.#end;
  }

  add(change: Change): void {
    this.#changes.set(this.#end, change);
    this.#end += 1;
    this.#characters += size(change);
    while (this.#changes.size > CHANGES || (this.#characters > CHARACTERS && this.#changes.size > 0))
      this.#drop();
  }

  /** What a revision changed is too much to be told. */
  lose(revision: number): void {
    while (this.#changes.size > 0) this.#drop();
    this.#lost = revision;
    // A number that no change has: whoever comes to it has missed something.
    this.#end += 1;
    this.#first = this.#end;
  }

  #drop(): void {
    const change = this.#changes.get(this.#first);
    this.#changes.delete(this.#first);
    this.#first += 1;
    if (change === undefined) return;
    this.#characters -= size(change);
    this.#lost = Math.max(this.#lost, change.revision);
  }
}

function size({ path, oldPath = "" }: Change): number {
  return path.length + oldPath.length;
}
