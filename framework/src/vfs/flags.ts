import { constants } from "./constants.ts";
import { invalidType, invalidValue, outOfRange } from "./errors.ts";
import type { OpenFlags } from "./handle-types.ts";

/** How a file is opened, taken apart. */
export interface Opening {
  readonly read: boolean;
  readonly write: boolean;
  readonly append: boolean;
  readonly create: boolean;
  readonly exclusive: boolean;
  readonly truncate: boolean;
  /** Only a directory will do. */
  readonly directory: boolean;
  /** A symbolic link at the end of the path will not do. */
  readonly noFollow: boolean;
}

const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY, O_NOFOLLOW } = constants;

/** The names that Node knows. `x` asks for a new file; `s` for what is so anyway: that writes are durable. */
const NAMED: Readonly<Record<string, number>> = Object.fromEntries(
  (
    [
      ["r rs sr", O_RDONLY],
      ["r+ rs+ sr+", O_RDWR],
      ["w", O_TRUNC | O_CREAT | O_WRONLY],
      ["wx xw", O_TRUNC | O_CREAT | O_EXCL | O_WRONLY],
      ["w+", O_TRUNC | O_CREAT | O_RDWR],
      ["wx+ xw+", O_TRUNC | O_CREAT | O_EXCL | O_RDWR],
      ["a as sa", O_APPEND | O_CREAT | O_WRONLY],
      ["ax xa", O_APPEND | O_CREAT | O_EXCL | O_WRONLY],
      ["a+ as+ sa+", O_APPEND | O_CREAT | O_RDWR],
      ["ax+ xa+", O_APPEND | O_CREAT | O_EXCL | O_RDWR],
    ] as const
  ).flatMap(([names, bits]) => names.split(" ").map((name) => [name, bits] as const)),
);

/** Everything that opening can ask for here; more would be promised and not kept. */
const KNOWN = Object.entries(constants).reduce(
  (all, [name, bits]) => (name.startsWith("O_") ? all | bits : all),
  0,
);

/** Takes the flags of `open` apart, whichever form they have. */
export function parseFlags(flags: OpenFlags | undefined | null): Opening {
  const bits = toBits(flags ?? "r");
  const access = bits & 3;
  if (access === 3 || (bits & ~KNOWN) !== 0)
    throw invalidValue("flags", "ask for what this file system does not have", flags);
  const asks = (bit: number) => (bits & bit) !== 0;
  return {
    read: access !== O_WRONLY,
    write: access !== O_RDONLY,
    append: asks(O_APPEND),
    create: asks(O_CREAT),
    exclusive: asks(O_CREAT) && asks(O_EXCL),
    truncate: asks(O_TRUNC),
    directory: asks(O_DIRECTORY),
    noFollow: asks(O_NOFOLLOW),
  };
}

function toBits(flags: unknown): number {
  if (typeof flags === "number") {
    if (!Number.isInteger(flags) || flags < 0 || flags > 0x7fff_ffff)
      throw outOfRange("flags", "a 32-bit integer >= 0", flags);
    return flags;
  }
  if (typeof flags !== "string") throw invalidType("flags", "of type string or number", flags);
  const bits = Object.hasOwn(NAMED, flags) ? NAMED[flags] : undefined;
  if (bits === undefined) throw invalidValue("flags", "is not one of those of node:fs", flags);
  return bits;
}
