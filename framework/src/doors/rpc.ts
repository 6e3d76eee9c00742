import { RpcSession, type RpcTransport } from "capnweb";
import { ComputerError } from "../errors.ts";
import { readText, requireJson } from "./body.ts";
import {
  BEARER_SUBPROTOCOL,
  MAX_BODY_BYTES,
  MAX_MESSAGE_CHARS,
  MAX_SESSION_REFERENCES,
  SUBPROTOCOL,
} from "./protocol.ts";
import { Session } from "./session.ts";
import type { AgentStub } from "./stub.ts";

/** Messages that one batch may have. */
const MAX_BATCH_MESSAGES = 4096;

/** Answers the `rpc` door: a WebSocket session, or a batch of calls in one request. */
export function serveRpc(
  request: Request,
  development: boolean,
  makeStub: (session: Session) => AgentStub,
): Response | Promise<Response> {
  if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
    return serveWebSocket(request, new Session("websocket", development), makeStub);
  }
  if (request.method === "POST") return serveBatch(request, new Session("batch", development), makeStub);
  if (request.method === "GET") {
    throw new ComputerError("ERR_BAD_REQUEST", "Open a WebSocket here, or POST a batch of capnweb messages.");
  }
  throw new ComputerError("ERR_METHOD_NOT_ALLOWED", "The rpc door takes a WebSocket or a POST.");
}

/** workerd's socket pair, which the types of Node do not have. */
interface WorkerSocket extends WebSocket {
  accept(): void;
}
declare const WebSocketPair: new () => { 0: WorkerSocket; 1: WorkerSocket };

function serveWebSocket(
  request: Request,
  session: Session,
  makeStub: (session: Session) => AgentStub,
): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  const transport = new SocketTransport(server);
  const rpc = new RpcSession(transport, makeStub(session), {
    onSendError: session.onSendError,
    limits: { maxMessageSize: MAX_MESSAGE_CHARS },
  });
  transport.check = () => checkReferences(rpc.getStats());
  const headers = new Headers();
  const offered = request.headers.get("sec-websocket-protocol")?.split(/[\s,]+/) ?? [];
  // Never the one with the token: an answer may be logged.
  const chosen = offered.find(
    (protocol) => protocol === SUBPROTOCOL && !protocol.startsWith(BEARER_SUBPROTOCOL),
  );
  if (chosen !== undefined) headers.set("sec-websocket-protocol", chosen);
  return new Response(null, { status: 101, headers, webSocket: client } as ResponseInit);
}

/** capnweb keeps every call's result until the peer lets it go; a peer that never does is cut off. */
function checkReferences({ imports, exports }: { imports: number; exports: number }): void {
  if (imports + exports > MAX_SESSION_REFERENCES) {
    throw new ComputerError(
      "ERR_BUSY",
      `A session may hold ${MAX_SESSION_REFERENCES} references; dispose of some.`,
    );
  }
}

/** A WebSocket as a session's transport. capnweb's own takes messages of any size and never looks at the session. */
class SocketTransport implements RpcTransport {
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

async function serveBatch(
  request: Request,
  session: Session,
  makeStub: (session: Session) => AgentStub,
): Promise<Response> {
  requireJson(request);
  const body = await readText(request, MAX_BODY_BYTES);
  const messages = body === "" ? [] : body.split("\n");
  if (messages.length > MAX_BATCH_MESSAGES) {
    throw new ComputerError("ERR_BODY_TOO_LARGE", `A batch has at most ${MAX_BATCH_MESSAGES} messages.`);
  }
  const transport = new BatchTransport(messages);
  const rpc = new RpcSession(transport, makeStub(session), {
    onSendError: session.onSendError,
    limits: { maxMessageSize: MAX_BODY_BYTES },
  });
  try {
    await transport.taken;
    await rpc.drain();
  } catch (error) {
    throw new ComputerError(
      "ERR_BAD_JSON",
      `The batch is not one of capnweb messages: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
  const answer = transport.sent.join("\n");
  // Ends the session, so that it lets go of what it holds.
  transport.end();
  return new Response(answer, {
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}

/** The messages of one request, and those of its answer. */
class BatchTransport implements RpcTransport {
  readonly sent: string[] = [];
  readonly #messages: string[];
  readonly #taken = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<never>();

  constructor(messages: string[]) {
    this.#messages = messages;
  }

  /** Resolves when the session has taken every message; rejects when it choked on one. */
  get taken(): Promise<void> {
    return this.#taken.promise;
  }

  send(message: string): void {
    this.sent.push(message);
  }

  async receive(): Promise<string> {
    const message = this.#messages.shift();
    if (message !== undefined) return message;
    this.#taken.resolve();
    return this.#end.promise;
  }

  abort(reason: unknown): void {
    this.#taken.reject(reason);
  }

  end(): void {
    this.#end.reject(new Error("The batch is over."));
  }
}
