import { basicCases } from "./backend/basics.ts";
import { byteCases } from "./backend/bytes.ts";
import type { BackendCase } from "./backend/context.ts";
import { runCases } from "./backend/runs.ts";

/**
 * What every backend that runs shell scripts must do. The cases need no test runner, so that they run in
 * Node and inside workerd alike.
 *
 * @example
 * ```ts
 * for (const { name, run } of backendContract) {
 *   test(name, async () => {
 *     await using workspace = await Workspace.memory({ backends: { shell: new LocalShell() } });
 *     await run({ workspace, backend: "shell" });
 *   });
 * }
 * ```
 */
export const backendContract: readonly BackendCase[] = [...basicCases, ...byteCases, ...runCases];
