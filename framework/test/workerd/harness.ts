import { afterAll, beforeAll, test } from "vitest";
import type { CaseReport } from "./cases.ts";
import { startWorkerd, type Workerd, type WorkerdOptions } from "./workerd.ts";

export { startWorkerd, type Workerd, type WorkerdOptions } from "./workerd.ts";

/**
 * Runs cases inside workerd, each as a test of its own. The worker answers `/case?name=...` by
 * `answerCase` in an object that it makes for the case.
 */
export function testInWorkerd(options: WorkerdOptions, names: readonly string[]): void {
  let workerd: Workerd | undefined;
  beforeAll(async () => {
    workerd = await startWorkerd(options);
  });
  afterAll(() => workerd?.dispose());
  test.for(names)("%s", async (name) => {
    const response = await workerd?.fetch(`/case?name=${encodeURIComponent(name)}`);
    const report = (await response?.json()) as CaseReport;
    if (!report.ok) throw Object.assign(new Error(report.message), { stack: report.stack });
  });
}
