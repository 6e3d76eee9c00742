import { checkEncoding, toBytes } from "./bytes.ts";
import { invalidType, invalidValue, outOfRange } from "./errors.ts";
import type { RangeOptions } from "./handle-types.ts";

/** What `FileHandle.read` fills when it is given no buffer, as in Node. */
export const READ_BYTES = 16_384;

/** The parameters of `FileHandle.read`, in whichever form they came: which part of a buffer, and from where. */
export function readArguments<B extends Uint8Array>(
  given: B | (RangeOptions & { buffer?: B }) | undefined,
  at: number | null | RangeOptions | undefined,
  length: number | null | undefined,
  position: number | null | undefined,
): { buffer: B; start: number; end: number; from: number | undefined } {
  if (given instanceof Uint8Array) {
    const range = typeof at === "object" && at !== null ? at : { offset: at, length, position };
    return { buffer: given, ...checkRange(given, range) };
  }
  if (given !== undefined && (typeof given !== "object" || given === null))
    throw invalidType("buffer", "an instance of Uint8Array", given);
  const buffer = (given?.buffer ?? new Uint8Array(READ_BYTES)) as B;
  return { buffer, ...checkRange(buffer, given ?? {}) };
}

/** The parameters of `FileHandle.write`: which bytes, and where to. */
export function writeArguments(
  data: Uint8Array | string,
  at: number | null | RangeOptions | undefined,
  length: number | null | string | undefined,
  position: number | null | undefined,
): { bytes: Uint8Array; from: number | undefined } {
  if (typeof data === "string") {
    checkEncoding(length);
    return { bytes: toBytes(data), from: checkPosition(typeof at === "number" ? at : undefined) };
  }
  if (!(data instanceof Uint8Array)) throw invalidType("buffer", "of type string or bytes", data);
  const range =
    typeof at === "object" && at !== null ? at : { offset: at, length: length as number | null, position };
  const { start, end, from } = checkRange(data, range);
  return { bytes: data.subarray(start, end), from };
}

/** Which part of a buffer, and where in the file; refuses what is not there, as Node does. */
function checkRange(
  buffer: Uint8Array,
  { offset, length, position }: { [K in keyof RangeOptions]: RangeOptions[K] | undefined },
): { start: number; end: number; from: number | undefined } {
  if (!(buffer instanceof Uint8Array)) throw invalidType("buffer", "an instance of Uint8Array", buffer);
  const start = count("offset", offset ?? 0, buffer.length);
  const wanted = count("length", length ?? buffer.length - start, buffer.length - start);
  return { start, end: start + wanted, from: checkPosition(position) };
}

function count(name: string, value: unknown, most: number): number {
  if (typeof value !== "number") throw invalidType(name, "of type number", value);
  if (!Number.isSafeInteger(value) || value < 0 || value > most)
    throw outOfRange(name, `an integer >= 0 && <= ${most}`, value);
  return value;
}

/** A place in the file; -1 means, as in Node, where the last call ended. */
function checkPosition(value: unknown): number | undefined {
  if (value === undefined || value === null || value === -1) return undefined;
  const place = typeof value === "bigint" ? Number(value) : value;
  if (typeof place !== "number") throw invalidValue("position", "must be an integer", value);
  if (!Number.isSafeInteger(place) || place < 0) throw outOfRange("position", "an integer >= 0", value);
  return place;
}
