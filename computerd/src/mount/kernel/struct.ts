/** A field of a wire structure: how wide, and what it holds. */
export type Field = "u16" | "u32" | "i32" | "u64" | "i64" | Struct<Fields> | readonly [Field, number];

/** The fields of a structure in the order in which they lie. */
export interface Fields {
  readonly [name: string]: Field;
}

/** A structure of the kernel's wire format: where each field lies, and how long the whole is. */
export interface Struct<F extends Fields> {
  /** The name in the kernel's header, `fuse_attr`. */
  readonly name: string;
  readonly size: number;
  /** Byte offset of each field from the start. */
  readonly at: { readonly [K in keyof F]: number };
  readonly fields: F;
}

/**
 * Declares a structure, laid out as C lays it out: each field aligned to its own width, the whole padded
 * to the widest.
 *
 * @example
 * const FORGET_ONE = struct("fuse_forget_one", { nodeid: "u64", nlookup: "u64" });
 * FORGET_ONE.size; // 16
 * FORGET_ONE.at.nlookup; // 8
 */
export function struct<const F extends Fields>(name: string, fields: F): Struct<F> {
  const at: Record<string, number> = {};
  let end = 0;
  let widest = 1;
  for (const [key, field] of Object.entries(fields)) {
    const align = alignment(field);
    widest = Math.max(widest, align);
    end = roundUp(end, align);
    at[key] = end;
    end += sizeOf(field);
  }
  return { name, size: roundUp(end, widest), at: at as Struct<F>["at"], fields };
}

/** Whether a field is another structure. */
export function isStruct(field: Field): field is Struct<Fields> {
  return typeof field === "object" && !Array.isArray(field);
}

function sizeOf(field: Field): number {
  if (typeof field === "string") return Number(field.slice(1)) / 8;
  if (isStruct(field)) return field.size;
  return sizeOf(field[0]) * field[1];
}

function alignment(field: Field): number {
  if (typeof field === "string") return sizeOf(field);
  if (isStruct(field)) return Math.max(...Object.values(field.fields).map(alignment));
  return alignment(field[0]);
}

function roundUp(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}
