import type { MessagePort } from "node:worker_threads";
import type { Done } from "./threads.ts";

/** Gives jobs to a helper thread and waits until they are done. */
export class JobClient<Job extends { id: number }> {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, () => void>();
  #next = 1;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", ({ id }: Done) => {
      this.#waiting.get(id)?.();
      this.#waiting.delete(id);
    });
  }

  run(job: Omit<Job, "id">): Promise<void> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#port.postMessage({ ...job, id });
    });
  }

  /** Nobody will answer any more; whoever waits goes on. */
  close(): void {
    this.#port.close();
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }
}
