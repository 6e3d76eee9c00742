import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawRequest, type Served, serve } from "./serve.ts";

const TOKEN = "s3cret-t0ken";
const DEPLOYED_HOST = "notes.example.workers.dev";
const base = "/agents/notes/matrix";

interface Door {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** What it answers when all is well. */
  readonly status: number;
}

const upgrade = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};
const json = { "content-type": "application/json" };

const doors: Record<string, Door> = {
  root: { path: "/", status: 200 },
  "rpc by WebSocket": { path: `${base}/rpc`, headers: upgrade, status: 101 },
  "rpc by batch": { method: "POST", path: `${base}/rpc`, headers: json, body: "", status: 200 },
  tools: { method: "POST", path: `${base}/tools/whoAmI`, headers: json, body: "{}", status: 200 },
  "files: read": { path: `${base}/files/`, status: 200 },
  "files: write": { method: "PUT", path: `${base}/files/kept.txt`, body: "kept", status: 204 },
  "files: delete": { method: "DELETE", path: `${base}/files/gone.txt`, status: 404 },
  exec: { method: "POST", path: `${base}/exec`, headers: json, body: '{"source":"say hi"}', status: 200 },
};

interface Mode {
  readonly bindings: Record<string, string>;
  readonly host?: string;
  /** The status and code of a request without a token, and with a wrong one. */
  readonly noToken: number;
  readonly wrongToken: number;
  readonly rightToken: number;
}

const modes: Record<string, Mode> = {
  development: {
    bindings: { COMPUTER_MODE: "development" },
    noToken: 0,
    wrongToken: 0,
    rightToken: 0,
  },
  "development with a token": {
    bindings: { COMPUTER_MODE: "development", COMPUTER_TOKEN: TOKEN },
    noToken: 401,
    wrongToken: 401,
    rightToken: 0,
  },
  deployment: {
    bindings: { COMPUTER_TOKEN: TOKEN },
    host: DEPLOYED_HOST,
    noToken: 401,
    wrongToken: 401,
    rightToken: 0,
  },
  "deployment without a token": {
    bindings: {},
    host: DEPLOYED_HOST,
    noToken: 401,
    wrongToken: 401,
    rightToken: 401,
  },
  "deployment in a mode nobody knows": {
    bindings: { COMPUTER_MODE: "production", COMPUTER_TOKEN: TOKEN },
    host: DEPLOYED_HOST,
    noToken: 401,
    wrongToken: 401,
    rightToken: 0,
  },
};

const codes: Record<number, string> = {
  401: "ERR_UNAUTHORIZED",
  403: "ERR_FORBIDDEN_ORIGIN",
  421: "ERR_FORBIDDEN_HOST",
};

describe.each(Object.entries(modes))("%s", (_name, mode) => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(mode.bindings);
    // So that writing answers the same each time.
    const headers = { host: mode.host ?? "127.0.0.1", authorization: `Bearer ${TOKEN}` };
    await rawRequest(served.port, `${base}/files/kept.txt`, { method: "PUT", headers, body: "first" });
  });
  afterAll(() => served[Symbol.asyncDispose]());

  describe.each(Object.entries(doors))("%s", (_door, door) => {
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const cases: [string, Record<string, string>, number][] = [
      ["no token", {}, mode.noToken],
      ["a wrong token", bearer("s3cret-t0kem"), mode.wrongToken],
      ["an empty token", { authorization: "Bearer " }, mode.noToken],
      ["the token by another scheme", { authorization: `Basic ${TOKEN}` }, mode.noToken],
      ["a foreign host", { ...bearer(TOKEN), host: "evil.example" }, 421],
      [
        "a host that begins as ours",
        { ...bearer(TOKEN), host: `${mode.host ?? "localhost"}.evil.example` },
        421,
      ],
      ["a foreign origin", { ...bearer(TOKEN), origin: "https://evil.example" }, 403],
      ["no origin but a null one", { ...bearer(TOKEN), origin: "null" }, 403],
      ["an origin that begins as ours", { ...bearer(TOKEN), origin: "http://localhost.evil.example" }, 403],
      ["all wrong", { host: "evil.example", origin: "https://evil.example" }, 421],
      ["a foreign origin and no token", { origin: "https://evil.example" }, 403],
      ["the token", bearer(TOKEN), mode.rightToken],
    ];

    test.each(cases)("%s", async (_case, headers, expected) => {
      const answer = await rawRequest(served.port, door.path, {
        ...(door.method && { method: door.method }),
        ...(door.body !== undefined && { body: door.body }),
        headers: { host: mode.host ?? `127.0.0.1:${served.port}`, ...door.headers, ...headers },
      });
      expect({ status: answer.status, code: answer.code }).toEqual(
        expected === 0
          ? { status: door.status, code: door.status === 404 ? "ENOENT" : undefined }
          : { status: expected, code: codes[expected] },
      );
      if (expected === 401) expect(answer.headers["www-authenticate"]).toBe("Bearer");
      if (expected !== 0) expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    });
  });
});

