/** The backend `isolate-shell`: bash syntax and text tools in a Dynamic Worker. */
export type { GuestLoader, IsolateShellOptions } from "./isolate-shell.ts";
export { IsolateShell } from "./isolate-shell.ts";
