import { ComputerError } from "../errors.ts";
import { MAX_BODY_BYTES, MAX_DEPTH } from "./protocol.ts";

/** Bytes of a body that are still taken, and dropped, once it is known to be too large: 64 MiB. */
const MAX_DRAINED_BYTES = 64 * 1024 * 1024;

/** Reads a body as text, and keeps nothing of one that is longer than `limit` bytes. */
export async function readText(request: Request, limit: number = MAX_BODY_BYTES): Promise<string> {
  if (request.body === null) return "";
  const declared = Number(request.headers.get("content-length") ?? 0);
  const reader = request.body.getReader();
  let chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit || declared > limit) {
      chunks = [];
      // A client that is cut off while it sends never reads why, so it may finish within reason.
      if (Math.max(size, declared) > MAX_DRAINED_BYTES) {
        await reader.cancel().catch(() => undefined);
        break;
      }
    } else {
      chunks.push(value);
    }
  }
  if (size > limit || declared > limit) {
    throw new ComputerError(
      "ERR_BODY_TOO_LARGE",
      `The body is larger than ${limit} bytes. Put large content as a file.`,
    );
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ComputerError("ERR_BAD_JSON", "The body is not UTF-8.");
  }
}

/** Reads a body as JSON. */
export async function readJson(request: Request, limit: number = MAX_BODY_BYTES): Promise<unknown> {
  requireJson(request);
  const text = await readText(request, limit);
  if (text.trim() === "") throw new ComputerError("ERR_BAD_JSON", "The body is empty; send a JSON object.");
  if (nestsDeeper(text, MAX_DEPTH)) {
    throw new ComputerError("ERR_BAD_JSON", `The body nests deeper than ${MAX_DEPTH} levels.`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ComputerError("ERR_BAD_JSON", `The body is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/**
 * Whether lists and objects lie in each other deeper than that. Whatever walks a value later, a tool of the user's
 * too, recurses as deep; the engine's own parser goes on for millions.
 */
export function nestsDeeper(json: string, depth: number): boolean {
  let open = 0;
  let quoted = false;
  for (let index = 0; index < json.length; index += 1) {
    switch (json[index]) {
      case '"':
        quoted = !quoted;
        break;
      case "\\":
        index += 1;
        break;
      case "[":
      case "{":
        if (!quoted && ++open > depth) return true;
        break;
      case "]":
      case "}":
        if (!quoted) open -= 1;
        break;
    }
  }
  return false;
}

/**
 * A page may post to any server without asking it first as long as the content type is one of a form's, but then
 * its origin is named. So from a page only JSON is taken; from a command line any type, or none.
 */
export function requireJson(request: Request): void {
  if (!request.headers.has("origin")) return;
  const type = request.headers.get("content-type") ?? "";
  if (/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) return;
  throw new ComputerError("ERR_BAD_REQUEST", "A page must send content-type: application/json.");
}
