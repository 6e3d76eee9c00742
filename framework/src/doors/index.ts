/**
 * What a generated worker is built from: the door through which requests come, the host of an agent inside its
 * Durable Object, and the base of what RPC sees.
 *
 * @module
 */
export { createDoor } from "./door.ts";
export { AgentHost } from "./host.ts";
export { type AgentSession, AgentStub, RESERVED_TOOL_NAMES } from "./stub.ts";
export type {
  AgentContext,
  AgentDoor,
  AgentHostOptions,
  AgentInfo,
  AgentNamespace,
  AgentState,
  Authorize,
  Door,
  DoorContext,
  DoorEnv,
  DoorOptions,
  JsonSchema,
  Manifest,
  ToolArguments,
  ToolDoor,
  ToolInfo,
  ToolWire,
  ValidationError,
  Validator,
} from "./types.ts";
