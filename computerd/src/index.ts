/**
 * `@computer/computerd`: the daemon inside an agent's container. So far it tells what a host allows.
 *
 * @module
 */
export type { HostFacts, MountAttempt } from "./probe/facts.ts";
export { type DriverName, type DriverReport, type ProbeReport, probe } from "./probe/probe.ts";
