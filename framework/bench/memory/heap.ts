import type { Workerd } from "../../test/workerd/workerd.ts";

/** What an isolate holds, in bytes: its heap, and what array buffers hold outside of it. */
export interface HeapUsage {
  readonly usedSize: number;
  readonly backingStorageSize: number;
}

/** Asks a worker's inspector again and again how much its isolate holds. */
export class HeapSampler implements Disposable {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: HeapUsage) => void>();
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result: HeapUsage };
      if (id === undefined) return;
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    });
  }

  static async connect(workerd: Workerd): Promise<HeapSampler> {
    const { host } = await workerd.inspectorUrl();
    const listing = await fetch(`http://${host}/json`);
    const [target] = (await listing.json()) as { webSocketDebuggerUrl: string }[];
    if (target === undefined) throw new Error("The inspector has no target.");
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", reject, { once: true });
    });
    return new HeapSampler(socket);
  }

  /** What the isolate holds now. */
  usage(): Promise<HeapUsage> {
    return this.#ask("Runtime.getHeapUsage");
  }

  /** The most that the isolate held while work was done, and how often it was looked at. */
  async during(
    work: Promise<unknown>,
  ): Promise<{ heap: number; stores: number; most: number; samples: number }> {
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    const peak = { heap: 0, stores: 0, most: 0, samples: 0 };
    while (!done) {
      const { usedSize, backingStorageSize } = await this.usage();
      peak.heap = Math.max(peak.heap, usedSize);
      peak.stores = Math.max(peak.stores, backingStorageSize);
      peak.most = Math.max(peak.most, usedSize + backingStorageSize);
      peak.samples += 1;
      await new Promise((resume) => setTimeout(resume, 2));
    }
    await finished;
    return peak;
  }

  #ask(method: string): Promise<HeapUsage> {
    this.#id += 1;
    const id = this.#id;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method }));
    });
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}
