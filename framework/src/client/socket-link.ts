import { RpcSession, WebSocketTransport } from "capnweb";
import { bytesToBase64Url } from "../doors/base64.ts";
import { BEARER_SUBPROTOCOL, SUBPROTOCOL } from "../doors/protocol.ts";
import { ComputerError } from "../errors.ts";
import { HttpLink, localError, MAX_MESSAGE_CHARS } from "./http-link.ts";
import type { Link } from "./link.ts";
import { asWireError, reviveError } from "./revive.ts";
import type { RemoteRoot } from "./root.ts";

/** A session over a WebSocket. */
export class SocketLink extends HttpLink implements Link {
  readonly transport = "websocket";
  #session: Promise<Connected> | undefined;

  async use<T>(work: (root: RemoteRoot) => PromiseLike<T>): Promise<T> {
    this.refuseWhenClosed();
    const opening = this.#connect();
    const session = await opening;
    try {
      return await work(session.root);
    } catch (error) {
      const wire = asWireError(error);
      if (wire !== undefined) throw reviveError(wire);
      this.refuseWhenClosed();
      if (session.broken) {
        throw new ComputerError(
          "ERR_CONNECTION_LOST",
          "The connection broke before the answer came; the call may have happened.",
          { cause: error },
        );
      }
      throw localError(error);
    }
  }

  #connect(): Promise<Connected> {
    if (this.#session !== undefined) return this.#session;
    const opening = this.#open();
    this.#session = opening;
    const forget = () => {
      if (this.#session === opening) this.#session = undefined;
    };
    opening.then((session) => {
      if (this.closed) session.root[Symbol.dispose]();
      session.onBroken(forget);
    }, forget);
    return opening;
  }

  async #open(): Promise<Connected> {
    const { token, connectTimeoutMs } = this.target;
    const protocols = [SUBPROTOCOL];
    // A browser can set no header here, and the others need none.
    if (token !== undefined)
      protocols.push(BEARER_SUBPROTOCOL + bytesToBase64Url(new TextEncoder().encode(token)));
    const socket = new WebSocket(`${this.url.replace(/^http/, "ws")}/rpc`, protocols);
    const opened = await waitForOpen(socket, connectTimeoutMs);
    if (opened === "timeout") {
      throw new ComputerError(
        "ERR_CONNECTION_FAILED",
        `${this.target.base} did not answer in ${connectTimeoutMs} ms.`,
      );
    }
    if (opened === "refused") throw await this.#whyRefused();
    return new Connected(socket);
  }

  /** A WebSocket does not tell why it was refused; the same door, asked over HTTP, does. */
  async #whyRefused(): Promise<Error> {
    const refused = new ComputerError("ERR_CONNECTION_FAILED", `${this.target.base} refused the WebSocket.`);
    try {
      await (
        await this.fetch("/rpc", { signal: AbortSignal.timeout(this.target.connectTimeoutMs) })
      ).body?.cancel();
      return refused;
    } catch (error) {
      const code = asWireError(error)?.code;
      return code === undefined || code === "ERR_BAD_REQUEST" ? refused : (error as Error);
    }
  }

  [Symbol.dispose](): void {
    this.closed = true;
    this.#session?.then(
      (session) => session.root[Symbol.dispose](),
      () => undefined,
    );
    this.#session = undefined;
  }
}

/** An open WebSocket with the session on it. */
class Connected {
  readonly root: RemoteRoot;
  broken = false;

  constructor(socket: WebSocket) {
    const session = new RpcSession(new WebSocketTransport(socket), undefined, {
      limits: { maxMessageSize: MAX_MESSAGE_CHARS },
    });
    this.root = session.getRemoteMain() as unknown as RemoteRoot;
    this.onBroken(() => {
      this.broken = true;
    });
  }

  onBroken(callback: () => void): void {
    this.root.onRpcBroken(callback);
  }
}

function waitForOpen(socket: WebSocket, timeoutMs: number): Promise<"open" | "refused" | "timeout"> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve("timeout");
      socket.close();
    }, timeoutMs);
    const settle = (outcome: "open" | "refused") => () => {
      clearTimeout(timer);
      resolve(outcome);
    };
    socket.addEventListener("open", settle("open"), { once: true });
    socket.addEventListener("error", settle("refused"), { once: true });
    socket.addEventListener("close", settle("refused"), { once: true });
  });
}
