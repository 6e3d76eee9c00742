import { ComputerError } from "../errors.ts";
import { encodeName } from "../vfs/names.ts";

/** Where a search goes on: behind a path, or in it behind a line. */
export interface Cursor {
  readonly path: string;
  /** The line of this file that comes next; 0 when the file is done. */
  readonly line: number;
  /** Matches of this file that were answered. */
  readonly matches: number;
  /** Where that line begins, if the file is still this node at this revision. */
  readonly at: number;
  readonly node: number;
  readonly rev: number;
}

/** A cursor as text: base64url of JSON. */
export function encodeCursor(cursor: Cursor): string {
  const { path, line, matches, at, node, rev } = cursor;
  return Buffer.from(JSON.stringify([path, line, matches, at, node, rev])).toString("base64url");
}

/**
 * Reads a cursor.
 *
 * @throws `ERR_BAD_ARGUMENT` for what is no cursor, or not below `root`.
 */
export function decodeCursor(text: unknown, root: string): Cursor & { readonly names: Uint8Array[] } {
  try {
    const given = JSON.parse(Buffer.from(text as string, "base64url").toString()) as unknown[];
    const [path, ...numbers] = given;
    if (typeof path === "string" && numbers.length === 5 && numbers.every(isCount)) {
      const [line = 0, matches = 0, at = 0, node = 0, rev = 0] = numbers as number[];
      const prefix = root === "/" ? "/" : `${root}/`;
      if (path === root) return { path, line, matches, at, node, rev, names: [] };
      if (path.startsWith(prefix)) {
        const names = path.slice(prefix.length).split("/").map(encodeName);
        if (names.every((name) => name !== undefined && name.length > 0)) {
          return { path, line, matches, at, node, rev, names: names as Uint8Array[] };
        }
      }
    }
  } catch {
    // Told below.
  }
  throw new ComputerError(
    "ERR_BAD_ARGUMENT",
    "cursor: must be the cursor of an earlier answer of the same search.",
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Behind a path and before all that is below it. */
export function behind(path: string): Cursor {
  return { path, line: 0, matches: 0, at: 0, node: 0, rev: 0 };
}
