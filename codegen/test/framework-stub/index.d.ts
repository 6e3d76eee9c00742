// The part of the framework that the analysis looks at, so that its tests need no build of it.
export interface AgentOptions {
  name?: string;
  description?: string;
  renamedFrom?: string;
}
export interface ToolOptions {
  name?: string;
  description?: string;
}
export declare function Agent(options?: AgentOptions): <Class extends object>(target: Class) => void;
export declare function tool(
  options?: ToolOptions,
): (target: object, name: unknown, descriptor?: unknown) => void;
export declare class Workspace {
  // biome-ignore lint/suspicious/noExplicitAny: what an agent does inside is not looked at
  readonly fs: any;
  // biome-ignore lint/suspicious/noExplicitAny: what an agent does inside is not looked at
  readonly runtime: any;
}
declare const agentId: unique symbol;
export type AgentId = string & { readonly [agentId]?: never };
