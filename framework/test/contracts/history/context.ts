import assert from "node:assert/strict";
import type { WorkspaceOptions } from "../../../src/workspace/workspace.ts";
import { pastProblems } from "../../history/past-problems.ts";
import type { Lab } from "../../history/tools.ts";
import type { Case } from "../../workerd/cases.ts";
import { problems } from "../integrity.ts";

/** Where histories are tried. */
export interface HistoryContext {
  /** A workspace on the context's storage; once per case, or again when it was closed. */
  open(options?: WorkspaceOptions): Promise<Lab>;
  /** Rows that were written so far, as far as the home counts them. */
  rowsWritten(): number;
}

/** A case in one workspace, which is sound at the end. */
export function history(
  name: string,
  options: WorkspaceOptions,
  run: (lab: Lab, context: HistoryContext) => Promise<void>,
): Case<HistoryContext> {
  return {
    name,
    async run(context) {
      await using lab = await context.open(options);
      await run(lab, context);
      assert.deepEqual([...problems(lab.sql), ...pastProblems(lab.sql)], []);
    },
  };
}

/** Rows of the past, by table. */
export function pastRows({ sql }: Lab): Record<string, number> {
  return Object.fromEntries(
    ["node", "dirent", "content", "extent"].map((table) => [
      table,
      sql.exec<{ n: number }>(`SELECT count(*) AS n FROM vfs_${table}_past`)[0]?.n ?? 0,
    ]),
  );
}

/** All that an iterator gives. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export async function failsWith(code: string, work: () => Promise<unknown>): Promise<Error> {
  try {
    await work();
  } catch (error) {
    assert.equal((error as { code?: string }).code, code, String(error));
    return error as Error;
  }
  assert.fail(`expected ${code}, but it succeeded`);
}
