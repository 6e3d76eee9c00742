import http, { type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { BUILD_PATH, KEY_HEADER } from "../messages.ts";
import type { Upstream } from "./upstream.ts";

/** How long a request waits for a worker that is starting, in milliseconds. */
const PATIENCE_MS = 15_000;

/** Endpoints of wrangler and miniflare that stand before the worker: none of the worker's doors is there. */
const TOOLING = /^\/+(cdn-cgi|__cf_local)(\/|$)/;

/**
 * Never handed on. With `MF-Original-URL` a request says itself which Host the worker sees, so a page that
 * rebinds a name to 127.0.0.1 would pass the worker's Host check.
 */
const FORGEABLE = /^mf-/i;

/** Headers about one connection only, which Node writes itself. */
const HOP_BY_HOP = /^(connection|keep-alive)$/i;

/** What the front needs. */
export interface FrontOptions {
  readonly upstream: Upstream;
  readonly key: string;
  /** Called when wrangler does not take a request. */
  readonly suspect: () => void;
}

/**
 * The server that browsers and clients talk to. It hands everything on to wrangler as it came, Host and Origin
 * included, since the worker's doors judge those. It holds requests while the worker starts, keeps wrangler's
 * own endpoints out of reach, and marks what it hands on with a key: the worker refuses what has not come
 * through here, since wrangler's own ports take forged headers.
 */
export function createFront(options: FrontOptions): Server {
  // Uploads and event streams may take as long as they like; a missing Host is refused below, in words.
  const server = http.createServer({ requestTimeout: 0, requireHostHeader: false }, (request, response) => {
    forward(request, response, options).catch(() => {
      if (response.headersSent) response.destroy();
      else answer(response, NOT_UNDERSTOOD);
    });
  });
  // What Node refuses before it is a request, it would answer without a word.
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else answerRaw(socket, error.code === "HPE_HEADER_OVERFLOW" ? HEADERS_TOO_LARGE : NOT_UNDERSTOOD);
  });
  server.on("upgrade", (request, socket, head) => {
    forwardUpgrade(request, socket, head, options).catch(() => answerRaw(socket, NOT_UNDERSTOOD));
  });
  return server;
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { upstream, key, suspect }: FrontOptions,
): Promise<void> {
  const refusal = refuse(request);
  if (refusal) return answer(response, refusal);
  const port = await upstream.port(PATIENCE_MS);
  if (port === undefined) return answer(response, NOT_SERVING);
  const onward = http.request(target(request, port, key, HOP_BY_HOP));
  response.on("close", () => onward.destroy());
  onward.on("response", (reply) => {
    if (isToolings(reply)) {
      reply.resume();
      suspect();
      return answer(response, INTERRUPTED);
    }
    response.writeHead(reply.statusCode ?? 502, reply.statusMessage, endToEnd(reply.rawHeaders));
    response.flushHeaders();
    reply.on("error", () => response.destroy());
    reply.on("aborted", () => response.destroy());
    reply.pipe(response);
  });
  onward.on("error", () => {
    if (response.destroyed) return;
    suspect();
    if (response.headersSent) response.destroy();
    else answer(response, INTERRUPTED);
  });
  request.pipe(onward);
}

async function forwardUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { upstream, key, suspect }: FrontOptions,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  const refusal = refuse(request);
  if (refusal) return answerRaw(socket, refusal);
  const port = await upstream.port(PATIENCE_MS);
  if (port === undefined) return answerRaw(socket, NOT_SERVING);
  const onward = http.request(target(request, port, key));
  socket.on("close", () => onward.destroy());
  onward.on("upgrade", (reply, peer, first) => {
    peer.on("error", () => peer.destroy());
    socket.write(headOf(reply, reply.rawHeaders));
    if (first.length > 0) socket.write(first);
    if (head.length > 0) peer.write(head);
    socket.pipe(peer).pipe(socket);
    socket.on("close", () => peer.destroy());
    peer.on("close", () => socket.destroy());
  });
  onward.on("response", (reply) => {
    // Its length is where the connection ends.
    const headers = without(endToEnd(reply.rawHeaders), /^content-length$/i);
    socket.write(headOf(reply, [...headers, "connection", "close"]));
    reply.pipe(socket);
  });
  onward.on("error", () => {
    if (socket.destroyed) return;
    suspect();
    answerRaw(socket, INTERRUPTED);
  });
  onward.end();
}

