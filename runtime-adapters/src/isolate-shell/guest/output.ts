import type { GuestHost } from "../protocol.ts";

/** How many bytes may be on their way to the host at once. */
const IN_FLIGHT_BYTES = 1024 * 1024;
/** The largest piece that is sent in one message. */
const PIECE_BYTES = 1024 * 1024;

/** Sends a run's output to the host: in order, no more at once than a bound, nothing beyond the run's own bound. */
export class Output {
  readonly #host: Pick<GuestHost, "write">;
  readonly #limit: number;
  readonly #pending = new Set<Promise<void>>();
  #sent = 0;
  #dropped = 0;
  #inFlight = 0;
  #failure: unknown;

  constructor(host: Pick<GuestHost, "write">, limit: number) {
    this.#host = host;
    this.#limit = limit;
  }

  /** Bytes that were not sent. */
  get droppedBytes(): number {
    return this.#dropped;
  }

  /** Resolves as soon as more may be written. */
  async write(stream: "stdout" | "stderr", data: Uint8Array): Promise<void> {
    // One byte beyond the bound goes out as well: it tells the host that there was more, even if the run is
    // killed before it can say how much.
    const room = Math.min(data.length, this.#limit + 1 - this.#sent);
    this.#dropped += data.length - room;
    for (let at = 0; at < room; at += PIECE_BYTES) {
      const piece = data.slice(at, Math.min(at + PIECE_BYTES, room));
      this.#sent += piece.length;
      this.#send(stream, piece);
      while (this.#inFlight > IN_FLIGHT_BYTES) await Promise.race(this.#pending);
    }
  }

  /** Resolves when the host has everything. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending);
    if (this.#failure !== undefined) throw this.#failure;
  }

  #send(stream: "stdout" | "stderr", piece: Uint8Array): void {
    this.#inFlight += piece.length;
    const sent = this.#host
      .write(stream, piece)
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#inFlight -= piece.length;
        this.#pending.delete(sent);
      });
    this.#pending.add(sent);
  }
}
