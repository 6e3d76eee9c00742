/**
 * Names are bytes; in the API they are strings. The mapping is one to one between all byte sequences and
 * the strings that `decodeName` can answer:
 *
 * - valid UTF-8 is the text it spells, nothing is normalised: NFC and NFD stay two names;
 * - a byte that is not part of valid UTF-8 is a lone surrogate U+DC80..U+DCFF, which goes back as that byte;
 * - any other lone surrogate (in JavaScript a legal string, in UTF-8 not) is the three bytes that UTF-8's
 *   scheme would give it, and is itself again when read.
 *
 * A few strings fall outside, because their bytes already spell another string (for example
 * "\uDCED\uDCA0\uDC80", whose bytes are those of "\uD800"): these are refused (`EILSEQ`), never silently
 * taken for the other name.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The bytes of a name or path, or undefined when no bytes stand for this string (see above).
 *
 * @example
 * ```ts
 * encodeName("caf\u00e9");  // 63 61 66 c3 a9
 * encodeName("caf\udce9");  // 63 61 66 e9: the Latin-1 byte, as a door or a mount delivered it
 * ```
 */
export function encodeName(name: string): Uint8Array | undefined {
  if (name.isWellFormed()) return encoder.encode(name);
  const bytes: number[] = [];
  for (let i = 0; i < name.length; i++) {
    const point = name.codePointAt(i) ?? 0;
    if (point >= 0x10000) {
      bytes.push(
        0xf0 | (point >> 18),
        continuation(point >> 12),
        continuation(point >> 6),
        continuation(point),
      );
      i++;
    } else if (isEscape(point)) bytes.push(point & 0xff);
    else if (point >= 0x800) bytes.push(0xe0 | (point >> 12), continuation(point >> 6), continuation(point));
    else if (point >= 0x80) bytes.push(0xc0 | (point >> 6), continuation(point));
    else bytes.push(point);
  }
  const encoded = Uint8Array.from(bytes);
  return decodeName(encoded) === name ? encoded : undefined;
}

/**
 * The string for a name's bytes. `encodeName` gives the same bytes back, whatever they are.
 *
 * @example
 * ```ts
 * decodeName(new Uint8Array([0x61, 0xff])); // "a\udcff"
 * ```
 */
export function decodeName(bytes: Uint8Array): string {
  if (bytes.length <= 64 && bytes.every(isAscii)) return String.fromCharCode(...bytes);
  try {
    return decoder.decode(bytes);
  } catch {
    return decodeLoosely(bytes);
  }
}

/** How many bytes the name takes; undefined when it stands for none. */
export function nameLength(name: string): number | undefined {
  return encodeName(name)?.length;
}

function decodeLoosely(bytes: Uint8Array): string {
  // From the left into tokens; then from the right, since a high surrogate may only stay where what
  // comes after it does not begin with a low one: the two together would be read as a single character.
  const tokens: { text: string; raw?: Uint8Array }[] = [];
  for (let i = 0; i < bytes.length; ) {
    const length = validLength(bytes, i);
    if (length > 0) {
      tokens.push({ text: decoder.decode(bytes.subarray(i, i + length)) });
      i += length;
      continue;
    }
    const surrogate = surrogateAt(bytes, i);
    if (surrogate === undefined || isEscape(surrogate)) {
      tokens.push({ text: escapeByte(bytes[i] ?? 0) });
      i += 1;
    } else {
      tokens.push({ text: String.fromCharCode(surrogate), raw: bytes.subarray(i, i + 3) });
      i += 3;
    }
  }
  let next = 0;
  for (let i = tokens.length - 1; i >= 0; i--) {
    const token = tokens[i] as { text: string; raw?: Uint8Array };
    if (token.raw !== undefined && isHigh(token.text.charCodeAt(0)) && isLow(next)) {
      token.text = Array.from(token.raw, escapeByte).join("");
    }
    next = token.text.charCodeAt(0);
  }
  return tokens.map((token) => token.text).join("");
}

/** The length of the valid UTF-8 sequence that begins here, or 0. */
function validLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const second = bytes[at + 1] ?? 0;
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (first < 0xc2 || first > 0xf4 || second < lowest || second > highest) return 0;
  for (let i = 2; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

/** The surrogate that these three bytes would be if UTF-8 allowed surrogates. */
function surrogateAt(bytes: Uint8Array, at: number): number | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
  if (first !== 0xed || second < 0xa0 || second > 0xbf || (third & 0xc0) !== 0x80) return undefined;
  return 0xd000 | ((second & 0x3f) << 6) | (third & 0x3f);
}

const continuation = (bits: number): number => 0x80 | (bits & 0x3f);
const isAscii = (byte: number): boolean => byte < 0x80;
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
const isEscape = (unit: number): boolean => unit >= 0xdc80 && unit <= 0xdcff;
const escapeByte = (byte: number): string => String.fromCharCode(0xdc00 | byte);
