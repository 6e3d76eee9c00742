import type { OutputSink } from "@computer/framework";
import { RpcTarget } from "capnweb";
import type { FileBridge } from "./file-bridge.ts";
import type { FileAnswer, GuestHost } from "./protocol.ts";

/**
 * What one run's guest may call: the workspace's files and the way out for its output, for as long as the
 * run is open. (On workerd, capnweb's RpcTarget is the runtime's own.)
 */
export class RunHost extends RpcTarget implements GuestHost {
  readonly #files: FileBridge;
  readonly #output: OutputSink;
  readonly #signal: AbortSignal;
  readonly #stopped: Promise<void>;

  constructor(files: FileBridge, output: OutputSink, signal: AbortSignal) {
    super();
    this.#files = files;
    this.#output = output;
    this.#signal = signal;
    this.#stopped = aborted(signal);
  }

  async file(verb: string, parameters: readonly unknown[]): Promise<FileAnswer> {
    if (this.#signal.aborted)
      return { error: { code: "ECANCELED", message: "ECANCELED: the run has ended" } };
    return this.#files.answer(verb, parameters);
  }

  async write(stream: "stdout" | "stderr", data: Uint8Array): Promise<void> {
    if (this.#signal.aborted) return;
    if ((stream !== "stdout" && stream !== "stderr") || !(data instanceof Uint8Array)) {
      throw new TypeError("Output is bytes on stdout or stderr.");
    }
    this.#output.write(stream, data);
  }

  stopped(): Promise<void> {
    return this.#stopped;
  }
}

/** Resolves when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
