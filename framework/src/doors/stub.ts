import { RpcTarget } from "capnweb";
import type { WorkspaceStub } from "./workspace-stub.ts";

/** One RPC session's way to an agent, handed to `rpc` of {@link AgentHostOptions} for the stub it makes. */
export interface AgentSession {
  /** Checks positional arguments, calls the tool, and answers plain data. */
  call(tool: unknown, args: unknown): Promise<unknown>;
  readonly workspace: WorkspaceStub;
}

/**
 * Names that a tool cannot have, since the stub or the RPC system has another use for them. Neither can it have
 * the name of a property of every object, like `toString`, nor `then`: whatever has it is taken for a promise.
 */
export const RESERVED_TOOL_NAMES: readonly string[] = [
  "call",
  "then",
  "workspace",
  "dispose",
  ...Object.getOwnPropertyNames(Object.prototype),
];

/**
 * What an RPC session sees of an agent. Codegen writes one subclass per agent, a method per tool. A peer reaches
 * the methods and getters of the class and nothing else: state is in `#` fields.
 *
 * @example
 * ```ts
 * class ReaderTools extends AgentStub {
 *   shelve(...args: unknown[]) {
 *     return this.call("shelve", args);
 *   }
 * }
 * ```
 */
export class AgentStub extends RpcTarget {
  readonly #session: AgentSession;

  constructor(session: AgentSession) {
    super();
    this.#session = session;
  }

  /** Calls a tool by its name with positional arguments. */
  call(tool: unknown, args: unknown): Promise<unknown> {
    return this.#session.call(tool, args);
  }

  /** The agent's files and its runs. */
  get workspace(): WorkspaceStub {
    return this.#session.workspace;
  }
}
