import fc from "fast-check";
import { expect, test } from "vitest";
import { requiredText } from "./literal.ts";
import { Machine } from "./machine.ts";
import { compile } from "./program.ts";

const pattern = fc.letrec<{ atom: string; piece: string; all: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom(
      "a",
      "b",
      "ab",
      "é",
      "😀",
      ".",
      "[ab]",
      "[^a]",
      "\\w",
      "\\d",
      "\\b",
      "\\B",
      "^",
      "$",
      "\\.",
    ),
    tie("all").map((inner) => `(?:${inner})`),
    tie("all").map((inner) => `(${inner})`),
  ),
  piece: fc
    .tuple(tie("atom"), fc.constantFrom("", "", "", "*", "+", "?", "*?", "+?", "{2}", "{1,2}"))
    .map(([atom, times]) =>
      /^(\\b|\\B|\^|\$)$/.test(atom)
        ? atom
        : atom.length > 1 && !/^[([\\]/.test(atom)
          ? `(?:${atom})${times}`
          : atom + times,
    ),
  all: fc.oneof(
    { maxDepth: 2, depthIdentifier: "all" },
    fc.array(tie("piece"), { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join("")),
    fc.tuple(tie("piece"), tie("piece")).map(([a, b]) => `${a}|${b}`),
  ),
})).all;

const line = fc
  .array(fc.constantFrom("a", "b", "c", "1", " ", ".", "é", "😀"), { maxLength: 12 })
  .map((parts) => parts.join(""));

test("the machine finds the match that RE2 finds, however the line arrives", () => {
  let found = 0;
  fc.assert(
    fc.property(pattern, line, fc.integer({ min: 1, max: 5 }), (source, text, size) => {
      const program = compile(source, false);
      const expected = program.re.matcher(text);
      const machine = new Machine(program);
      const points = Array.from(text);
      for (let i = 0; i < points.length; i += size) {
        const part = points.slice(i, i + size).join("");
        for (let at = 0; at < part.length && !machine.done; ) {
          machine.work = 0;
          at = machine.feed(part, at, 1);
        }
      }
      const match = machine.end();
      expect(match).toEqual(expected.find() ? { start: expected.start(), end: expected.end() } : undefined);
      if (match !== undefined) found += 1;
    }),
    { numRuns: 3000 },
  );
  expect(found).toBeGreaterThan(500);
});

test("the text that a pattern requires is in everything that it matches", () => {
  fc.assert(
    fc.property(pattern, line, (source, text) => {
      const required = requiredText(source);
      const match = new RegExp(source, "u").exec(text);
      if (required !== undefined && match !== null) expect(match[0]).toContain(required);
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ["import .* from", "import "],
  ["fo+bar", "bar"],
  ["ab?c", "a"],
  ["a|b", undefined],
  ["(?i)abc", undefined],
  ["x(a|b)long", "long"],
  ["\\bword\\b", "word"],
  ["a\\.b", "a.b"],
  ["[abc]def", "def"],
  ["[]a]def", "def"],
  ["\\x41bc", undefined],
  ["\\p{Greek}abc", "abc"],
  ["ab{2,3}cd", "cd"],
  ["\\Qa|b\\E", undefined],
])("%s requires %s", (source, text) => expect(requiredText(source)).toBe(text));
