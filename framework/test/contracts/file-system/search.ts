import assert from "node:assert/strict";
import type { Case } from "../../workerd/cases.ts";
import { fails, noise, sound, type TreeContext } from "./context.ts";

/** Searching, as it must be in every home of the tree. */
export const searchCases: readonly Case<TreeContext>[] = [
  sound("glob, grep and find answer in the order of the paths' bytes", async ({ fs }) => {
    await fs.mkdir("/a", { recursive: true });
    await fs.mkdir("/a!b");
    const names = ["/a/x", "/a!", "/a!b/y", "/a.txt", "/a\udcff", "/\u00e9"];
    for (const path of names) await fs.writeFile(path, "one needle\n");
    const order = ["/a!", "/a!b/y", "/a.txt", "/a/x", "/a\udcff", "/\u00e9"];
    assert.deepEqual(
      (await fs.grep("needle")).matches.map(({ path }) => path),
      order,
    );
    assert.deepEqual(
      (await fs.find({ type: "file" })).entries.map(({ path }) => path),
      order,
    );
    assert.deepEqual(await Array.fromAsync(fs.glob("/**/*")), [
      "/a",
      "/a!",
      "/a!b",
      "/a!b/y",
      "/a.txt",
      "/a/x",
      ...order.slice(4),
    ]);
  }),
  sound(
    "grep finds in small and large files, by text and by expression, and skips what is binary",
    async ({ fs }) => {
      const filler = "lorem ipsum dolor\n".repeat(40_000);
      await fs.writeFile("/large", `${filler}the needle\n${filler}`);
      await fs.writeFile("/small", "the needle\n");
      await fs.writeFile("/binary", noise(300_000));
      for (const [pattern, options] of [
        ["needle", {}],
        ["ne+dle", {}],
        ["NEEDLE", { ignoreCase: true }],
        ["[e]{2}d", {}],
      ] as const) {
        const { matches, files, binary } = await fs.grep(pattern, options);
        assert.deepEqual(
          matches.map(({ path, line }) => [path, line]),
          [
            ["/large", 40_001],
            ["/small", 1],
          ],
        );
        assert.deepEqual([files, binary], [2, 1]);
      }
    },
  ),
  sound("pages of a search are together the whole", async ({ fs }) => {
    for (let i = 0; i < 30; i++) await fs.writeFile(`/f${i}`, "x\nx\n\nx\n");
    const all = (await fs.grep("x")).matches;
    const paged: unknown[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const page = await fs.grep("x", { limit: 7, ...(cursor !== undefined && { cursor }) });
      paged.push(...page.matches);
      cursor = page.cursor;
    }
    assert.equal(all.length, 90);
    assert.deepEqual(paged, all);
  }),
  sound("a search refuses what it cannot do", async ({ fs }) => {
    await fails("ERR_BAD_ARGUMENT", fs.grep("(a)\\1"));
    await fails("ERR_BAD_ARGUMENT", fs.find({ cursor: "x" }));
    await fails("ERR_BAD_ARGUMENT", Array.fromAsync(fs.glob("../x")));
    await fails("ENOENT", fs.grep("x", { path: "/none" }));
  }),
];
