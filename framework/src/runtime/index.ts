/** The exec router of a workspace and its runs. */
export { DEFAULT_MAX_OUTPUT_BYTES, DEFAULT_TIMEOUT_MS } from "./options.ts";
export type { WorkspaceRuntimeOptions } from "./runtime.ts";
export { WorkspaceRuntime } from "./runtime.ts";
export type * from "./types.ts";
