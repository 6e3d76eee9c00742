import { ComputerError } from "../errors.ts";
import type { FileSystem, Stats } from "../vfs/types.ts";
import { contentType } from "./content-type.ts";

/** Entries that a listing holds at most. */
const MAX_ENTRIES = 10_000;

/** What a directory's listing says of an entry. */
export interface ListedEntry {
  readonly name: string;
  readonly type: "file" | "directory" | "symlink";
  readonly size: number;
  /** ISO 8601. */
  readonly mtime: string;
}

/** Answers the `files` door. */
export async function serveFiles(request: Request, fs: FileSystem, path: string): Promise<Response> {
  switch (request.method) {
    case "GET":
    case "HEAD":
      return get(request, fs, path);
    case "PUT":
      return put(request, fs, path);
    case "DELETE":
      return remove(request, fs, path);
    default:
      throw new ComputerError("ERR_METHOD_NOT_ALLOWED", "The files door takes GET, HEAD, PUT and DELETE.");
  }
}

async function get(request: Request, fs: FileSystem, path: string): Promise<Response> {
  const stats = await fs.stat(path);
  const bodiless = request.method === "HEAD";
  if (stats.isDirectory()) {
    const listing = bodiless ? null : JSON.stringify(await list(fs, path));
    return new Response(listing, {
      headers: { "content-type": "application/json", "cache-control": "no-store" },
    });
  }
  if (path.endsWith("/"))
    throw Object.assign(new Error(`ENOTDIR: not a directory, '${path}'`), { code: "ENOTDIR", path });

  const etag = etagOf(stats);
  const headers = new Headers({
    "content-type": contentType(path),
    // What an agent wrote must not act as a page of this origin, whatever its type.
    "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    "accept-ranges": "bytes",
    "cache-control": "no-cache",
    "last-modified": stats.mtime.toUTCString(),
    etag,
  });
  if (matches(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });

  const range = rangeOf(request, stats.size, etag);
  if (range === "unsatisfiable") {
    headers.set("content-range", `bytes */${stats.size}`);
    return new Response(null, { status: 416, headers });
  }
  const { start, end } = range ?? { start: 0, end: stats.size - 1 };
  const length = end - start + 1;
  headers.set("content-length", String(length));
  if (range !== undefined) headers.set("content-range", `bytes ${start}-${end}/${stats.size}`);
  const status = range === undefined ? 200 : 206;
  if (bodiless || length === 0) return new Response(null, { status, headers });
  const body = fs.createReadStream(path, range === undefined ? {} : { start, end });
  return new Response(sized(body, length), { status, headers });
}

declare const FixedLengthStream:
  | (new (
      length: number,
    ) => TransformStream<Uint8Array, Uint8Array>)
  | undefined;

/** In workerd a body has a length only when it passes through a stream that knows it. */
function sized(body: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array> {
  if (typeof FixedLengthStream === "undefined") return body;
  const { readable, writable } = new FixedLengthStream(length);
  // A file that changed its length meanwhile breaks the answer off, which the receiver sees.
  body.pipeTo(writable).catch(() => undefined);
  return readable;
}

async function list(
  fs: FileSystem,
  path: string,
): Promise<{ path: string; entries: ListedEntry[]; truncated: boolean }> {
  const names = (await fs.readdir(path)).sort();
  const entries: ListedEntry[] = [];
  const directory = path.replace(/\/+$/, "");
  for (const name of names.slice(0, MAX_ENTRIES)) {
    let stats: Stats;
    try {
      stats = await fs.lstat(`${directory}/${name}`);
    } catch {
      continue; // It went away meanwhile.
    }
    const type = stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "symlink" : "file";
    entries.push({ name, type, size: stats.size, mtime: stats.mtime.toISOString() });
  }
  return { path: directory || "/", entries, truncated: names.length > MAX_ENTRIES };
}

async function put(request: Request, fs: FileSystem, path: string): Promise<Response> {
  if (path.endsWith("/"))
    throw new ComputerError("ERR_BAD_REQUEST", "A file's path does not end in a slash.", { path });
  const onlyNew = request.headers.get("if-none-match") === "*";
  const existed = await fs.exists(path);
  await checkCondition(request, fs, path);
  const parent = path.slice(0, path.lastIndexOf("/"));
  if (parent !== "") await fs.mkdir(parent, { recursive: true });
  const file = fs.createWriteStream(path, onlyNew ? { flag: "wx" } : {});
  // Once more when all has come: the condition is about what would be replaced.
  await copy(request.body, file, () => checkCondition(request, fs, path));
  return new Response(null, { status: existed ? 204 : 201, headers: { etag: etagOf(await fs.stat(path)) } });
}

/** Not `pipeTo`: in workerd it passes over a target that failed before the first byte. */
async function copy(
  source: ReadableStream<Uint8Array> | null,
  target: WritableStream<Uint8Array>,
  last: () => Promise<void>,
): Promise<void> {
  const writer = target.getWriter();
  // What fails is told by the call that it fails.
  writer.closed.catch(() => undefined);
  const reader = source?.getReader();
  try {
    await writer.ready;
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      await writer.write(value);
    }
    await last();
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    await reader?.cancel(error).catch(() => undefined);
    throw error;
  }
}

async function remove(request: Request, fs: FileSystem, path: string): Promise<Response> {
  await checkCondition(request, fs, path);
  const recursive = new URL(request.url).searchParams.get("recursive") === "1";
  await fs.rm(path.replace(/(?<=.)\/+$/, ""), { recursive });
  return new Response(null, { status: 204 });
}

/** Two contents of one file never share it: the time of change is kept to the microsecond. */
function etagOf(stats: Stats): string {
  return `"${[stats.ino, stats.size, Math.round(stats.ctimeMs * 1000)].map((part) => part.toString(36)).join("-")}"`;
}

/** Refuses a change of a file that is not the one its sender has seen, by `if-match` or `if-none-match`. */
async function checkCondition(request: Request, fs: FileSystem, path: string): Promise<void> {
  const only = request.headers.get("if-match");
  const not = request.headers.get("if-none-match");
  // `*` is the stream's own flag, which asks and acts in one.
  if (only === null && (not === null || not === "*")) return;
  const etag = await fs.stat(path).then(etagOf, () => undefined);
  if (only !== null && (etag === undefined || !matches(only, etag))) {
    const what = etag === undefined ? "is not there" : "is another by now";
    throw new ComputerError("ERR_CHANGED", `The file ${what}; read it again before you change it.`, { path });
  }
  if (not !== null && not !== "*" && etag !== undefined && matches(not, etag)) {
    throw new ComputerError("ERR_CHANGED", "The file is still the one that if-none-match names.", { path });
  }
}

function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((entry) => entry.trim() === "*" || entry.trim().replace(/^W\//, "") === etag);
}

/** The one range that a request asks for; undefined where all of the file is the right answer. */
function rangeOf(
  request: Request,
  size: number,
  etag: string,
): { start: number; end: number } | "unsatisfiable" | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  const condition = request.headers.get("if-range");
  if (condition !== null && condition !== etag) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  return start >= size || start > end ? "unsatisfiable" : { start, end };
}
