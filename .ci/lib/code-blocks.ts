/** A fenced block of a Markdown text. */
export interface CodeBlock {
  /** `ts`, `sh`, ...; empty when none is given. */
  language: string;
  /** The other words after the opening fence: `run`, `output`. */
  words: string[];
  code: string;
  /** The line of the opening fence, from 1. */
  line: number;
}

/**
 * The fenced blocks of a Markdown text, in order.
 *
 * @example
 * codeBlocks("```ts run\n1 + 1;\n```\n")[0]?.words; // ["run"]
 */
export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { fence: string; block: CodeBlock; lines: string[] } | undefined;
  for (const [index, text] of markdown.split("\n").entries()) {
    if (open !== undefined) {
      if (text.trim() === open.fence) {
        open.block.code = open.lines.map((line) => `${line}\n`).join("");
        blocks.push(open.block);
        open = undefined;
      } else open.lines.push(text);
      continue;
    }
    const [, fence, info = ""] = /^\s*(`{3,}|~{3,})(.*)$/.exec(text) ?? [];
    if (fence === undefined) continue;
    const [language = "", ...words] = info.trim().split(/\s+/);
    open = { fence, block: { language, words, code: "", line: index + 1 }, lines: [] };
  }
  return blocks;
}
