import { expect, test } from "vitest";
import { codeBlocks } from "./code-blocks.ts";

test("finds blocks with their language, words and lines", () => {
  const text = "# A\n\n```ts run\nconst a = 1;\n\na;\n```\ntext\n```\nplain\n```\n";
  expect(codeBlocks(text)).toEqual([
    { language: "ts", words: ["run"], code: "const a = 1;\n\na;\n", line: 3 },
    { language: "", words: [], code: "plain\n", line: 9 },
  ]);
});

test("a longer fence holds a shorter one; an open one at the end is none", () => {
  expect(codeBlocks("````md\n```ts\nx\n```\n````\n```ts\nnever closed\n")).toEqual([
    { language: "md", words: [], code: "```ts\nx\n```\n", line: 1 },
  ]);
});
