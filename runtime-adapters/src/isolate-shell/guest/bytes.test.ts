import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesFromLatin1, decodeText, encodeText, latin1FromBytes } from "./bytes.ts";

describe("text that keeps every byte", () => {
  test("any bytes come back as they were", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(encodeText(decodeText(bytes))).toEqual(bytes);
        expect(bytesFromLatin1(latin1FromBytes(bytes))).toEqual(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  test("bytes near the edges of UTF-8 come back as they were", () => {
    const edges = [0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1];
    edges.push(0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff, 0xbb);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...edges), { maxLength: 12 }), (list) => {
        const bytes = Uint8Array.from(list);
        expect(encodeText(decodeText(bytes))).toEqual(bytes);
      }),
      { numRuns: 5000 },
    );
  });

  test("valid UTF-8 is the text that it says, a byte order mark included", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const bytes = new TextEncoder().encode(text);
        expect(decodeText(bytes)).toBe(text);
        expect(encodeText(text)).toEqual(bytes);
      }),
    );
    expect(decodeText(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe("\ufeffa");
  });

  test("what is not UTF-8 becomes lone surrogates, byte by byte", () => {
    expect(decodeText(Uint8Array.of(0x61, 0xff, 0xc3, 0xa9, 0xc3))).toBe("a\udcffé\udcc3");
    // A surrogate in UTF-8 is no character.
    expect(decodeText(Uint8Array.of(0xed, 0xa0, 0x80))).toBe("\udced\udca0\udc80");
  });

  test("halves that meet again are a character", () => {
    const halves = decodeText(Uint8Array.of(0xc3)) + decodeText(Uint8Array.of(0xa9));
    expect(new TextDecoder().decode(encodeText(halves))).toBe("é");
  });

  test("a lone surrogate that stands for no byte is replaced, and pairs stay whole", () => {
    expect(new TextDecoder().decode(encodeText("a\ud800b\udfffc🙂\udcff").subarray(0, -1))).toBe(
      "a\ufffdb\ufffdc🙂",
    );
  });
});
