import { ts } from "ts-morph";

/** The JSDoc text of a symbol without its tags, or undefined when there is none. */
export function descriptionOf(checker: ts.TypeChecker, symbol: ts.Symbol | undefined): string | undefined {
  const text = symbol && ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return text ? tidy(text) : undefined;
}

/** `- What it is` as some write after `@param name` means the same as `What it is`. */
function tidy(text: string): string | undefined {
  const lines = text.replace(/\r\n?/g, "\n").trim().replace(/^-\s+/, "");
  return lines === "" ? undefined : lines;
}
