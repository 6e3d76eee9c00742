/** How the names in generated code are made out of the names in the source. All functions are pure. */

/**
 * Splits an identifier into its words: at hyphens, underscores, digits' ends and changes of case.
 *
 * @example
 * ```ts
 * words("HTTPReaderV2"); // ["HTTP", "Reader", "V2"]
 * ```
 */
export function words(name: string): string[] {
  return name.match(/\p{Lu}+(?!\p{Ll})\d*|\p{Lu}?[\p{Ll}\p{Lo}]+\d*|\p{Lu}\d*|\d+/gu) ?? [];
}

/** `TextReader` -> `text-reader`: the agent's name in URLs. */
export function kebabCase(name: string): string {
  return words(name)
    .map((word) => word.toLowerCase())
    .join("-");
}

/** `TextReader` -> `TEXT_READER`: the binding of an agent class, never one that the worker has already. */
export function bindingName(className: string): string {
  const name = words(className)
    .map((word) => word.toUpperCase())
    .join("_");
  return name === "" || name === "LOADER" || name.startsWith("COMPUTER_")
    ? `AGENT_${name}`.replace(/_$/, "")
    : name;
}

/** `text-reader` -> `TextReader`. */
export function pascalCase(name: string): string {
  return words(name)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** `text-reader` -> `textReader`: the agent's method of a client. */
export function camelCase(name: string): string {
  const pascal = words(name)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join("");
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

/** Whether a property of this name may be written without quotes. */
export function isIdentifier(name: string): boolean {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name);
}

/** The name as a property key in source: bare where that is allowed, quoted elsewhere. */
export function propertyKey(name: string): string {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

/** The expression that reads a property: `args.title`, `args["a b"]`. */
export function propertyAccess(object: string, name: string): string {
  return isIdentifier(name) ? `${object}.${name}` : `${object}[${JSON.stringify(name)}]`;
}

/** What agents may be called: it stands in URLs. */
export const AGENT_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** What tools may be called: they are methods of stubs and clients, and models see them. */
export const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/**
 * Names that a tool cannot have, each with the reason: a method of that name would hide, or be hidden
 * by, what a client or a capnweb stub already has there.
 */
export const RESERVED_TOOL_NAMES: ReadonlyMap<string, string> = new Map([
  ["workspace", "a client reaches the agent's files and runs there"],
  ["fs", "a client reaches the agent's files there"],
  ["runtime", "a client reaches the agent's runs there"],
  ["dispose", "it would pass for the client's own disposal"],
  ["call", "every agent's stub has a method of that name"],
  ["then", "an object with a `then` method is taken for a promise"],
  ["catch", "an object with a `catch` method is taken for a promise"],
  ["finally", "an object with a `finally` method is taken for a promise"],
  ["dup", "every capnweb stub has a method of that name"],
  ["map", "every capnweb stub has a method of that name"],
  ["onRpcBroken", "every capnweb stub has a method of that name"],
  ...Object.getOwnPropertyNames(Object.prototype).map((name): [string, string] => [
    name,
    "every object has a property of that name",
  ]),
  ["toJSON", "JSON would call it on every stub"],
]);

/** Words that TypeScript does not take as the name of a parameter in strict code. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null package private protected " +
    "public return static super switch this throw true try typeof var void while with yield"
  ).split(" "),
);

/**
 * Hands out names that are never the same twice: the second `match` becomes `match2`.
 *
 * @example
 * ```ts
 * const unique = uniqueNames(["Client"]);
 * unique("Client"); // "Client2"
 * unique("Match"); // "Match"
 * ```
 */
export function uniqueNames(taken: Iterable<string> = []): (wish: string) => string {
  const used = new Set(taken);
  return (wish) => {
    let name = wish;
    for (let n = 2; used.has(name); n++) name = `${wish}${n}`;
    used.add(name);
    return name;
  };
}
