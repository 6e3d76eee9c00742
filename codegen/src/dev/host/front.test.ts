import http, { type IncomingMessage, type Server } from "node:http";
import net, { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFront } from "./front.ts";
import { Upstream } from "./upstream.ts";

let upstream: Upstream;
let worker: Server;
let front: Server;
let suspected: number;
/** What the worker does with a request; replaced by tests. */
let handle: http.RequestListener;

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Sends text as it is, and collects what comes until the connection ends. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = net.connect(portOf(front), "127.0.0.1", () => socket.write(text));
    socket.setEncoding("latin1").on("data", (part) => {
      answer += part;
    });
    socket.on("error", reject).on("end", () => {
      socket.end();
      resolve(answer);
    });
  });
}

beforeEach(async () => {
  suspected = 0;
  handle = (request, response) =>
    response.end(JSON.stringify({ url: request.url, headers: request.rawHeaders }));
  worker = http.createServer((request, response) => handle(request, response));
  upstream = new Upstream();
  upstream.set(await listen(worker));
  front = createFront({ upstream, key: "the-key", suspect: () => suspected++ });
  await listen(front);
});

afterEach(() => {
  for (const server of [front, worker]) {
    server.closeAllConnections();
    server.close();
  }
});

const url = (path: string) => `http://127.0.0.1:${portOf(front)}${path}`;

describe("what is handed on", () => {
  test("all as it came, with the key; no header that wrangler trusts, nor another's key", async () => {
    const answer = await raw(
      "GET /a%2Fb?c HTTP/1.1\r\nHost: Evil.example:1\r\nOrigin: http://evil.example\r\nX-Own: 1\r\n" +
        "mf-original-url: http://localhost/\r\nMF-Route-Override: x\r\nX-Computer-Dev: forged\r\nConnection: close\r\n\r\n",
    );
    const { url, headers } = JSON.parse(
      answer
        .slice(answer.indexOf("\r\n\r\n"))
        .replace(/^\s*[\da-f]+\r\n/, "")
        .replace(/\r\n0\s*$/, ""),
    );
    expect(url).toBe("/a%2Fb?c");
    const pairs: string[] = [];
    for (let at = 0; at < headers.length; at += 2) pairs.push(`${headers[at]}: ${headers[at + 1]}`);
    expect(pairs.filter((pair) => !pair.startsWith("Connection"))).toEqual([
      "Host: Evil.example:1",
      "Origin: http://evil.example",
      "X-Own: 1",
      "x-computer-dev: the-key",
    ]);
  });

  test("bodies stream both ways", async () => {
    handle = async (request, response) => {
      response.writeHead(201, "Made", { "x-own": "1" });
      for await (const part of request) response.write(`<${part}>`);
      response.end();
    };
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const encoder = new TextEncoder();
    void writer.write(encoder.encode("first"));
    const response = await fetch(url("/"), { method: "POST", body: readable, duplex: "half" });
    expect([response.status, response.statusText, response.headers.get("x-own")]).toEqual([201, "Made", "1"]);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    // What was sent comes back before there is more.
    expect((await reader?.read())?.value).toBe("<first>");
    void writer.write(encoder.encode("second")).then(() => writer.close());
    expect((await reader?.read())?.value).toBe("<second>");
    expect((await reader?.read())?.done).toBe(true);
  });

  test("a caller that goes away is told to the worker", async () => {
    const gone = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    handle = (_request, response) => {
      response.on("close", gone.resolve);
      arrived.resolve();
    };
    const abort = new AbortController();
    const asked = fetch(url("/"), { signal: abort.signal }).catch(() => "aborted");
    await arrived.promise;
    abort.abort();
    expect(await asked).toBe("aborted");
    await gone.promise;
    expect(suspected).toBe(0);
  });
});

