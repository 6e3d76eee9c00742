/**
 * Names are bytes. In the tree a name is a string of one character per byte (`latin1`), which costs one
 * byte per byte and compares at once. Outside it is text as everywhere in this framework: a byte that is
 * not UTF-8 appears as a lone surrogate U+DC80..U+DCFF.
 */

/** The longest name, in bytes. */
export const NAME_MAX = 255;

/** The text of a name of the tree. */
export function nameToText(name: string): string {
  if (isAscii(name)) return name;
  const bytes = Buffer.from(name, "latin1");
  const text = bytes.toString("utf8");
  if (!text.includes("\uFFFD") || Buffer.from(text, "utf8").equals(bytes)) return text;
  return decodeLossless(bytes);
}

/** A name of the tree from its text; undefined for what no name can be: empty, `.`, `..`, with `/` or NUL. */
export function nameFromText(text: string): string | undefined {
  const name = isAscii(text) ? text : encodeLossless(text).toString("latin1");
  return isName(name) ? name : undefined;
}

/** Whether a name of the tree may stand in a directory, its length aside. */
export function isName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("/") && !name.includes("\0");
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

function decodeLossless(bytes: Buffer): string {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at, strict);
    text +=
      length === 0
        ? String.fromCharCode(0xdc00 + (bytes[at] as number))
        : strict.decode(bytes.subarray(at, at + length));
    at += Math.max(1, length);
  }
  return text;
}

/** How long the valid UTF-8 sequence at an offset is; 0 when there is none. */
function sequenceLength(bytes: Buffer, at: number, strict: InstanceType<typeof TextDecoder>): number {
  const lead = bytes[at] as number;
  const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  try {
    strict.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}

function encodeLossless(text: string): Buffer {
  const parts: Buffer[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    parts.push(code >= 0xdc80 && code <= 0xdcff ? Buffer.from([code - 0xdc00]) : Buffer.from(character));
  }
  return Buffer.concat(parts);
}
