import { RpcSession } from "capnweb";
import { ComputerError } from "../errors.ts";
import { serveBatch } from "./batch.ts";
import { BEARER_SUBPROTOCOL, MAX_MESSAGE_CHARS, MAX_SESSION_REFERENCES, SUBPROTOCOL } from "./protocol.ts";
import { Session } from "./session.ts";
import { SocketTransport } from "./socket-transport.ts";
import type { AgentStub } from "./stub.ts";

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
