import type { EntryStat } from "../protocol.ts";
import { bytesFromLatin1 } from "./bytes.ts";
import { FileError } from "./errors.ts";

/** Where the interpreter is told to send output that must leave at once. */
export const LIVE = {
  stdout: "/dev/.run/stdout",
  stderr: "/dev/.run/stderr",
  tick: "/dev/.run/tick",
} as const;
/** How much a device without an end gives to a reader that wants it whole. */
const ENDLESS_BYTES = 1024 * 1024;
const ENDLESS: ReadonlySet<string> = new Set(["/dev/zero", "/dev/random", "/dev/urandom"]);
const SINKS: Readonly<Record<string, "stdout" | "stderr">> = {
  [LIVE.stdout]: "stdout",
  [LIVE.stderr]: "stderr",
  "/dev/stdout": "stdout",
  "/dev/stderr": "stderr",
};

/** What the devices are connected to. */
export interface DeviceHooks {
  output(stream: "stdout" | "stderr", data: Uint8Array): Promise<void>;
  /** Called between the steps of a script. */
  tick(): Promise<void>;
}

/**
 * `/dev` of one run. It belongs to the shell, not to the workspace: the null device, the ways out for
 * output, and the descriptors that process substitution (`<(...)`) writes and reads.
 */
export class Devices {
  readonly #hooks: DeviceHooks;
  readonly #scratch = new Map<string, Uint8Array>();

  constructor(hooks: DeviceHooks) {
    this.#hooks = hooks;
  }

  /** Whether the path belongs to the devices. */
  static owns(path: string): boolean {
    return path === "/dev" || path.startsWith("/dev/");
  }

  exists(path: string): boolean {
    return path === "/dev" || path === "/dev/fd" || this.#names().includes(path) || this.#scratch.has(path);
  }

  stat(path: string): EntryStat {
    if (!this.exists(path)) throw missing(path, "stat");
    const isFolder = path === "/dev" || path === "/dev/fd";
    const size = this.#scratch.get(path)?.length ?? 0;
    return {
      kind: isFolder ? "directory" : "file",
      mode: isFolder ? 0o755 : 0o666,
      size,
      mtimeMs: 0,
      ino: 0,
    };
  }

  list(path: string): string[] {
    if (path === "/dev") return [...this.#names().map((name) => name.slice("/dev/".length)), "fd"].sort();
    if (path === "/dev/fd")
      return [...this.#scratch.keys()].map((name) => name.slice("/dev/fd/".length)).sort();
    throw missing(path, "scandir");
  }

  read(path: string): Uint8Array {
    const scratch = this.#scratch.get(path);
    if (scratch !== undefined) return scratch;
    if (path === "/dev/null") return new Uint8Array(0);
    if (!ENDLESS.has(path)) throw missing(path, "open");
    const bytes = new Uint8Array(ENDLESS_BYTES);
    if (path !== "/dev/zero") {
      for (let at = 0; at < bytes.length; at += 65_536)
        crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    }
    return bytes;
  }

  async write(
    path: string,
    data: string | Uint8Array,
    encode: (text: string) => Uint8Array,
    append: boolean,
  ) {
    if (path === LIVE.tick) return this.#hooks.tick();
    const stream = SINKS[path];
    if (stream !== undefined) {
      await this.#hooks.tick();
      const bytes = typeof data === "string" ? encode(data) : data;
      if (bytes.length > 0) await this.#hooks.output(stream, bytes);
      return;
    }
    if (path.startsWith("/dev/fd/")) {
      const bytes = typeof data === "string" ? encode(data) : data.slice();
      const before = append ? this.#scratch.get(path) : undefined;
      this.#scratch.set(path, before === undefined ? bytes : concat(before, bytes));
      return;
    }
    if (path !== "/dev/null" && !ENDLESS.has(path)) throw refused(path);
  }

  remove(path: string): void {
    if (!this.#scratch.delete(path)) throw refused(path);
  }

  #names(): string[] {
    return ["/dev/null", "/dev/stdout", "/dev/stderr", ...ENDLESS];
  }
}

/** The encoding that the interpreter names when it writes a string. */
export function encoderFor(
  encoding: string | undefined,
  encodeText: (text: string) => Uint8Array,
): (text: string) => Uint8Array {
  switch (encoding) {
    case "binary":
    case "latin1":
    case "ascii":
      return bytesFromLatin1;
    case "base64":
      return (text) => bytesFromLatin1(atob(text));
    case "hex":
      return (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
    default:
      return encodeText;
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

function missing(path: string, syscall: string): Error {
  return new FileError({
    code: "ENOENT",
    message: `ENOENT: no such file or directory, ${syscall} '${path}'`,
  });
}

function refused(path: string): Error {
  return new FileError({ code: "EACCES", message: `EACCES: permission denied, '${path}'` });
}
