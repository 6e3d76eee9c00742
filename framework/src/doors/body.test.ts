import { expect, test } from "vitest";
import { nestsDeeper } from "./body.ts";

test.each([
  ["[]", 0, true],
  ["[]", 1, false],
  ['{"a":[{}]}', 2, true],
  ['{"a":[{}]}', 3, false],
  ["[],[],[],[]", 1, false],
  ['["[[[[", "{{{{"]', 1, false],
  ['["\\"[[[[", {}]', 2, false],
  ['["\\\\", [[]]]', 2, true],
  ['"x', 0, false],
])("%j nests deeper than %d: %s", (json, depth, expected) => {
  expect(nestsDeeper(json, depth)).toBe(expected);
});

test("takes no more than one look at each character", () => {
  // A pattern would look at the rest of the text from each of these quotes.
  expect(nestsDeeper(`"${'\\"'.repeat(2_000_000)}`, 200)).toBe(false);
});
