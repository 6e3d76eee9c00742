import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeName } from "../vfs/names.ts";
import { percentDecode, percentEncode } from "./percent.ts";

test.each([
  ["plain", "plain"],
  ["a%20b", "a b"],
  ["caf%C3%A9", "café"],
  ["%FF", "\udcff"],
  ["%ed%a0%80", "\ud800"],
  ["+", "+"],
  ["é%41", "éA"],
  ["%2F", "/"],
])("%s decodes", (text, name) => {
  expect(percentDecode(text)).toBe(name);
});

test.each(["%", "%4", "%zz", "a%-1", "%%41"])("%s does not", (text) => {
  expect(percentDecode(text)).toBeUndefined();
});

test("every name comes back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const name = decodeName(bytes);
      expect(percentDecode(percentEncode(name) ?? "")).toBe(name);
    }),
  );
});

test("what is encoded needs no second look", () => {
  expect(percentEncode("a b/c?d#e%")).toBe("a%20b%2Fc%3Fd%23e%25");
  expect(percentEncode("\udced\udca0\udc80")).toBeUndefined();
});
