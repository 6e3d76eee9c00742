import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApplyOptions, ApplyResult, ChangeSet, NodeState, TreeChanges } from "../../tree/changes.ts";
import type { ListedEntry, TreeStatus } from "../../tree/service.ts";
import type { Mount } from "../types.ts";
import { detach, flush, requestsWaiting } from "./attach.ts";
import type { Doorbell } from "./doorbell.ts";
import type { JobClient } from "./job-client.ts";
import type { LoopClient } from "./loop-client.ts";
import type { NotifyJob, PlayerJob } from "./threads.ts";
import { nodesBeingWritten } from "./writers.ts";

const COMMIT_EVERY_MS = 1000;
const PATIENCE_MS = 5000;

/** The parts of a mount that runs. */
export interface Parts {
  path: string;
  device: string;
  loop: LoopClient;
  notifier: JobClient<NotifyJob>;
  player: JobClient<PlayerJob>;
  doorbell: Doorbell;
  stop(): Promise<void>;
}

/** A mount of the kernel driver, seen from the main thread. */
export class KernelMount implements Mount {
  readonly driver = "kernel";
  readonly path: string;
  readonly ended: Promise<string>;
  readonly #parts: Parts;
  readonly #timer: NodeJS.Timeout;
  /** Change sets are applied one after the other. */
  #applying: Promise<unknown> = Promise.resolve();
  #playerIsKnown = false;
  #closing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.path = parts.path;
    this.ended = parts.loop.ended;
    let seen = parts.doorbell.shown;
    this.#timer = setInterval(() => {
      if (parts.doorbell.shown === seen) return;
      seen = parts.doorbell.shown;
      // A full disk: writers hear of it themselves, and the next time may do.
      parts.loop.call("commit").catch(() => {});
    }, COMMIT_EVERY_MS);
    this.#timer.unref();
  }

  status(): Promise<TreeStatus> {
    return this.#parts.loop.call("status");
  }

  find(path: string): Promise<NodeState | undefined> {
    return this.#parts.loop.call("find", path);
  }

  list(id: number): Promise<ListedEntry[]> {
    return this.#parts.loop.call("list", id);
  }

  async *read(id: number): AsyncGenerator<Uint8Array> {
    const { loop } = this.#parts;
    const { pin, size } = await loop.call("pin", id);
    try {
      for (let offset = 0; offset < size; ) {
        const piece = await loop.call("readPin", pin, offset);
        offset += piece.length;
        yield piece;
      }
    } finally {
      await loop.call("unpin", pin).catch(() => {});
    }
  }

  apply(changes: ChangeSet, options: ApplyOptions = {}): Promise<ApplyResult> {
    const result = this.#applying.then(() => this.#apply(changes, options));
    this.#applying = result.catch(() => {});
    return result;
  }

  changes(since: number): Promise<TreeChanges> {
    return this.#parts.loop.call("changes", since);
  }

  async quiesce(): Promise<number> {
    const { loop, notifier, path, device } = this.#parts;
    // Starts all writing back; newer kernels do not wait for it here.
    await flush(path);
    // What may still be dirty is open or mapped by someone. Dropping its pages waits for their bytes.
    const notices = await loop.call("pagesOf", nodesBeingWritten(device));
    if (notices.length > 0) await notifier.run({ notices });
    // Where the kernel tells how many requests wait, wait until there are none, but not for ever: others go on.
    const deadline = Date.now() + PATIENCE_MS;
    while (requestsWaiting(device) > 0 && Date.now() < deadline) await sleep(1);
    return loop.call("commit");
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #apply(changes: ChangeSet, options: ApplyOptions): Promise<ApplyResult> {
    const { loop, notifier } = this.#parts;
    const before = await loop.call("before", changes);
    if (before.length > 0) await notifier.run({ notices: before });
    const { result, notices, plays } = await loop.call("apply", { changes, options });
    if (notices.length > 0) await notifier.run({ notices });
    if (plays.length > 0) {
      await this.#play({ plays });
      await loop.call("clearStage");
    }
    return result;
  }

  async #play(job: Pick<PlayerJob, "plays">): Promise<void> {
    const { loop, player, device } = this.#parts;
    if (!this.#playerIsKnown) {
      const enter = `.computerd-${randomBytes(16).toString("hex")}`;
      await loop.call("admit", enter);
      await player.run({ enter, device });
      this.#playerIsKnown = true;
    }
    await player.run({ ...job, device });
  }

  async #close(): Promise<void> {
    const { loop, path, stop } = this.#parts;
    clearInterval(this.#timer);
    await this.#applying;
    try {
      await detach(path, false);
    } catch {
      // Somebody is in it. What they wrote is kept; what they hold open ends.
      await this.quiesce().catch(() => {});
      await detach(path, true).catch(() => {});
    }
    await Promise.race([loop.ended, sleep(PATIENCE_MS, undefined, { ref: false })]);
    await stop();
  }
}
