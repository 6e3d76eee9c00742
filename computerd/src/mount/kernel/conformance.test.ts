import { spawnSync } from "node:child_process";
import { beforeEach, describe, expect, test } from "vitest";
import { requires } from "../../../../.ci/lib/requires.ts";
import { compareWithTmpfs } from "../../../test/support/conformance.ts";
import { kernelMount, requiresFuse } from "../../../test/support/kernel.ts";

/** The whole matrix, with every user on every object, is part of `npm run test:mount`. */
const QUICK = ["creation", "contents", "open_files", "locks", "xattrs", "listing", "ctimes", "pairs"];

describe("conformance", () => {
  beforeEach(requiresFuse);

  test("answers what tmpfs answers", async (context) => {
    requires(context, "python3", spawnSync("python3", ["--version"]).status === 0);
    await using tree = await kernelMount();
    expect(await compareWithTmpfs(tree, QUICK, 60_000)).toBeGreaterThan(1000);
  }, 90_000);
});
