import { defineConfig } from "vitest/config";
import { SkipReporter } from "./.ci/skips.ts";

/** Packages are tested from their sources; vitest's own conditions stay. */
const conditions = ["@computer/source", "module", "node", "development|production"];
const folders = "{.ci,framework,runtime-adapters,codegen,computerd,create-computer,examples}";
const exclude = ["**/node_modules/**", "**/dist/**", "**/generated/**"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ["default", new SkipReporter()],
    setupFiles: ["./.ci/lib/random.setup.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [`${folders}/**/*.test.ts`],
          exclude: [...exclude, "**/*.e2e.test.ts"],
          testTimeout: 20_000,
          hookTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // These start workerd, servers, installs: one file after the other, with time to start.
        extends: true,
        test: {
          name: "e2e",
          include: [`${folders}/**/*.e2e.test.ts`],
          exclude,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
