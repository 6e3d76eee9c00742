import { ComputerError } from "../errors.ts";
import { base64ToBytes } from "./base64.ts";
import { BEARER_SUBPROTOCOL, TOKEN_TEXT } from "./protocol.ts";
import type { DoorEnv } from "./types.ts";

/** What a browser says of a request that no foreign site has asked for. */
const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "same-site", "none"]);

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether this is `computer dev` rather than a deployment. */
export function isDevelopment(env: DoorEnv): boolean {
  return env.COMPUTER_MODE === "development";
}

/**
 * Refuses a request for a host that is not ours: a page may have its own name resolve to this machine, and would
 * then be of one origin with it.
 */
export function checkHost(request: Request, env: DoorEnv): void {
  const host = hostOf(request);
  if (host !== undefined && allowsHost(host, env)) return;
  throw new ComputerError(
    "ERR_FORBIDDEN_HOST",
    `The host ${JSON.stringify(host ?? "")} is not one of this worker's. Add it to COMPUTER_HOSTS if it should be.`,
  );
}

/**
 * Refuses a request that a foreign page made. Answers the origin to tell the browser that its page may read the
 * answer: undefined for a request without one, or of the same origin.
 */
export function checkOrigin(request: Request, env: DoorEnv): string | undefined {
  const origin = request.headers.get("origin");
  if (origin === null) {
    // Pictures, scripts and the like are fetched without an origin, but browsers say that another site asks.
    // A link from there may be followed; that changes nothing here.
    const site = request.headers.get("sec-fetch-site");
    const follows =
      request.headers.get("sec-fetch-mode") === "navigate" && /^(?:GET|HEAD)$/.test(request.method);
    if (site !== null && !OWN_SITES.has(site) && !follows) {
      throw new ComputerError("ERR_FORBIDDEN_ORIGIN", "Pages of other sites cannot load from here.");
    }
    return undefined;
  }
  const parsed = parseOrigin(origin);
  if (parsed !== undefined) {
    if (isSameOrigin(parsed, request)) return undefined;
    if (list(env.COMPUTER_ORIGINS).some((allowed) => parseOrigin(allowed)?.origin === parsed.origin))
      return parsed.origin;
    if (isDevelopment(env) && allowsHost(parsed.host, env)) return parsed.origin;
  }
  throw new ComputerError(
    "ERR_FORBIDDEN_ORIGIN",
    `Pages of ${JSON.stringify(origin.slice(0, 200))} may not call this worker. Add it to COMPUTER_ORIGINS if they should.`,
  );
}

/** Refuses a request without the token. In development none is needed unless one is set. */
export function checkToken(request: Request, env: DoorEnv): void {
  const { COMPUTER_TOKEN: token } = env;
  if (!token) {
    if (isDevelopment(env)) return;
    throw new ComputerError(
      "ERR_UNAUTHORIZED",
      "This deployment answers nobody until the secret COMPUTER_TOKEN is set, or its agents have `static authorize`.",
    );
  }
  if (!TOKEN_TEXT.test(token)) {
    const fault =
      "COMPUTER_TOKEN must be visible ASCII characters without spaces; no request can carry this one.";
    console.error(fault);
    throw new ComputerError("ERR_UNAUTHORIZED", isDevelopment(env) ? fault : "The token is not usable.");
  }
  const offered = bearerOf(request);
  if (offered === undefined) {
    throw new ComputerError("ERR_UNAUTHORIZED", "Send the token: `Authorization: Bearer <token>`.");
  }
  if (!sameText(offered, token))
    throw new ComputerError("ERR_UNAUTHORIZED", "The token is not the right one.");
}

/** The token a request carries: in its header, or for a WebSocket of a browser in a subprotocol. */
export function bearerOf(request: Request): string | undefined {
  const header = /^Bearer +([^\s]+)\s*$/i.exec(request.headers.get("authorization") ?? "");
  if (header !== null) return header[1];
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return undefined;
  const offered = list(request.headers.get("sec-websocket-protocol") ?? undefined);
  const bearer = offered.find((protocol) => protocol.startsWith(BEARER_SUBPROTOCOL));
  const bytes = bearer === undefined ? undefined : base64ToBytes(bearer.slice(BEARER_SUBPROTOCOL.length));
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** Compares in a time that tells nothing of where two texts differ. */
export function sameText(offered: string, expected: string): boolean {
  const encoder = new TextEncoder();
  const left = encoder.encode(offered);
  const right = encoder.encode(expected);
  let difference = left.length ^ right.length;
  // As long as the one that was offered, whose length is no secret.
  for (let index = 0; index < left.length; index += 1) {
    difference |= (left[index] as number) ^ (right[index % (right.length || 1)] ?? 0);
  }
  return difference === 0;
}

/** The host and port a request is for, in lower case. */
function hostOf(request: Request): string | undefined {
  const host = request.headers.get("host") ?? /^https?:\/\/([^/?#]*)/i.exec(request.url)?.[1];
  return host === undefined || host === "" ? undefined : host.toLowerCase();
}

function allowsHost(host: string, env: DoorEnv): boolean {
  const name = nameOf(host);
  if (name === undefined) return false;
  if (isDevelopment(env) ? LOOPBACK.has(name) : name.endsWith(".workers.dev")) return true;
  return list(env.COMPUTER_HOSTS).some((entry) => {
    const allowed = entry.toLowerCase();
    if (allowed.startsWith("*.")) return name.endsWith(allowed.slice(1)) && name.length > allowed.length - 1;
    return allowed === host || allowed === name;
  });
}

/** A host without its port; undefined for what is no host. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(host)?.[1];
}

function parseOrigin(origin: string): { origin: string; host: string; protocol: string } | undefined {
  // `new URL` is lenient: it would take a path, credentials, or spaces.
  if (!/^https?:\/\/[^/?#@\s\\]+$/i.test(origin)) return undefined;
  try {
    return new URL(origin);
  } catch {
    return undefined;
  }
}

function isSameOrigin(origin: { host: string; protocol: string }, request: Request): boolean {
  const protocol = /^[a-z]+:/i.exec(request.url)?.[0].toLowerCase();
  const host = hostOf(request);
  if (host === undefined || protocol !== origin.protocol) return false;
  const port = protocol === "https:" ? ":443" : ":80";
  return origin.host === (host.endsWith(port) ? host.slice(0, -port.length) : host);
}

function list(text: string | undefined): string[] {
  return (text ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
}
