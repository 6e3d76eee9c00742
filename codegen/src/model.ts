/**
 * What codegen knows of a project, as plain data: everything that is emitted is a pure function of a
 * {@link ProjectModel}, which may be printed, compared, or kept.
 */
import type { Span } from "./diagnostics/diagnostic.ts";

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A project: its agents, and the types that their tools mention. */
export interface ProjectModel {
  /** The worker's name: the package's, made fit for Cloudflare. */
  readonly name: string;
  /** Ordered by name. */
  readonly agents: readonly AgentModel[];
  /** Interfaces, aliases and enums that tools mention, by the name that they have in the client; ordered by name. */
  readonly types: Readonly<Record<string, NamedType>>;
  /** Classes of earlier versions, declared as renamed or deleted; ordered by name. */
  readonly retired: readonly RetiredClass[];
}

/** A class of an earlier version of the project whose stored data must be dealt with (D16). */
export interface RetiredClass {
  /** The name of the Durable Object class that was: `OldReaderObject`. */
  readonly objectName: string;
  /** The class that takes over its data; absent when the data is to be deleted. */
  readonly renamedTo?: string;
}

/** An agent class. */
export interface AgentModel {
  /** `Reader` */
  readonly className: string;
  /** The name under which its module exports it; `default` for a default export. */
  readonly exportName: string;
  /** The Durable Object class that is emitted for it: `ReaderObject`. */
  readonly objectName: string;
  /** The binding of its namespace: `READER`. */
  readonly binding: string;
  /** In URLs: `reader`. */
  readonly name: string;
  /** In clients: `reader`, for `text-reader` `textReader`. */
  readonly clientName: string;
  readonly description?: string;
  readonly at: Span;
  /** What its constructor takes, in order. */
  readonly constructorParameters: readonly Injection[];
  /** Whether it has `static authorize(request, env)`. */
  readonly authorize: boolean;
  /** In the order of the source, inherited ones after. */
  readonly tools: readonly ToolModel[];
}

/** What codegen hands to a constructor. */
export type Injection = "workspace" | "env" | "id";

/** A method marked as a tool. */
export interface ToolModel {
  /** Its name at every door. */
  readonly name: string;
  /** Its name in the class. */
  readonly method: string;
  readonly description?: string;
  readonly at: Span;
  readonly parameters: readonly ParameterModel[];
  /** What its promise resolves to; kind `void` for nothing. */
  readonly result: TypeModel;
}

/** A parameter of a tool. */
export interface ParameterModel {
  readonly name: string;
  readonly description?: string;
  readonly type: TypeModel;
  readonly optional: boolean;
  /** The default, where it is written as a literal. */
  readonly default?: Json;
}

/** A type that has a name in the client. */
export interface NamedType {
  readonly name: string;
  readonly description?: string;
  readonly type: TypeModel;
}

/** A type as it crosses the boundary. */
export type TypeModel =
  /** `json` is any JSON value: TypeScript's `unknown` and `any`. `never` stands for a property that must be absent. */
  | { readonly kind: "string" | "number" | "boolean" | "null" | "void" | "never" | "json" | "date" | "bytes" }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "array"; readonly items: TypeModel; readonly readonly: boolean }
  | { readonly kind: "tuple"; readonly elements: readonly TupleElement[]; readonly readonly: boolean }
  | { readonly kind: "object"; readonly properties: readonly PropertyModel[]; readonly values?: TypeModel }
  | { readonly kind: "union"; readonly members: readonly TypeModel[]; readonly discriminator?: string }
  | { readonly kind: "ref"; readonly name: string };

/** An element of a tuple. A rest element stands for any number of its type and is the last. */
export interface TupleElement {
  readonly type: TypeModel;
  readonly optional: boolean;
  readonly rest: boolean;
}

/** A property of an object type. */
export interface PropertyModel {
  readonly name: string;
  readonly description?: string;
  readonly type: TypeModel;
  readonly optional: boolean;
  readonly readonly: boolean;
}
