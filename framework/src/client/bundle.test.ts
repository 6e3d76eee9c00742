import { build } from "esbuild";
import { expect, test } from "vitest";

test.each(["browser", "neutral"] as const)("the client loads without Node: %s", async (platform) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [new URL("index.ts", import.meta.url).pathname],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    platform,
    mainFields: ["browser", "module", "main"],
    conditions: ["@computer/source", "browser"],
    logLevel: "silent",
  });
  const inputs = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
  expect(inputs.filter(({ external, path }) => external || path.startsWith("node:"))).toEqual([]);
  // A page pays for each of them: none of the tree or of the doors may come along, but for a few checks of arguments.
  expect(
    Object.keys(metafile.inputs).filter((input) =>
      /src\/(vfs\/(?!(names|bytes|constants|errors|ranges)\.)|workspace|runtime)/.test(input),
    ),
  ).toEqual([]);
  expect(outputFiles[0]?.text.length).toBeLessThan(100_000);
});
