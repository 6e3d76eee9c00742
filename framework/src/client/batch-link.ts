import { RpcSession, type RpcTransport } from "capnweb";
import { ComputerError } from "../errors.ts";
import { HttpLink, localError, MAX_MESSAGE_CHARS } from "./http-link.ts";
import type { Link } from "./link.ts";
import { asWireError, reviveError } from "./revive.ts";
import type { RemoteRoot } from "./root.ts";

/** The calls of one turn as one HTTP request. */
export class BatchLink extends HttpLink implements Link {
  readonly transport = "batch";
  #root: RemoteRoot | undefined;

  async use<T>(work: (root: RemoteRoot) => PromiseLike<T>): Promise<T> {
    this.refuseWhenClosed();
    this.#root ??= this.#begin();
    try {
      return await work(this.#root);
    } catch (error) {
      const wire = asWireError(error);
      throw wire === undefined ? localError(error) : reviveError(wire);
    }
  }

  #begin(): RemoteRoot {
    const transport = new BatchTransport(async (messages) => {
      this.#root = undefined;
      const response = await this.fetch("/rpc", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: messages.join("\n"),
      });
      const text = await response.text();
      return text === "" ? [] : text.split("\n");
    });
    const session = new RpcSession(transport, undefined, { limits: { maxMessageSize: MAX_MESSAGE_CHARS } });
    return session.getRemoteMain() as unknown as RemoteRoot;
  }

  [Symbol.dispose](): void {
    this.closed = true;
    this.#root = undefined;
  }
}

/** capnweb's own batch transport drops the body of a refusal, where the code is. */
class BatchTransport implements RpcTransport {
  #unsent: string[] | undefined = [];
  readonly #received: Promise<string[]>;

  constructor(exchange: (messages: string[]) => Promise<string[]>) {
    // The calls of one turn are those made before the next macrotask.
    this.#received = new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => {
      const messages = this.#unsent ?? [];
      this.#unsent = undefined;
      return exchange(messages);
    });
    this.#received.catch(() => undefined);
  }

  send(message: string): void {
    // What comes later lets go of results, which the end of the batch does anyway.
    this.#unsent?.push(message);
  }

  async receive(): Promise<string> {
    const message = (await this.#received).shift();
    if (message !== undefined) return message;
    throw new ComputerError("ERR_CONNECTION_LOST", "The answer to the batch lacks this call.");
  }
}