describe("WebSocket upgrades", () => {
  const HEAD = "Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";

  test("are handed on, both ways and to the end", async () => {
    let seen: IncomingMessage | undefined;
    worker.on("upgrade", (request, socket) => {
      seen = request;
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello",
      );
      socket.once("data", (part) => socket.end(`you said ${part}`));
    });
    const answer = await raw(`GET /rpc HTTP/1.1\r\n${HEAD}MF-Original-URL: http://x/\r\n\r\nearly`);
    expect(answer).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(answer).toMatch(/\r\n\r\nhelloyou said early$/);
    expect(seen?.headers).toMatchObject({
      host: "localhost",
      upgrade: "websocket",
      "x-computer-dev": "the-key",
    });
    expect(seen?.headers).not.toHaveProperty("mf-original-url");
  });

  test("that the worker refuses come back as it answered", async () => {
    handle = (_request, response) => response.writeHead(403, { "x-own": "1" }).end("no");
    worker.on("upgrade", (_request, socket) =>
      socket.end("HTTP/1.1 403 Forbidden\r\nx-own: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"),
    );
    const answer = await raw(`GET /rpc HTTP/1.1\r\n${HEAD}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\nx-own: 1\r\n/);
    expect(answer).toMatch(/\r\n\r\nno$/);
  });

  test("do not reach wrangler's live reload", async () => {
    worker.on("upgrade", () => expect.unreachable());
    expect(await raw(`GET /cdn-cgi/live-reload HTTP/1.1\r\n${HEAD}\r\n`)).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe("what is refused", () => {
  test.each([
    "/cdn-cgi",
    "/cdn-cgi/local/explorer",
    "/a/../cdn-cgi/x",
    "/a/%2e%2e/cdn-cgi/x",
    "/\\cdn-cgi/x",
    "/__cf_local/stream",
    "/.computer/build",
  ])("%s is not there", async (path) => {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain("ERR_NOT_FOUND");
  });

  test.each([
    ["two Hosts", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n"],
    ["no Host", "GET / HTTP/1.1\r\n"],
    ["an absolute address", "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n"],
    ["an asterisk", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n"],
    ...[
      "a@localhost",
      "localhost/x",
      "localhost, b",
      "localhost:99999",
      "a b",
      "[::1",
      "1.2.3.4.5",
      "a\tb",
      "",
    ].map((host) => [`the Host ${JSON.stringify(host)}`, `GET / HTTP/1.1\r\nHost: ${host}\r\n`]),
    ["no HTTP", "what is this\r\n"],
    ["a space in the path", "GET /a b HTTP/1.1\r\nHost: localhost\r\n"],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n",
    ],
  ])("%s is a bad request, and the server goes on", async (_name, head) => {
    const answer = await raw(`${head}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"ERR_BAD_REQUEST"');
    expect((await fetch(url("/"))).status).toBe(200);
  });

  test.each([
    "localhost",
    "LOCALHOST:1",
    "[::1]:8787",
    "127.0.0.1:8787",
    "xn--bcher-kva.example",
    "a_b.example",
  ])("the Host %s is for the worker to judge", async (host) => {
    const answer = await raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("headers without end are answered in words", async () => {
    const answer = await raw(`GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain("16 KiB");
  });
});

describe("a worker that is not there", () => {
  test("is waited for", async () => {
    const port = upstream.current;
    upstream.set(undefined);
    const asked = fetch(url("/"));
    await sleep(50);
    upstream.set(port);
    expect((await asked).status).toBe(200);
  });

  test("and does not answer is suspected; the caller may try again", async () => {
    handle = (request) => request.socket.destroy();
    const response = await fetch(url("/"));
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.json()).toMatchObject({ error: { code: "ERR_UNAVAILABLE" } });
    expect(suspected).toBe(1);
  });

  test("is not answered for by wrangler in words of its own", async () => {
    handle = (_request, response) => response.writeHead(503).end("Your worker restarted mid-request.");
    const response = await fetch(url("/"), { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await response.json()).toMatchObject({ error: { code: "ERR_UNAVAILABLE" } });
    expect(suspected).toBe(1);
    // A door's own failure is the worker's to tell.
    handle = (_request, response) =>
      response.writeHead(500, { "cross-origin-resource-policy": "same-origin" }).end("its own");
    expect(await (await fetch(url("/"))).text()).toBe("its own");
    expect(suspected).toBe(1);
  });

  test("and breaks off in the middle of an answer is not taken for having ended", async () => {
    handle = (request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.write("half", () => request.socket.destroy());
    };
    const response = await fetch(url("/"));
    await expect(response.text()).rejects.toThrow();
  });
});
