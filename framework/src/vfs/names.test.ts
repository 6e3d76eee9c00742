import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeName, encodeName } from "./names.ts";

/** Bytes with many near misses of UTF-8, surrogates above all. */
const bytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        0x41,
        0x80,
        0xbf,
        0xc0,
        0xc3,
        0xe0,
        0xed,
        0xa0,
        0xaf,
        0xb0,
        0xb2,
        0xf0,
        0xf4,
        0x90,
        0xff,
      ),
      fc.integer({ min: 0, max: 255 }),
    ),
    { maxLength: 12 },
  )
  .map((list) => Uint8Array.from(list));

const surrogateBytes = fc
  .array(
    fc.tuple(fc.constant(0xed), fc.integer({ min: 0xa0, max: 0xbf }), fc.integer({ min: 0x80, max: 0xbf })),
    { maxLength: 4 },
  )
  .map((list) => Uint8Array.from(list.flat()));

/** Strings of any code units. */
const strings = fc
  .array(
    fc.oneof(
      fc.constantFrom(0xd800, 0xdbff, 0xdc00, 0xdc80, 0xdcff, 0xdced, 0xdca0, 0xdfff, 0x41),
      fc.integer({ min: 1, max: 0xffff }),
    ),
    { maxLength: 8 },
  )
  .map((units) => String.fromCharCode(...units));

describe("names", () => {
  test("all bytes come back as they were, and different bytes are different strings", () => {
    fc.assert(
      fc.property(fc.oneof(bytes, surrogateBytes), fc.oneof(bytes, surrogateBytes), (a, b) => {
        expect(encodeName(decodeName(a))).toEqual(a);
        expect(decodeName(a) === decodeName(b)).toBe(Buffer.compare(a, b) === 0);
      }),
      { numRuns: 5000 },
    );
  });

  test("every string comes back as it was or is refused, and different strings are different bytes", () => {
    let refused = 0;
    let lone = 0;
    fc.assert(
      fc.property(strings, (text) => {
        const encoded = encodeName(text);
        if (encoded === undefined) refused++;
        else expect(decodeName(encoded)).toBe(text);
        if (!text.isWellFormed()) lone++;
        else expect(encoded).toEqual(new TextEncoder().encode(text));
      }),
      { numRuns: 5000 },
    );
    // Most strings with lone surrogates are fine; those that spell another name byte by byte are not.
    expect(lone).toBeGreaterThan(1000);
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(lone / 2);
  });

  test("single lone surrogates are never refused", () => {
    for (let unit = 0xd800; unit <= 0xdfff; unit++) {
      const text = String.fromCharCode(unit);
      expect(decodeName(encodeName(text) ?? new Uint8Array())).toBe(text);
    }
  });

  test("bytes that are not UTF-8 are the surrogates U+DC80 to U+DCFF", () => {
    expect(decodeName(new Uint8Array([0x61, 0xff, 0x80]))).toBe("a\udcff\udc80");
    expect(encodeName("caf\udce9")).toEqual(new Uint8Array([0x63, 0x61, 0x66, 0xe9]));
    expect(decodeName(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).toBe("\ufeffa");
  });
});
