/**
 * The id of the agent at work, the `:id` of its URL. An agent that wants it names it in its constructor.
 *
 * @example
 * ```ts
 * @Agent()
 * export class Greeter {
 *   constructor(private readonly id: AgentId) {}
 * }
 * ```
 */
export type AgentId = string & { readonly [agentId]?: never };
declare const agentId: unique symbol;
