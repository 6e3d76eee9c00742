import { Workspace } from "@computer/framework";
import { LocalShell } from "@computer/runtime-adapters/isolate-shell/local";
import { expect, test } from "vitest";
import { Reader } from "./reader.ts";

/** An agent is a plain class: with a workspace in memory it needs no server. */
async function createReader() {
  const workspace = await Workspace.memory({ backends: { shell: new LocalShell() } });
  return { workspace, reader: new Reader(workspace) };
}

test("shelves a text as a file and measures it", async () => {
  const { workspace, reader } = await createReader();
  const text = "Let me not to the marriage of true minds\nAdmit impediments.\n";
  expect(await reader.shelve("Sonnet 116", text)).toEqual({
    path: "/shelf/sonnet-116.txt",
    lines: 2,
    words: 11,
  });
  expect(await workspace.fs.readFile("/shelf/sonnet-116.txt", "utf8")).toBe(text);
});

test("lists the words that are used most, short ones left out", async () => {
  const { reader } = await createReader();
  await reader.shelve("Rhyme", "Love is not love\nwhich alters when it alteration finds; Love alters not.\n");
  expect(await reader.topWords("Rhyme", 2)).toEqual([
    { word: "love", count: 3 },
    { word: "alters", count: 2 },
  ]);
});

test("finds a phrase on the whole shelf, whatever its case, and takes it literally", async () => {
  const { reader } = await createReader();
  await reader.shelve("One", "The star of the sea\nno match\n");
  await reader.shelve("Two", "A STAR\nst.r\n");
  expect(await reader.find("star")).toEqual([
    { path: "/shelf/one.txt", line: 1, text: "The star of the sea" },
    { path: "/shelf/two.txt", line: 1, text: "A STAR" },
  ]);
  expect(await reader.find("st.r")).toEqual([{ path: "/shelf/two.txt", line: 2, text: "st.r" }]);
  expect(await reader.find("-e $(ls) nowhere")).toEqual([]);
});

test("says so when a title is not on the shelf, and finds nothing on an empty one", async () => {
  const { reader } = await createReader();
  await expect(reader.topWords("Missing")).rejects.toThrow('"Missing" is not on the shelf.');
  expect(await reader.find("anything")).toEqual([]);
});
