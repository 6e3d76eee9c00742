import { readFileSync } from "node:fs";

/**
 * The version of this package, as every generated file is stamped with it.
 *
 * @example
 * ```ts
 * console.log(VERSION); // "0.1.0"
 * ```
 */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
).version;
