import "reflect-metadata";

/** What `@tool({...})` may say about a method. All of it is optional. */
export interface ToolOptions {
  /** The tool's name at every door. Default: the method's name. */
  name?: string;
  /** What the tool does, in words for people and models. Default: the method's JSDoc. */
  description?: string;
}

const TOOL = Symbol.for("computer.tool");

/** Any method; what it takes and gives back is codegen's business. */
// biome-ignore lint/suspicious/noExplicitAny: a marker must accept every signature
type Method = (...args: any[]) => unknown;

/** Fits both forms of method decorator: the legacy one (prototype, name, descriptor) and the standard one (method, context). */
interface ToolDecorator {
  <Marked extends Method>(
    target: object,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<Marked>,
  ): void;
  <Marked extends Method>(method: Marked, context: { kind: "method"; name: string | symbol }): void;
}

/**
 * Marks a method as a tool: callable through the generated client, over HTTP and by models, its
 * arguments checked against the types in the source.
 *
 * The decorator is inert. It records its options on the function itself, where both the legacy and the
 * standard form of decorators can reach it.
 *
 * @example
 * ```ts
 * /** The words that a text uses most. *\/
 * @tool()
 * async topWords(title: string, limit = 10): Promise<WordCount[]> { ... }
 * ```
 */
export function tool(options: ToolOptions = {}): ToolDecorator {
  return (target: object, _nameOrContext: unknown, descriptor?: TypedPropertyDescriptor<Method>) => {
    const method = descriptor?.value ?? target;
    if (typeof method !== "function") throw new TypeError("@tool marks methods only");
    Reflect.defineMetadata(TOOL, Object.freeze({ ...options }), method);
  };
}

/**
 * The options a method was marked with, or undefined for one that is no tool.
 *
 * @example
 * ```ts
 * toolOptions(Reader.prototype.topWords); // {}
 * ```
 */
export function toolOptions(method: Method): ToolOptions | undefined {
  return Reflect.getOwnMetadata(TOOL, method) as ToolOptions | undefined;
}
