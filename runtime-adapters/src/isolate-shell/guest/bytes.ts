/**
 * Text that keeps every byte. The interpreter works on JavaScript strings; a byte that is not part of
 * valid UTF-8 becomes a lone surrogate U+DC80..U+DCFF and goes back as that byte, as in the names of the
 * workspace, so what passes through a pipe, a variable or a function comes out as it went in.
 */

// By way of globalThis: in the bundle the bare names stand for the coders of `text-coders.ts`.
const strict = new globalThis.TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new globalThis.TextEncoder();
const CHUNK = 8192;

/** Decodes UTF-8, keeping what is not UTF-8 as lone surrogates. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeMixed(bytes);
  }
}

/** The inverse of {@link decodeText}. */
export function encodeText(text: string): Uint8Array {
  return text.isWellFormed() ? encoder.encode(text) : encodeMixed(text);
}

/** A string with one character per byte. */
export function latin1FromBytes(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode.apply(null, bytes.subarray(at, at + CHUNK) as unknown as number[]);
  }
  return text;
}

/** The inverse of {@link latin1FromBytes}. */
export function bytesFromLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

function decodeMixed(bytes: Uint8Array): string {
  const parts: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const start = at;
    for (;;) {
      const length = sequenceLength(bytes, at);
      if (length === 0) break;
      at += length;
    }
    if (at > start) parts.push(strict.decode(bytes.subarray(start, at)));
    const escaped = at;
    while (at < bytes.length && sequenceLength(bytes, at) === 0) at++;
    for (let i = escaped; i < at; i += CHUNK) {
      const chunk = bytes.subarray(i, Math.min(i + CHUNK, at));
      parts.push(
        String.fromCharCode.apply(
          null,
          Array.from(chunk, (byte) => 0xdc00 + byte),
        ),
      );
    }
  }
  return parts.join("");
}

/** The length of the valid UTF-8 sequence at an index; 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === undefined) return 0;
  if (first < 0x80) return 1;
  const second = bytes[at + 1] ?? 0;
  if (first >= 0xc2 && first <= 0xdf) return isTail(second) ? 2 : 0;
  const third = isTail(bytes[at + 2] ?? 0);
  if (first >= 0xe0 && first <= 0xef) {
    const least = first === 0xe0 ? 0xa0 : 0x80;
    const most = first === 0xed ? 0x9f : 0xbf;
    return second >= least && second <= most && third ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const least = first === 0xf0 ? 0x90 : 0x80;
    const most = first === 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= most && third && isTail(bytes[at + 3] ?? 0) ? 4 : 0;
  }
  return 0;
}

function isTail(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function encodeMixed(text: string): Uint8Array {
  const parts: Uint8Array[] = [];
  let start = 0;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff && isLow(text.charCodeAt(at + 1))) {
      at += 2;
    } else if (unit >= 0xdc80 && unit <= 0xdcff) {
      if (at > start) parts.push(encoder.encode(text.slice(start, at)));
      const escaped = at;
      while (text.charCodeAt(at) >= 0xdc80 && text.charCodeAt(at) <= 0xdcff) at++;
      parts.push(Uint8Array.from({ length: at - escaped }, (_, i) => text.charCodeAt(escaped + i) - 0xdc00));
      start = at;
    } else {
      at++;
    }
  }
  if (at > start) parts.push(encoder.encode(text.slice(start)));
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
