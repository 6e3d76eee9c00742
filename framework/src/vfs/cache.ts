/**
 * A map of bounded size that forgets what was put in first: an order by use would cost a write per read. Sizes are whatever `measure` says;
 * without it every entry counts one.
 */
export class Cache<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #limit: number;
  readonly #measure: ((value: V) => number) | undefined;
  #used = 0;

  constructor(limit: number, measure?: (value: V) => number) {
    this.#limit = limit;
    this.#measure = measure;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.delete(key);
    const size = this.#measure?.(value) ?? 1;
    if (size > this.#limit) return;
    this.#entries.set(key, value);
    this.#used += size;
    while (this.#used > this.#limit) {
      const [oldest] = this.#entries.keys();
      this.delete(oldest as K);
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#used -= this.#measure?.(value) ?? 1;
  }

  clear(): void {
    this.#entries.clear();
    this.#used = 0;
  }
}
