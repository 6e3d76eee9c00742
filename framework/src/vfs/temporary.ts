import { invalidType } from "./errors.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** A prefix with six random characters. */
export function temporaryName(prefix: unknown): string {
  if (typeof prefix !== "string") throw invalidType("prefix", "of type string", prefix);
  const random = crypto.getRandomValues(new Uint32Array(6));
  return prefix + Array.from(random, (number) => LETTERS[number % LETTERS.length]).join("");
}
