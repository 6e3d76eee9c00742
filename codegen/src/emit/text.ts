import { VERSION } from "../version.ts";

/** What every generated file begins with; the writer knows its own files by it. */
export const STAMP = "Written by @computer/codegen";

/** The first line of a generated source file. */
export function header(): string {
  return `// ${STAMP} ${VERSION}. Do not edit: run \`computer codegen\`.\n`;
}

/** A JSDoc comment with its line break, at an indentation; nothing for no text. */
export function docComment(text: string | undefined, indent = ""): string {
  if (text === undefined || text.trim() === "") return "";
  // A description may come from an option, where `*/` is allowed, and would end the comment.
  const lines = text
    .trim()
    .replaceAll("*/", "*\\/")
    .split(/\r\n?|[\n\u2028\u2029]/);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** A value as JSON, on one line where that is short. */
export function json(value: unknown, indent = ""): string {
  const flat = inlineJson(value);
  if (flat.length + indent.length <= 100) return flat;
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
}

function inlineJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([key, inner]) => `${JSON.stringify(key)}: ${inlineJson(inner)}`,
    );
    return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
  }
  return JSON.stringify(value);
}

/** A string literal of TypeScript. JSON's form is one, once the line separators are escaped for old readers. */
export function quote(text: string): string {
  return JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
