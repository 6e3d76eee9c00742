import { decodeName, encodeName } from "../vfs/names.ts";

/**
 * Percent-encoding of names that are bytes. A byte that is not part of valid UTF-8 appears in a string as a lone
 * surrogate U+DC80..U+DCFF, as everywhere in this framework.
 */

/** Decodes a URL's path segment; undefined when a `%` is not followed by two hexadecimal digits. */
export function percentDecode(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  if (!text.includes("%")) return text;
  const source = new TextEncoder().encode(text);
  const bytes = new Uint8Array(source.length);
  let length = 0;
  for (let index = 0; index < source.length; index += 1) {
    let byte = source[index] as number;
    if (byte === 0x25) {
      byte = Number.parseInt(
        String.fromCharCode(source[index + 1] as number, source[index + 2] as number),
        16,
      );
      index += 2;
    }
    bytes[length++] = byte;
  }
  return decodeName(bytes.subarray(0, length));
}

/** Encodes a name as a URL's path segment; undefined for a string that stands for no bytes. */
export function percentEncode(name: string): string | undefined {
  const bytes = encodeName(name);
  if (bytes === undefined) return undefined;
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9._~-]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
