import type { WireDirent } from "../doors/protocol.ts";
import { ComputerError } from "../errors.ts";
import type { FindOptions, FindResult, GlobOptions, GrepOptions, GrepResult } from "../search/types.ts";
import type { Dirent } from "../vfs/types.ts";
import type { WatchEvent, WatchOptions } from "../watch/types.ts";
import type { Link } from "./link.ts";
import { plainValue, RemoteDirent } from "./revive.ts";

/** `grep` of a remote workspace. */
export async function grep(
  link: Link,
  pattern: string | RegExp,
  { signal, ...options }: GrepOptions = {},
): Promise<GrepResult> {
  const text = pattern instanceof RegExp ? { source: pattern.source, flags: pattern.flags } : pattern;
  return plainValue(
    await unlessAborted(signal, () => link.use((root) => root.workspace.fs.grep(text, options))),
  ) as GrepResult;
}

/** `find` of a remote workspace. */
export async function find(link: Link, { signal, ...options }: FindOptions = {}): Promise<FindResult> {
  return plainValue(
    await unlessAborted(signal, () => link.use((root) => root.workspace.fs.find(options))),
  ) as FindResult;
}

/** `glob` of a remote workspace. */
export async function* glob(
  link: Link,
  pattern: string | readonly string[],
  { signal, ...options }: GlobOptions = {},
): AsyncGenerator<string | Dirent, void, undefined> {
  if (typeof options.exclude === "function") {
    throw new ComputerError("ERR_UNSUPPORTED", "From outside, exclude takes globs, not a function.");
  }
  const open = () => link.use((root) => root.workspace.fs.glob(pattern, options));
  for await (const found of pump<string | WireDirent>(link, open, signal)) {
    yield typeof found === "string" ? found : new RemoteDirent(found);
  }
}

/** `watch` of a remote workspace. It begins with the first event that is asked for. */
export function watch(
  link: Link,
  path: string,
  { signal, ...options }: WatchOptions = {},
): AsyncIterableIterator<WatchEvent> {
  return pump<WatchEvent>(link, () => link.use((root) => root.workspace.watch(path, options)), signal);
}

async function* pump<T>(
  link: Link,
  open: () => Promise<ReadableStream<T>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  if (link.transport === "batch") {
    throw new ComputerError("ERR_UNSUPPORTED", 'This streams, which needs transport: "websocket".');
  }
  const reader = (await unlessAborted(signal, open)).getReader();
  try {
    for (;;) {
      const { done, value } = await unlessAborted(signal, () => link.use(() => reader.read()));
      if (done) return;
      yield plainValue(value) as T;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** A remote value, unless the caller wants it no more: the worker then goes on alone for a while. */
async function unlessAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  if (signal === undefined) return await work();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