function target({ method, url, rawHeaders }: IncomingMessage, port: number, key: string, without?: RegExp) {
  const headers: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!FORGEABLE.test(name) && !isNamed(name, KEY_HEADER) && !without?.test(name))
      headers.push(name, value);
  }
  headers.push(KEY_HEADER, key);
  // A connection for each: on a kept one, a request may meet the worker's closing it, and be lost unanswered.
  return { agent: false as const, host: "127.0.0.1", port, method, path: url, headers };
}

/**
 * Whether wrangler answered in the worker's place: it does when a runtime ends in the middle of a request, with
 * words or a page of its own. Every answer of a door says where it may be loaded.
 */
function isToolings({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 500 && headers["cross-origin-resource-policy"] === undefined;
}

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly retry?: boolean;
}

const NOT_SERVING: Answer = {
  status: 503,
  code: "ERR_UNAVAILABLE",
  message: "No build is being served yet; the terminal of `computer dev` says why.",
  retry: true,
};

const INTERRUPTED: Answer = {
  status: 503,
  code: "ERR_UNAVAILABLE",
  message:
    "The worker went away before it answered; it is being brought back. The call may have taken effect.",
  retry: true,
};

const NOT_UNDERSTOOD: Answer = {
  status: 400,
  code: "ERR_BAD_REQUEST",
  message: "A request names one Host, and a path that starts with /.",
};

const HEADERS_TOO_LARGE: Answer = {
  status: 431,
  code: "ERR_BAD_REQUEST",
  message: "The path and the headers together may have 16 KiB.",
};

/**
 * A Host as browsers and clients write it. wrangler makes a URL of it, which fails on some others, and takes from
 * the rest another host than the one that was sent: from `a@b`, `b`.
 */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

function refuse({ url = "", rawHeaders }: IncomingMessage): Answer | undefined {
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && isNamed(rawHeaders[at - 1], "host"));
  const [host = ""] = hosts;
  if (hosts.length !== 1 || !HOST.test(host) || !URL.canParse(`http://${host}`)) return NOT_UNDERSTOOD;
  if (!url.startsWith("/") || !URL.canParse(`http://localhost${url}`)) return NOT_UNDERSTOOD;
  // As wrangler will read it: `..` taken away, backslashes turned.
  const { pathname } = new URL(`http://localhost${url}`);
  if (TOOLING.test(pathname) || pathname === BUILD_PATH)
    return { status: 404, code: "ERR_NOT_FOUND", message: "There is nothing here." };
  return undefined;
}

function body({ code, message }: Answer): string {
  return `${JSON.stringify({ error: { code, message } })}\n`;
}

function answer(response: ServerResponse, what: Answer): void {
  response.writeHead(what.status, {
    "content-type": "application/json",
    ...(what.retry && { "retry-after": "1" }),
  });
  response.end(body(what));
}

function answerRaw(socket: Duplex, what: Answer): void {
  const text = body(what);
  socket.end(
    `HTTP/1.1 ${what.status} ${http.STATUS_CODES[what.status]}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}

function headOf(
  { statusCode = 502, statusMessage = "" }: IncomingMessage,
  rawHeaders: readonly string[],
): string {
  let head = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    head += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  return `${head}\r\n`;
}

function endToEnd(rawHeaders: readonly string[]): string[] {
  return without(rawHeaders, /^(connection|keep-alive|transfer-encoding)$/i);
}

function without(rawHeaders: readonly string[], names: RegExp): string[] {
  return rawHeaders.filter((_, at) => !names.test(rawHeaders[at - (at % 2)] ?? ""));
}

function isNamed(name: string | undefined, lower: string): boolean {
  return name?.toLowerCase() === lower;
}
