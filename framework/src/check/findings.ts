import type { Problem, ProblemCode } from "./types.ts";

/** Problems that are told. */
const PROBLEMS_MAX = 1000;

/** A problem as it is found: a node's path is looked up at the end. */
export interface Finding {
  readonly code: ProblemCode;
  readonly where: number | string;
  readonly what: string;
}

/** Collects what is found, up to a bound. */
export class Findings {
  readonly list: Finding[] = [];
  truncated = false;
  readonly checked = { nodes: 0, entries: 0, chunks: 0, versions: 0 };

  /** @param where a node's number, or words. */
  add(code: ProblemCode, where: number | string, what: string): void {
    if (this.list.length < PROBLEMS_MAX) this.list.push({ code, where, what });
    else this.truncated = true;
  }

  problems(pathOf: (node: number) => string | undefined): Problem[] {
    return this.list.map(({ code, where, what }) => ({
      code,
      where: typeof where === "number" ? (pathOf(where) ?? `node ${where}`) : where,
      what,
    }));
  }
}
