import { Workspace } from "@computer/framework";
import { LocalShell } from "@computer/runtime-adapters/isolate-shell/local";
import { expect, test } from "vitest";
import { Ledger } from "./ledger.ts";

/** An agent is a plain class: with a workspace in memory it needs no server. */
async function ledger() {
  const workspace = await Workspace.memory({ backends: { shell: new LocalShell() } });
  return { workspace, ledger: new Ledger(workspace) };
}

test("adds up by category, the largest first", async () => {
  const { ledger: book } = await ledger();
  await book.record("train", 12.5, "travel");
  await book.record("tea", 3);
  await book.record("bus", 2.5, "travel");
  expect(await book.totals()).toEqual([
    { category: "travel", amount: 15 },
    { category: "other", amount: 3 },
  ]);
});

test("strikes out the last expense", async () => {
  const { ledger: book } = await ledger();
  await book.record("train", 12.5, "travel");
  await book.record("tea\tand\ncake", 7, "food");
  expect(await book.undo()).toEqual({ what: "tea and cake", amount: 7, category: "food" });
  expect(await book.totals()).toEqual([{ category: "travel", amount: 12.5 }]);
});

test("an empty book has no totals and nothing to undo", async () => {
  const { ledger: book } = await ledger();
  expect(await book.totals()).toEqual([]);
  expect(await book.undo()).toBeNull();
});

test("the book is a file in the workspace", async () => {
  const { workspace, ledger: book } = await ledger();
  await book.record("tea", 3, "food");
  expect(await workspace.fs.readFile("/ledger.tsv", "utf8")).toBe("tea\t3\tfood\n");
});
