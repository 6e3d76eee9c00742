import type { TestContext } from "vitest";

/** How the reason of a skip begins when the machine, not the test, is why; see `.ci/skips.ts`. */
export const MACHINE_LACKS = "this machine lacks ";

/**
 * Skips the running test when the machine lacks what it needs. Under `CI` such a skip fails the run.
 *
 * @param what What is needed, in the words that the report shows: `"a usable /dev/fuse"`.
 * @param there Whether the machine has it, or the reason why not.
 *
 * @example
 * test("mounts", (context) => {
 *   requires(context, "a usable /dev/fuse", existsSync("/dev/fuse"));
 *   // ...
 * });
 */
export function requires(context: TestContext, what: string, there: boolean | string): void {
  if (there === true) return;
  context.skip(`${MACHINE_LACKS}${what}${there === false ? "" : ` (${there})`}`);
}
