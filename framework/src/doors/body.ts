import { ComputerError } from "../errors.ts";
import { MAX_BODY_BYTES } from "./protocol.ts";

/** Reads a body as text, and stops as soon as it is longer than `limit` bytes. */
export async function readText(request: Request, limit: number = MAX_BODY_BYTES): Promise<string> {
  const tooLarge = () =>
    new ComputerError(
      "ERR_BODY_TOO_LARGE",
      `The body is larger than ${limit} bytes. Put large content as a file.`,
    );
  if (Number(request.headers.get("content-length") ?? 0) > limit) {
    await request.body?.cancel().catch(() => undefined);
    throw tooLarge();
  }
  if (request.body === null) return "";
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    chunks.push(value);
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
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ComputerError("ERR_BAD_JSON", `The body is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
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
