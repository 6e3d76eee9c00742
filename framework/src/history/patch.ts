import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";
import type { Change } from "./types.ts";

/** Bytes of a text that is compared with another. */
export const PATCH_BYTES = 256 * 1024;
/**
 * Lines that may differ before the comparison is given up and the whole text is said to be replaced. Clocks
 * stand still in a Worker, so it is work that is bounded, not time.
 */
const MAX_EDITS = 400;
/** Bytes in which a NUL tells that a file is no text, as in git. */
const SNIFF_BYTES = 8000;

/** One side: the path, and the bytes; undefined where there is nothing. */
export interface Side {
  readonly path: string;
  readonly bytes: Uint8Array | undefined;
}

/** How two texts differ, in the unified format that `git apply` and `patch -p1` take. */
export function unifiedPatch(before: Side, after: Side): Pick<Change, "patch" | "noPatch"> {
  const [old, now] = [text(before.bytes), text(after.bytes)];
  if (old === undefined || now === undefined) return { noPatch: "binary" };
  const oldName = before.bytes === undefined ? "/dev/null" : `a${before.path}`;
  const newName = after.bytes === undefined ? "/dev/null" : `b${after.path}`;
  const found = structuredPatch(oldName, newName, old, now, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDITS,
  });
  const hunks = found?.hunks ?? [replaceAll(old, now)];
  const patch = { oldFileName: quotePath(oldName), newFileName: quotePath(newName), hunks };
  return { patch: formatPatch({ ...patch, oldHeader: undefined, newHeader: undefined }, FILE_HEADERS_ONLY) };
}

/** A NUL, or bytes that are not UTF-8, mean that it is no text. */
function text(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return "";
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function replaceAll(old: string, now: string) {
  const [removed, added] = [lines(old), lines(now)];
  return {
    oldStart: 1,
    oldLines: removed.length,
    newStart: 1,
    newLines: added.length,
    lines: [...mark("-", removed, old), ...mark("+", added, now)],
  };
}

function lines(content: string): string[] {
  if (content === "") return [];
  return (content.endsWith("\n") ? content.slice(0, -1) : content).split("\n");
}

function mark(sign: string, of: readonly string[], content: string): string[] {
  const marked = of.map((line) => sign + line);
  if (content !== "" && !content.endsWith("\n")) marked.push("\\ No newline at end of file");
  return marked;
}

/** A name with characters that would end the line is quoted, as git does. */
function quotePath(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be quoted
  return /[\u0000-\u001f"\\]/.test(path) ? JSON.stringify(path) : path;
}
