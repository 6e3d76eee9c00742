/** Characters that mean something in a regular expression. */
const META = /[\\^$.*+?()[\]{}|]/;

/** Whether a regular expression is plain text. */
export function isPlain(pattern: string): boolean {
  return !META.test(pattern);
}

/**
 * A text that every match of a regular expression holds: the longest run of plain characters outside of
 * groups and classes. Undefined when there is none, or when the pattern is more than is understood here:
 * what it says must be true, not complete.
 */
export function requiredText(pattern: string): string | undefined {
  // Flags change what characters mean; a quotation what metacharacters do.
  if (/\(\?(?![:<P])|\\Q/.test(pattern)) return undefined;
  const points = Array.from(pattern);
  let best = "";
  let run: string[] = [];
  const flush = () => {
    const text = run.join("");
    if (text.length > best.length) best = text;
    run = [];
  };
  let depth = 0;
  for (let i = 0; i < points.length; i++) {
    let character = points[i] as string;
    if (character === "[") {
      i = classEnd(points, i);
      if (i === -1) return undefined;
      flush();
      continue;
    }
    if (character === "\\") {
      i += 1;
      character = points[i] ?? "";
      // `\p{Greek}`, `\x{41}`: what is in the braces is no text.
      if (points[i + 1] === "{" && /[pPx]/.test(character)) {
        i = points.indexOf("}", i);
        if (i === -1) return undefined;
        flush();
        continue;
      }
      // `\x41`, `\101`: more characters belong to it.
      if (/[xpP0-9]/.test(character)) return undefined;
      if (depth > 0) continue;
      if (!/^[!-/:-@[-`{-~]$/.test(character)) {
        flush();
        continue;
      }
      run.push(character);
      continue;
    }
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    else if (character === "|" && depth === 0) return undefined;
    if (depth > 0 || META.test(character)) {
      // A quantifier that allows for none takes the last character away.
      if (depth === 0 && (character === "?" || character === "*" || character === "{")) run.pop();
      if (depth === 0 && character === "{") {
        const end = points.indexOf("}", i);
        if (end !== -1) i = end;
      }
      flush();
      continue;
    }
    run.push(character);
  }
  flush();
  return depth === 0 && best !== "" ? best : undefined;
}

/** Where a class ends that begins here. */
function classEnd(points: readonly string[], start: number): number {
  let i = start + 1;
  if (points[i] === "^") i += 1;
  if (points[i] === "]") i += 1;
  for (; i < points.length; i++) {
    if (points[i] === "\\") i += 1;
    else if (points[i] === "[" && points[i + 1] === ":") {
      const end = points.indexOf("]", i);
      if (end === -1) return -1;
      i = end;
    } else if (points[i] === "]") return i;
  }
  return -1;
}
