/**
 * `@computer/computerd`: the daemon inside an agent's container. It shows a tree at a path, and tells what
 * a host allows.
 *
 * @module
 */
export { type DriverChoice, type MountTreeOptions, mountTree } from "./mount/select.ts";
export { type Mount, MountError, type MountOptions } from "./mount/types.ts";
export type { HostFacts, MountAttempt } from "./probe/facts.ts";
export { type DriverName, type DriverReport, type ProbeReport, probe } from "./probe/probe.ts";
export type {
  ApplyOptions,
  ApplyResult,
  ChangeSet,
  Conflict,
  NameChange,
  NodeChange,
  NodeKind,
  NodePut,
  NodeState,
  TreeChanges,
} from "./tree/changes.ts";
export type { ListedEntry, TreeStatus } from "./tree/service.ts";
export type { TreeLimits } from "./tree/tree.ts";
