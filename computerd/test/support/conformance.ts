import { mkdtempSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { TestMount } from "./kernel.ts";
import { run } from "./shell.ts";

const SCRIPT = fileURLToPath(new URL("../conformance/matrix.py", import.meta.url));
/** The reference: a tmpfs. */
const TMPFS = "/dev/shm";

/** Runs parts of the conformance matrix on tmpfs and on a mount, and compares line by line. How many cases. */
export async function compareWithTmpfs(
  tree: TestMount,
  parts: readonly string[],
  timeoutMs: number,
): Promise<number> {
  const reference = mkdtempSync(`${TMPFS}/computerd-conformance-`);
  try {
    const [wanted, got] = await Promise.all(
      [reference, tree.path].map((folder) => run("python3", [SCRIPT, folder, ...parts], { timeoutMs })),
    );
    expect([wanted?.late, wanted?.code, got?.late, got?.code, got?.err.includes("Traceback")]).toEqual([
      false,
      0,
      false,
      0,
      false,
    ]);
    const lines = wanted?.out.split("\n") ?? [];
    const ours = got?.out.split("\n") ?? [];
    const different = lines.flatMap((line, at) =>
      line === ours[at] ? [] : [`tmpfs: ${line}\nours:  ${ours[at]}`],
    );
    expect(different).toEqual([]);
    expect(ours.length).toBe(lines.length);
    return lines.length - 1;
  } finally {
    rmSync(reference, { recursive: true, force: true });
  }
}
