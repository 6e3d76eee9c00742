/**
 * The development server: generates, serves and follows changes.
 *
 * @module
 */
export { DEFAULT_PORT, type DevOptions, dev } from "./dev.ts";
export type { DevTerminal } from "./terminal.ts";
