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
  return bytesToName(bytes.subarray(0, length));
}

/** Encodes a name as a URL's path segment. */
export function percentEncode(name: string): string {
  let encoded = "";
  for (const character of name) {
    const code = character.codePointAt(0) as number;
    if (code >= 0xdc80 && code <= 0xdcff) encoded += `%${(code - 0xdc00).toString(16).toUpperCase()}`;
    // A surrogate that stands for no byte has no place in a name; U+FFFD makes that seen.
    else encoded += encodeURIComponent(code >= 0xd800 && code <= 0xdfff ? "\ufffd" : character);
  }
  return encoded;
}

/** Bytes as a string, those that are not UTF-8 as lone surrogates. */
function bytesToName(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return decodeLossless(bytes);
  }
}

function decodeLossless(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  let index = 0;
  while (index < bytes.length) {
    const length = sequenceLength(bytes[index] as number);
    const part = bytes.subarray(index, index + length);
    let decoded: string | undefined;
    if (length > 0 && part.length === length) {
      try {
        decoded = decoder.decode(part);
      } catch {
        decoded = undefined;
      }
    }
    text += decoded ?? String.fromCharCode(0xdc00 + (bytes[index] as number));
    index += decoded === undefined ? 1 : length;
  }
  return text;
}

/** How many bytes the UTF-8 sequence has that begins with this one; 0 for none. */
function sequenceLength(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}
