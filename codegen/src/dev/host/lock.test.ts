import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { lockState } from "./lock.ts";

test("a state has one user at a time", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "computer-lock-"));
  const state = path.join(folder, "new/state");
  try {
    const first = lockState(state);
    expect(() => lockState(state)).toThrow(/in use by another `computer dev`.*--persist DIR/);
    first[Symbol.dispose]();
    lockState(state)[Symbol.dispose]();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
