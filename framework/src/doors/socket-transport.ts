import type { RpcTransport } from "capnweb";
import { ComputerError } from "../errors.ts";
import { MAX_MESSAGE_CHARS } from "./protocol.ts";

/** A WebSocket as a session's transport. capnweb's own takes messages of any size and never looks at the session. */
export class SocketTransport implements RpcTransport {
  readonly #socket: WebSocket;
  readonly #queue: string[] = [];
  #waiting: PromiseWithResolvers<string> | undefined;
  #broken: unknown;
  /** Throws when the session has become too large. */
  check: () => void = () => undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", (event: MessageEvent) => this.#receive(event.data));
    socket.addEventListener("close", (event: CloseEvent) => {
      this.#break(new Error(`The peer closed the WebSocket: ${event.code}`));
      // workerd leaves the answer to a close to us.
      this.#close(1000, "");
    });
    socket.addEventListener("error", () => this.#break(new Error("The WebSocket broke.")));
  }

  send(message: string): void {
    this.#socket.send(message);
  }

  async receive(): Promise<string> {
    this.check();
    const message = this.#queue.shift();
    if (message !== undefined) return message;
    if (this.#broken !== undefined) throw this.#broken;
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  abort(reason: unknown): void {
    this.#broken ??= reason;
    const message = reason instanceof Error ? reason.message : String(reason);
    // A close frame has room for 123 bytes.
    this.#close(3000, message.replace(/[^\x20-\x7e]/g, "?").slice(0, 120));
  }

  #receive(data: unknown): void {
    if (this.#broken !== undefined) return;
    if (typeof data !== "string" || data.length > MAX_MESSAGE_CHARS) {
      this.#break(
        new ComputerError(
          "ERR_BODY_TOO_LARGE",
          `A message here is text of at most ${MAX_MESSAGE_CHARS} characters; write large content as a stream.`,
        ),
      );
      return;
    }
    if (this.#waiting === undefined) {
      this.#queue.push(data);
    } else {
      this.#waiting.resolve(data);
      this.#waiting = undefined;
    }
  }

  #break(reason: unknown): void {
    if (this.#broken !== undefined) return;
    this.#broken = reason;
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
  }

  #close(code: number, reason: string): void {
    try {
      this.#socket.close(code, reason);
    } catch {
      // It was closed already.
    }
  }
}
