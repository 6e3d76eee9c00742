import { TOKEN_TEXT } from "../doors/protocol.ts";
import { ComputerError } from "../errors.ts";
import type { ConnectOptions } from "./types.ts";

/** Checked options. */
export interface Target {
  /** The worker's address without a slash at its end. */
  readonly base: string;
  readonly token: string | undefined;
  readonly transport: "websocket" | "batch";
  readonly connectTimeoutMs: number;
}

/** Checks what `connect` was given. */
export function checkOptions(options: ConnectOptions): Target {
  if (typeof options !== "object" || options === null)
    throw bad("options", "must be an object with a url", "");
  const { url, token, transport = "websocket", connectTimeoutMs = 10_000 } = options;
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (error) {
    throw bad(
      "url",
      `must be an absolute URL, like "http://127.0.0.1:8787", got ${JSON.stringify(url)}`,
      "/url",
      error,
    );
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw bad("url", `must begin with http: or https:, got ${parsed.protocol}`, "/url");
  }
  if (parsed.username !== "" || parsed.password !== "")
    throw bad("url", "must not hold credentials; use token", "/url");
  if (parsed.search !== "" || parsed.hash !== "")
    throw bad("url", "must not have a query or a fragment", "/url");
  if (token !== undefined && (typeof token !== "string" || !TOKEN_TEXT.test(token))) {
    throw bad("token", "must be a string of visible ASCII characters without spaces", "/token");
  }
  if (transport !== "websocket" && transport !== "batch") {
    throw bad("transport", `must be "websocket" or "batch", got ${JSON.stringify(transport)}`, "/transport");
  }
  if (typeof connectTimeoutMs !== "number" || !(connectTimeoutMs > 0)) {
    throw bad("connectTimeoutMs", "must be a number above 0", "/connectTimeoutMs");
  }
  return { base: parsed.origin + parsed.pathname.replace(/\/+$/, ""), token, transport, connectTimeoutMs };
}

function bad(name: string, what: string, path: string, cause?: unknown): ComputerError {
  return new ComputerError("ERR_BAD_ARGUMENT", `${name}: ${what}`, { path, cause });
}