describe("beyond the matrix", () => {
  const bindings = {
    COMPUTER_TOKEN: TOKEN,
    COMPUTER_HOSTS: "agents.example.com, *.example.org",
    COMPUTER_ORIGINS: "https://app.example.com",
  };
  let served: Served;
  beforeAll(async () => {
    served = await serve(bindings);
  });
  afterAll(() => served[Symbol.asyncDispose]());
  const ask = (path: string, headers: Record<string, string>, method = "GET") =>
    rawRequest(served.port, path, { method, headers: { host: DEPLOYED_HOST, ...headers } });
  const token = { authorization: `Bearer ${TOKEN}` };

  test("a browser's WebSocket hands its token over in a subprotocol, which is not echoed", async () => {
    const offer = (secret: string) => ({
      ...upgrade,
      "sec-websocket-protocol": `computer, computer.bearer.${Buffer.from(secret).toString("base64url")}`,
    });
    const good = await ask(`${base}/rpc`, offer(TOKEN));
    expect(good.status).toBe(101);
    expect(good.headers["sec-websocket-protocol"]).toBe("computer");
    expect((await ask(`${base}/rpc`, offer("wrong"))).code).toBe("ERR_UNAUTHORIZED");
    // Only a WebSocket may: elsewhere a header can be set.
    expect(
      (await ask("/", { "sec-websocket-protocol": offer(TOKEN)["sec-websocket-protocol"] })).status,
    ).toBe(401);
  });

  test.each([
    ["agents.example.com", 200],
    ["AGENTS.example.com:8443", 200],
    ["a.example.org", 200],
    ["example.org", 421],
    ["xexample.org", 421],
    ["localhost", 421],
    ["agents.example.com.", 421],
    ["workers.dev", 421],
  ])("the host %s", async (host, status) => {
    expect((await ask("/", { ...token, host })).status).toBe(status);
  });

  test("an allowed origin may ask beforehand and read the answer, no other may", async () => {
    const origin = "https://app.example.com";
    const preflight = { origin, "access-control-request-method": "POST" };
    const asked = await ask(`${base}/tools/whoAmI`, preflight, "OPTIONS");
    expect(asked.status).toBe(204);
    expect(asked.headers["access-control-allow-origin"]).toBe(origin);
    expect(asked.headers["access-control-allow-headers"]).toContain("authorization");
    const refused = await ask(
      `${base}/tools/whoAmI`,
      { ...preflight, origin: "https://evil.example" },
      "OPTIONS",
    );
    expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
    const read = await ask("/", { ...token, origin });
    expect([read.status, read.headers["access-control-allow-origin"]]).toEqual([200, origin]);
    // It may also read why it was refused.
    expect((await ask("/", { origin })).headers["access-control-allow-origin"]).toBe(origin);
    expect(read.headers.vary).toContain("origin");
  });

  test("what another site embeds is refused, what a person opens is not", async () => {
    const site = { ...token, "sec-fetch-site": "cross-site" };
    expect((await ask("/", { ...site, "sec-fetch-mode": "no-cors" })).code).toBe("ERR_FORBIDDEN_ORIGIN");
    expect((await ask("/", { ...site, "sec-fetch-mode": "navigate" })).status).toBe(200);
    expect((await ask("/", token)).headers["cross-origin-resource-policy"]).toBe("same-origin");
  });

  test("an agent's own hook decides for it, and for nothing else", async () => {
    const path = "/agents/private-notes/a/tools/whoAmI";
    const call = (headers: Record<string, string>) =>
      rawRequest(served.port, path, {
        method: "POST",
        headers: { host: DEPLOYED_HOST, ...headers },
        body: "{}",
      });
    expect((await call({ "x-user": "ann" })).text).toBe('"a"');
    expect((await call({ "x-user": "bob" })).code).toBe("ERR_UNAUTHORIZED");
    expect((await call(token)).code).toBe("ERR_UNAUTHORIZED");
    expect((await ask("/", { "x-user": "ann" })).code).toBe("ERR_UNAUTHORIZED");
    expect((await ask(`${base}/files/`, { "x-user": "ann" })).code).toBe("ERR_UNAUTHORIZED");
  });

  test("without the token nobody learns which agents there are", async () => {
    const answers = await Promise.all(
      ["/agents/nobody/a/files/", `${base}/files/`, "/nowhere", "/agents"].map((path) => ask(path, {})),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});
