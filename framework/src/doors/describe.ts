/** The kind of a value, in words. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid date" : "a date";
  if (value instanceof Uint8Array) return "bytes";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value === "object") return "an object";
  return `a ${typeof value}`;
}

/** A value as it is written in code, cut when it is long; an object only by its kind. */
export function quote(value: unknown): string {
  if (typeof value === "object" && value !== null) return describe(value);
  const text = typeof value === "bigint" ? `${value}n` : (JSON.stringify(value) ?? String(value));
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
