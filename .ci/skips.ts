import type { SerializedError } from "vitest";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { MACHINE_LACKS } from "./lib/requires.ts";

/**
 * Prints every skipped test with its reason after a run, then one line that a machine can read:
 * `12 passed, 0 failed, 1 skipped`. Under `CI` a test skipped because the machine lacks something
 * fails the run, since there nobody would notice.
 */
export class SkipReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed").length;
    const skipped = tests.filter((test) => test.result().state === "skipped");
    // A file that does not load, or an error outside of any test, is a failure that no test shows.
    const broken = modules.filter((module) => module.errors().length > 0 || brokenSuites(module)).length;
    const failed = tests.length - passed - skipped.length + broken + errors.length;

    const lines = skipped.map(
      (test) => `  ${test.module.relativeModuleId} > ${test.fullName}: ${reason(test)}`,
    );
    if (lines.length > 0) console.log(["skipped:", ...lines, ""].join("\n"));

    const lacking = skipped.filter((test) => reason(test).startsWith(MACHINE_LACKS));
    if (process.env.CI && lacking.length > 0) {
      console.error(
        `CI runs every test, but this machine kept ${lacking.length} from running (see above).\n`,
      );
      process.exitCode = 1;
    }
    console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
  }
}

function brokenSuites(module: TestModule): boolean {
  return [...module.children.allSuites()].some((suite) => suite.errors().length > 0);
}

function reason(test: TestCase): string {
  const result = test.result();
  if (result.state === "skipped" && result.note) return result.note;
  return test.options.mode === "todo" ? "to do" : "no reason given";
}
