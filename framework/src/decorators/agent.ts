import "reflect-metadata";

/** What `@Agent({...})` may say about a class. All of it is optional. */
export interface AgentOptions {
  /** The agent's name in URLs and clients: lower-case letters, digits and hyphens. Default: the class's name in kebab case. */
  name?: string;
  /** What the agent is for, in words for people and models. Default: the class's JSDoc. */
  description?: string;
  /** The class name that this agent had when it was last deployed; keeps its stored workspaces through a rename. */
  renamedFrom?: string;
}

const AGENT = Symbol.for("computer.agent");

/**
 * Marks a class as an agent: codegen gives each of its instances a durable computer of its own.
 *
 * The decorator is inert. It records its options and leaves the class as it is, so that a unit test
 * may simply construct it.
 *
 * @example
 * ```ts
 * @Agent({ description: "Keeps texts and answers questions about them" })
 * export class Reader {
 *   constructor(private readonly workspace: Workspace) {}
 * }
 * ```
 */
// biome-ignore lint/complexity/noBannedTypes: a decorator is handed the class itself, whatever its constructor takes
export function Agent(options: AgentOptions = {}): <Class extends Function>(target: Class) => void {
  return (target) => Reflect.defineMetadata(AGENT, Object.freeze({ ...options }), target);
}

/**
 * The options a class was marked with, or undefined for a class that is no agent.
 *
 * @example
 * ```ts
 * agentOptions(Reader)?.description; // "Keeps texts and answers questions about them"
 * ```
 */
// biome-ignore lint/complexity/noBannedTypes: any class may be asked about
export function agentOptions(target: Function): AgentOptions | undefined {
  return Reflect.getOwnMetadata(AGENT, target) as AgentOptions | undefined;
}
