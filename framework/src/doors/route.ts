import { ComputerError } from "../errors.ts";
import { percentDecode } from "./percent.ts";

/** Where a URL leads. */
export type Route =
  | { readonly door: "root" }
  | { readonly door: "rpc" | "exec"; readonly agent: string; readonly id: string }
  | { readonly door: "tools"; readonly agent: string; readonly id: string; readonly tool: string }
  | { readonly door: "files"; readonly agent: string; readonly id: string; readonly path: string };

const MAX_ID_BYTES = 256;

/**
 * Reads the route off a URL as it was sent, without `new URL`, which resolves `..` (and `%2e%2e`) before anyone
 * sees it. Where a server in front did that already (wrangler's does), the request is for what the resolved path
 * names; where none did, a dot segment is refused, so that both never differ in what they reach.
 */
export function parseRoute(url: string): Route {
  const segments = pathOf(url).split("/").slice(1);
  if (segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    throw new ComputerError("ERR_BAD_REQUEST", "A path here has no `.` or `..` segments.", {
      path: pathOf(url),
    });
  }
  if (segments.length === 1 && segments[0] === "") return { door: "root" };
  const [head, rawAgent, rawId, door, ...rest] = segments;
  if (head !== "agents" || rawAgent === undefined || rawAgent === "") throw notFound(url);
  const agent = decode(rawAgent, "agent");
  if (rawId === undefined || rawId === "") {
    throw new ComputerError("ERR_NOT_FOUND", `Which one? Agents are at /agents/${agent}/<id>/…`);
  }
  const id = parseId(rawId);
  const tail = rest.length === 0 || (rest.length === 1 && rest[0] === "");
  if ((door === "rpc" || door === "exec") && tail) return { door, agent, id };
  if (door === "tools" && rest.length === 1 && !tail) {
    return { door, agent, id, tool: decode(rest[0] as string, "tool") };
  }
  if (door === "files") return { door, agent, id, path: filePath(rest) };
  throw notFound(url);
}

function pathOf(url: string): string {
  const start = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0].length ?? 0;
  const path = url.slice(start).replace(/[?#].*$/s, "");
  return path === "" ? "/" : path;
}

function parseId(raw: string): string {
  const id = decode(raw, "id");
  if (new TextEncoder().encode(id).length > MAX_ID_BYTES) {
    throw new ComputerError("ERR_BAD_REQUEST", `An agent's id has at most ${MAX_ID_BYTES} bytes.`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\u007f/]/.test(id) || !id.isWellFormed()) {
    throw new ComputerError(
      "ERR_BAD_REQUEST",
      "An agent's id is UTF-8 text without control characters and slashes.",
    );
  }
  return id;
}

function filePath(segments: readonly string[]): string {
  const names = segments.map((segment) => decode(segment, "path"));
  for (const name of names) {
    if (name.includes("\0")) {
      throw new ComputerError("ERR_BAD_REQUEST", "A file's name has no NUL byte.", {
        path: `/${names.join("/")}`,
      });
    }
    // `%2F` would be a slash within a name, which no file system has.
    if (name.includes("/")) {
      throw new ComputerError("ERR_BAD_REQUEST", "A file's name has no slash (%2F).", {
        path: `/${names.join("/")}`,
      });
    }
  }
  return `/${names.join("/")}`;
}

function decode(segment: string, what: string): string {
  const decoded = percentDecode(segment);
  if (decoded !== undefined) return decoded;
  throw new ComputerError(
    "ERR_BAD_REQUEST",
    `The ${what} in the URL has a % that two hexadecimal digits do not follow.`,
  );
}

function notFound(url: string): ComputerError {
  return new ComputerError(
    "ERR_NOT_FOUND",
    `There is no door at ${pathOf(url).slice(0, 200)}. GET / lists what is here.`,
  );
}
