import { defineConfig } from "vitest/config";
import { SkipReporter } from "../.ci/skips.ts";

/** The suites that take minutes: `npm run test:mount`. One after the other, since they share two cores. */
export default defineConfig({
  test: {
    reporters: ["verbose", new SkipReporter()],
    include: ["computerd/test/long/*.long.ts"],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 60_000,
  },
});
