import { invalidType, invalidValue } from "./errors.ts";
import type { Encoding } from "./types.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Content as bytes. */
export function toBytes(data: unknown): Uint8Array {
  if (typeof data === "string") return encoder.encode(data);
  if (data instanceof Uint8Array) return data;
  throw invalidType("data", "of type string or an instance of Uint8Array", data);
}

/** Bytes as text; a byte-order mark is part of it. */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The encoding asked for; undefined for bytes. */
export function checkEncoding(encoding: unknown): Encoding | undefined {
  if (encoding === undefined || encoding === null) return undefined;
  if (encoding === "utf8" || encoding === "utf-8") return encoding;
  throw invalidValue(
    "encoding",
    "is not an encoding of this file system: 'utf8', or none for bytes",
    encoding,
  );
}
