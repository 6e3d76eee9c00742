import { invalidType, outOfRange } from "./errors.ts";

/**
 * A time as `utimes` takes it, in milliseconds: a number or numeric string is SECONDS since 1970, as in `node:fs`.
 * One before 1970 is what it says; Node takes a negative number for the present.
 */
export function milliseconds(name: string, time: unknown): number {
  const ms = time instanceof Date ? time.getTime() : seconds(name, time) * 1000;
  if (!(Math.abs(ms) <= 8.64e15)) throw outOfRange(name, "a moment that a Date can hold", time);
  return ms;
}

function seconds(name: string, time: unknown): number {
  const value = typeof time === "string" ? Number(time) : time;
  if (typeof value !== "number" || !Number.isFinite(value))
    throw invalidType(name, "an instance of Date or a time in seconds", time);
  return value;
}
