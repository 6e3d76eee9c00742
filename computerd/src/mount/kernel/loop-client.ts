import type { MessagePort } from "node:worker_threads";
import { MountError } from "../types.ts";
import type { Commands } from "./commands.ts";
import type { Doorbell } from "./doorbell.ts";
import type { Answer, Call, Method } from "./threads.ts";

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The main thread's side of the loop: calls go there by message, and wake it up. */
export class LoopClient {
  /** Resolves when the kernel has begun to talk; rejects when the mount ends before. */
  readonly ready: Promise<void>;
  /** Resolves with the reason when the mount has ended. */
  readonly ended: Promise<string>;
  readonly #port: MessagePort;
  readonly #doorbell: Doorbell;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  #over = false;
  #ownsDevice = false;
  readonly #ended = Promise.withResolvers<string>();

  constructor(port: MessagePort, doorbell: Doorbell) {
    this.#port = port;
    this.#doorbell = doorbell;
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.ended = this.#ended.promise;
    this.ready.catch(() => {});
    port.on("message", (answer: Answer) => {
      if (answer.type === "ready") ready.resolve();
      else if (answer.type === "owner") this.#ownsDevice = true;
      else if (answer.type === "ended") {
        this.end(answer.reason);
        ready.reject(new MountError("ERR_MOUNT_FAILED", `the mount ended at once: ${answer.reason}`));
      } else this.#settle(answer);
    });
  }

  /** Whether the connection's descriptor is closed with the loop's thread. */
  get ownsDevice(): boolean {
    return this.#ownsDevice;
  }

  /** Has the loop do something. */
  call<M extends Method>(method: M, ...args: Parameters<Commands[M]>): Promise<ReturnType<Commands[M]>> {
    if (this.#over) return Promise.reject(new MountError("ERR_MOUNT_ENDED", "the mount has ended"));
    const id = this.#next++;
    const call: Call = { id, method, args };
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#port.postMessage(call);
      this.#doorbell.ring();
    });
  }

  /** Nothing more will come. */
  end(reason: string): void {
    this.#over = true;
    for (const { reject } of this.#waiting.values())
      reject(new MountError("ERR_MOUNT_ENDED", `the mount has ended: ${reason}`));
    this.#waiting.clear();
    this.#ended.resolve(reason);
  }

  close(): void {
    this.#port.close();
  }

  #settle(answer: Exclude<Answer, { type: "ready" | "owner" | "ended" }>): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.type === "answer") waiting?.resolve(answer.result);
    else waiting?.reject(Object.assign(new Error(answer.message), { code: answer.code }));
  }
}
