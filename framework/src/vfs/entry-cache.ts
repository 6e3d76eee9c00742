/** What is remembered of a directory. */
interface Known {
  readonly names: Map<string, number>;
  /** Nothing else is in it: a name that is not remembered is not there. */
  complete: boolean;
}

/** What {@link EntryCache.find} answers for a name that is known not to be there. */
export const ABSENT = 0;

/**
 * Directory entries that were read or written. Of a directory that was made while the cache watched, all
 * entries are known, so that even a miss needs no look at the database. Bounded: the directory remembered
 * for longest is forgotten first, as a whole.
 */
export class EntryCache {
  readonly #directories = new Map<number, Known>();
  readonly #limit: number;
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The node under a name, {@link ABSENT}, or undefined when the database must be asked. */
  find(directory: number, name: string): number | undefined {
    const known = this.#directories.get(directory);
    return known?.names.get(name) ?? (known?.complete ? ABSENT : undefined);
  }

  set(directory: number, name: string, node: number): void {
    let known = this.#directories.get(directory);
    if (known === undefined) {
      known = { names: new Map(), complete: false };
      this.#directories.set(directory, known);
      this.#count += 1;
    }
    const before = known.names.size;
    known.names.set(name, node);
    this.#count += known.names.size - before;
    this.#keepWithin();
  }

  /** A name is there no more. */
  delete(directory: number, name: string): void {
    if (this.#directories.get(directory)?.names.delete(name)) this.#count -= 1;
  }

  /** A directory was made, and is empty. */
  created(directory: number): void {
    this.drop(directory);
    this.#directories.set(directory, { names: new Map(), complete: true });
    this.#count += 1;
    this.#keepWithin();
  }

  /** Forgets a directory. */
  drop(directory: number): void {
    const known = this.#directories.get(directory);
    if (known === undefined) return;
    this.#directories.delete(directory);
    this.#count -= known.names.size + 1;
  }

  clear(): void {
    this.#directories.clear();
    this.#count = 0;
  }

  #keepWithin(): void {
    for (const oldest of this.#directories.keys()) {
      if (this.#count <= this.#limit) break;
      this.drop(oldest);
    }
  }
}
