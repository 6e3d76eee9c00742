import { RpcSession, type RpcTransport, WebSocketTransport } from "capnweb";
import { bytesToBase64Url } from "../doors/base64.ts";
import { percentEncode } from "../doors/percent.ts";
import { BEARER_SUBPROTOCOL, SUBPROTOCOL } from "../doors/protocol.ts";
import { ComputerError } from "../errors.ts";
import type { Target } from "./options.ts";
import { asWireError, responseError, reviveError } from "./revive.ts";
import type { RemoteRoot } from "./root.ts";

/** Characters of a message that this side takes: 32 MiB. */
const MAX_MESSAGE_CHARS = 32 * 1024 * 1024;

/** One agent's connection. It connects when first used, and again when used after it broke. */
export interface Link extends Disposable {
  readonly transport: "websocket" | "batch";
  /** Makes calls on the remote root. Rejects with a revived error. */
  use<T>(work: (root: RemoteRoot) => PromiseLike<T>): Promise<T>;
  /** Asks one of the agent's HTTP doors. Rejects unless it answers with success. */
  fetch(door: string, init?: RequestInit): Promise<Response>;
}

/** Makes the link to one agent. */
export function openLink(target: Target, agent: string, id: string): Link {
  if (typeof id !== "string" || id === "" || id === "." || id === ".." || !id.isWellFormed()) {
    throw new ComputerError(
      "ERR_BAD_ARGUMENT",
      `id: must name the agent's computer, got ${JSON.stringify(id)}`,
      {
        path: "/id",
      },
    );
  }
  const url = `${target.base}/agents/${percentEncode(agent)}/${encodeURIComponent(id)}`;
  return target.transport === "batch" ? new BatchLink(target, url) : new SocketLink(target, url);
}

abstract class HttpLink {
  readonly target: Target;
  readonly url: string;
  closed = false;

  constructor(target: Target, url: string) {
    this.target = target;
    this.url = url;
  }

  async fetch(door: string, init: RequestInit = {}): Promise<Response> {
    this.refuseWhenClosed();
    const headers = new Headers(init.headers);
    if (this.target.token !== undefined) headers.set("authorization", `Bearer ${this.target.token}`);
    let response: Response;
    try {
      response = await fetch(`${this.url}${door}`, { ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new ComputerError("ERR_CONNECTION_FAILED", `${this.target.base} cannot be reached.`, {
        cause: error,
      });
    }
    if (!response.ok) throw await responseError(response);
    return response;
  }

  refuseWhenClosed(): void {
    if (this.closed)
      throw new ComputerError("ERR_CLIENT_CLOSED", "This client was disposed of; connect anew.");
  }
}

/** A session over a WebSocket. */
class SocketLink extends HttpLink implements Link {
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

/** The calls of one turn as one HTTP request. */
class BatchLink extends HttpLink implements Link {
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

/** An error that never crossed: an argument that cannot be sent, most likely. */
function localError(error: unknown): Error {
  if (error instanceof TypeError && /serialize/i.test(error.message)) {
    return new ComputerError("ERR_BAD_ARGUMENT", error.message, { cause: error });
  }
  return error instanceof Error ? error : new ComputerError("ERR_INTERNAL", String(error));
}
