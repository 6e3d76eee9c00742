/**
 * `@computer/computerd`: the daemon inside an agent's container. So far it tells what a host allows.
 *
 * @module
 */
export { type HostFacts, type MountAttempt, readHostFacts } from "./probe/facts.ts";
export { type DriverName, type DriverReport, judge, type ProbeReport, probe } from "./probe/probe.ts";
