/** Where the front finds wrangler at the moment: a port, or a wait for one. */
export class Upstream {
  #port: number | undefined;
  #waiting = new Set<() => void>();

  /** wrangler answers on this port; undefined: it does not at present. */
  set(port: number | undefined): void {
    this.#port = port;
    if (port === undefined) return;
    for (const wake of this.#waiting) wake();
  }

  get current(): number | undefined {
    return this.#port;
  }

  /** The port, as soon as there is one; undefined when there is none within so many milliseconds. */
  async port(withinMs: number): Promise<number | undefined> {
    if (this.#port !== undefined || withinMs <= 0) return this.#port;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      this.#waiting.add(done);
    });
    return this.#port;
  }
}
