import { describe, expect, test, vi } from "vitest";
import { bearerOf, checkHost, checkOrigin, checkToken, sameText } from "./guards.ts";
import type { DoorEnv } from "./types.ts";

const development: DoorEnv = { COMPUTER_MODE: "development" };

/** A request as workerd hands it over: `Request` here would drop the headers that matter. */
function request(headers: Record<string, string>, url = "http://127.0.0.1:8787/"): Request {
  return { url, headers: new Headers(headers) } as unknown as Request;
}

const code = (work: () => unknown): unknown => {
  try {
    work();
    return "allowed";
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("hosts", () => {
  test.each([
    ["localhost", "allowed"],
    ["LOCALHOST:1", "allowed"],
    ["127.0.0.1:65535", "allowed"],
    ["[::1]:8787", "allowed"],
    ["[::1]", "allowed"],
    ["localhost:", "ERR_FORBIDDEN_HOST"],
    ["localhost:8787:1", "ERR_FORBIDDEN_HOST"],
    ["localhost.", "ERR_FORBIDDEN_HOST"],
    ["127.0.0.1.nip.io", "ERR_FORBIDDEN_HOST"],
    ["127.1", "ERR_FORBIDDEN_HOST"],
    ["0.0.0.0", "ERR_FORBIDDEN_HOST"],
    ["evil.example", "ERR_FORBIDDEN_HOST"],
    ["localhost@evil.example", "ERR_FORBIDDEN_HOST"],
    ["localhost/evil.example", "ERR_FORBIDDEN_HOST"],
    ["localhost, evil.example", "ERR_FORBIDDEN_HOST"],
    ["x.workers.dev", "ERR_FORBIDDEN_HOST"],
  ])("in development: %s", (host, expected) => {
    expect(code(() => checkHost(request({ host }), development))).toBe(expected);
  });

  test.each([
    ["a.workers.dev", "allowed"],
    ["a.b.workers.dev", "allowed"],
    ["aworkers.dev", "ERR_FORBIDDEN_HOST"],
    ["workers.dev.evil.example", "ERR_FORBIDDEN_HOST"],
    ["localhost", "ERR_FORBIDDEN_HOST"],
    ["agents.example.com", "allowed"],
    ["agents.example.com:1", "allowed"],
    ["ported.example.com", "ERR_FORBIDDEN_HOST"],
    ["ported.example.com:8443", "allowed"],
    ["deep.er.example.org", "allowed"],
    ["example.org", "ERR_FORBIDDEN_HOST"],
  ])("in a deployment: %s", (host, expected) => {
    const env = { COMPUTER_HOSTS: "Agents.example.com,ported.example.com:8443  *.example.org" };
    expect(code(() => checkHost(request({ host }), env))).toBe(expected);
  });

  test("a request that names none is judged by its URL", () => {
    expect(code(() => checkHost(request({}, "http://localhost:1/x"), development))).toBe("allowed");
    expect(code(() => checkHost(request({}, "http://evil.example/x"), development))).toBe(
      "ERR_FORBIDDEN_HOST",
    );
  });
});

describe("origins", () => {
  const fetched = (method: string, site: string, mode: string) => {
    const headers = { host: "localhost", "sec-fetch-site": site, "sec-fetch-mode": mode };
    return code(() => checkOrigin({ ...request(headers), method } as Request, development));
  };

  test.each([
    ["GET", "none", "navigate", "allowed"],
    ["POST", "same-origin", "cors", "allowed"],
    ["GET", "same-site", "no-cors", "allowed"],
    ["GET", "cross-site", "navigate", "allowed"],
    ["HEAD", "cross-site", "navigate", "allowed"],
    ["GET", "cross-site", "no-cors", "ERR_FORBIDDEN_ORIGIN"],
    ["GET", "cross-site", "", "ERR_FORBIDDEN_ORIGIN"],
    ["POST", "cross-site", "navigate", "ERR_FORBIDDEN_ORIGIN"],
    ["DELETE", "cross-site", "navigate", "ERR_FORBIDDEN_ORIGIN"],
    ["GET", "cross-site, same-origin", "no-cors", "ERR_FORBIDDEN_ORIGIN"],
    ["GET", "what comes next", "no-cors", "ERR_FORBIDDEN_ORIGIN"],
  ])("without an origin, %s from %s by %s", (method, site, mode, expected) => {
    expect(fetched(method, site, mode)).toBe(expected);
  });

  const at = (origin: string, env: DoorEnv, url = "http://127.0.0.1:8787/") =>
    checkOrigin(request({ origin, host: new URL(url).host }, url), env);

  test("none, and the same, need no leave to read", () => {
    expect(checkOrigin(request({ host: "localhost" }), development)).toBeUndefined();
    expect(at("http://127.0.0.1:8787", development)).toBeUndefined();
    expect(at("https://a.workers.dev", {}, "https://a.workers.dev/")).toBeUndefined();
  });

  test("in development other servers on this machine may call", () => {
    expect(at("http://localhost:3000", development)).toBe("http://localhost:3000");
    expect(at("https://[::1]:3000", development)).toBe("https://[::1]:3000");
  });

  test("those that are listed may call, whole and exactly", () => {
    const env = { COMPUTER_ORIGINS: "https://app.example.com, http://old.example.com:8080/" };
    expect(at("https://app.example.com", env, "https://a.workers.dev/")).toBe("https://app.example.com");
    for (const origin of [
      "http://app.example.com",
      "https://app.example.com:444",
      "https://app.example.com.evil.example",
      "https://evil.example/https://app.example.com",
    ]) {
      expect(code(() => at(origin, env, "https://a.workers.dev/"))).toBe("ERR_FORBIDDEN_ORIGIN");
    }
  });

  test.each([
    "null",
    "",
    "file://",
    "http://",
    "http://localhost@evil.example",
    "http://localhost.evil.example",
    "chrome-extension://abc",
    "http://evil.example#http://localhost",
    "HTTP//localhost",
  ])("refused in development: %j", (origin) => {
    expect(code(() => at(origin, development))).toBe("ERR_FORBIDDEN_ORIGIN");
  });

  test("the same name by another scheme or port is another origin", () => {
    const url = "https://a.workers.dev/";
    expect(code(() => at("http://a.workers.dev", {}, url))).toBe("ERR_FORBIDDEN_ORIGIN");
    expect(code(() => at("https://a.workers.dev:8443", {}, url))).toBe("ERR_FORBIDDEN_ORIGIN");
    expect(code(() => at("https://b.workers.dev", {}, url))).toBe("ERR_FORBIDDEN_ORIGIN");
  });
});

describe("tokens", () => {
  test("are taken from the header, or of a WebSocket from a subprotocol", () => {
    expect(bearerOf(request({ authorization: "Bearer abc" }))).toBe("abc");
    expect(bearerOf(request({ authorization: "bearer  abc " }))).toBe("abc");
    expect(bearerOf(request({ authorization: "Bearer a b" }))).toBeUndefined();
    expect(bearerOf(request({ authorization: "Basic abc" }))).toBeUndefined();
    const protocols = { "sec-websocket-protocol": "computer, computer.bearer.YWJj" };
    expect(bearerOf(request({ ...protocols, upgrade: "WebSocket" }))).toBe("abc");
    expect(bearerOf(request(protocols))).toBeUndefined();
    expect(
      bearerOf(request({ upgrade: "websocket", "sec-websocket-protocol": "computer.bearer.!" })),
    ).toBeUndefined();
  });

  test("an empty secret is none", () => {
    const asked = request({ authorization: "Bearer x" });
    expect(code(() => checkToken(asked, { COMPUTER_TOKEN: "" }))).toBe("ERR_UNAUTHORIZED");
    expect(code(() => checkToken(asked, { ...development, COMPUTER_TOKEN: "" }))).toBe("allowed");
  });

  test.each(["two words", "t\u00f6ken", "token\n"])(
    "%j, which no header carries, is said to be so",
    (token) => {
      const asked = request({ authorization: `Bearer ${token.trim()}` });
      const message = (env: DoorEnv) => {
        try {
          checkToken(asked, { ...env, COMPUTER_TOKEN: token });
        } catch (error) {
          return (error as Error).message;
        }
      };
      const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
      expect(message(development)).toMatch(/visible ASCII/);
      expect(message({})).not.toMatch(/ASCII/);
      expect(log).toHaveBeenCalledTimes(2);
      log.mockRestore();
    },
  );

  test("are compared whole", () => {
    expect(sameText("secret", "secret")).toBe(true);
    expect(sameText("", "")).toBe(true);
    for (const [offered, expected] of [
      ["secre", "secret"],
      ["secrets", "secret"],
      ["secretsecret", "secret"],
      ["", "secret"],
      ["secret", ""],
      ["\0", ""],
      ["sécret", "secret"],
    ] as const) {
      expect([offered, sameText(offered, expected)]).toEqual([offered, false]);
    }
  });
});
