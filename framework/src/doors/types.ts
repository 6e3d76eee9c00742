import type { DurableObjectStorageLike } from "../vfs/sql/durable-object.ts";
import type { AgentId } from "../workspace/agent-id.ts";
import type { Workspace, WorkspaceOptions } from "../workspace/workspace.ts";
import type { AgentSession, AgentStub } from "./stub.ts";

/** A JSON Schema, as codegen writes it from a TypeScript type. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** The bindings that the doors read; a generated `Env` has them among its own. */
export interface DoorEnv {
  /** `development` only under `computer dev`; anything else is a deployment. */
  COMPUTER_MODE?: string;
  /** The bearer token that opens the doors. A secret. */
  COMPUTER_TOKEN?: string;
  /** Further hosts this worker answers for, separated by commas: `agents.example.com, *.example.org`. */
  COMPUTER_HOSTS?: string;
  /** Further origins whose pages may call, separated by commas: `https://app.example.com`. */
  COMPUTER_ORIGINS?: string;
}

/** A tool as the manifest lists it. */
export interface ToolInfo {
  readonly name: string;
  readonly description?: string;
  /** The schema of the object of named arguments. */
  readonly parameters: JsonSchema;
  /** The schema of what it answers; absent for nothing. */
  readonly result?: JsonSchema;
}

/** An agent as the manifest lists it. */
export interface AgentInfo {
  readonly name: string;
  readonly description?: string;
  readonly tools: readonly ToolInfo[];
}

/** What `/` tells of a worker. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly agents: readonly AgentInfo[];
}

/** What the doors need of a Durable Object namespace. */
export interface AgentNamespace {
  idFromName(name: string): unknown;
  get(id: never): { fetch(request: Request): Promise<Response> };
}

/** What the doors need of a Durable Object's state. */
export interface AgentState {
  readonly storage: DurableObjectStorageLike;
  readonly id: { readonly name?: string };
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Decides whether a request may reach an agent; declared by an agent's class as `static authorize`. Where there is
 * one it decides alone, in development too, and `COMPUTER_TOKEN` does not open that agent. The request it gets has
 * no body. What it throws refuses the request.
 */
export type Authorize<Env> = (request: Request, env: Env) => boolean | Promise<boolean>;

/** An agent as {@link createDoor} gets it. */
export interface AgentDoor<Env> {
  namespace(env: Env): AgentNamespace;
  authorize?: Authorize<Env> | undefined;
}

/** Options of {@link createDoor}. */
export interface DoorOptions<Env> {
  /** What `/` tells. */
  readonly manifest: Manifest;
  /** The agents by the name they have in URLs. */
  readonly agents: Readonly<Record<string, AgentDoor<Env>>>;
}

/** The part of workerd's execution context that a door is handed. */
export interface DoorContext {
  waitUntil(promise: Promise<unknown>): void;
}

/** A worker's default export. */
export interface Door<Env> {
  fetch(request: Request, env: Env, ctx?: DoorContext): Promise<Response>;
}

/** What an Ajv validator says about a value it refused. */
export interface ValidationError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly schemaPath?: string;
  /** Present when the validator was compiled with `verbose`. */
  readonly parentSchema?: unknown;
}

/** A validator compiled ahead: Ajv standalone. Called with the object of named, decoded arguments. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly ValidationError[] | null | undefined;
}

/**
 * How a tool's arguments cross a door that speaks JSON. Needed only where their schema holds a date or bytes,
 * marked by `{ "x-computer": "date" }` or `{ "x-computer": "bytes" }`. A result needs no schema: what is a date in
 * it goes out as ISO 8601, and what is bytes as base64.
 */
export interface ToolWire {
  /** The schema of the object of named arguments. */
  readonly parameters: JsonSchema;
}

// The validator has looked at them, which the type cannot express.
// biome-ignore lint/suspicious/noExplicitAny: checked arguments of any tool
export type ToolArguments = Record<string, any>;

/** A tool as {@link AgentHost} gets it. */
export interface ToolDoor<Instance> {
  /** The parameters' names in order, by which positional arguments are named. */
  readonly parameters: readonly string[];
  readonly validate: Validator;
  readonly wire?: ToolWire;
  invoke(agent: Instance, args: ToolArguments): unknown;
}

/** What an agent's constructor may be given. */
export interface AgentContext<Env> {
  readonly workspace: Workspace;
  readonly env: Env;
  readonly id: AgentId;
}

/** Options of {@link AgentHost}. */
export interface AgentHostOptions<Instance, Env> {
  /** The agent's name in URLs. */
  readonly agent: string;
  readonly ctx: AgentState;
  readonly env: Env;
  /** Where runs can run; the first is the default. */
  readonly backends?: NonNullable<WorkspaceOptions["backends"]>;
  /** Makes the agent, once, when it is first needed. */
  create(context: AgentContext<Env>): Instance | Promise<Instance>;
  readonly tools: Readonly<Record<string, ToolDoor<Instance>>>;
  /** Makes what an RPC session sees. */
  rpc(session: AgentSession): AgentStub;
}
