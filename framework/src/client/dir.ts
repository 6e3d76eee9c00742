import { MAX_DIRENTS } from "../doors/protocol.ts";
import type { Dir, Dirent } from "../vfs/types.ts";
import type { Link } from "./link.ts";
import { plainValue, RemoteDirent } from "./revive.ts";
import type { RemoteDirStub } from "./root.ts";

/** A directory that is listed from outside, some entries at a time. */
export class RemoteDir implements Dir {
  readonly path: string;
  readonly #fetch: () => Promise<Dirent[]>;
  readonly #end: () => void;
  #ahead: Dirent[] = [];
  #closed = false;

  constructor(link: Link, path: string, stub: RemoteDirStub);
  constructor(link: undefined, path: string, entries: Dirent[]);
  constructor(link: Link | undefined, path: string, source: RemoteDirStub | Dirent[]) {
    this.path = path;
    if (Array.isArray(source)) {
      this.#ahead = [...source];
      this.#fetch = async () => [];
      this.#end = () => undefined;
    } else {
      this.#fetch = async () => {
        const entries = await (link as Link).use(() => source.read(MAX_DIRENTS));
        return entries.map((entry) => new RemoteDirent(plainValue(entry) as typeof entry));
      };
      this.#end = () => source[Symbol.dispose]();
    }
  }

  async read(): Promise<Dirent | null> {
    if (this.#closed) throw closed();
    if (this.#ahead.length === 0) this.#ahead = await this.#fetch();
    return this.#ahead.shift() ?? null;
  }

  async close(): Promise<void> {
    if (this.#closed) throw closed();
    this.#close();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Dirent> {
    try {
      for (let entry = await this.read(); entry !== null; entry = await this.read()) yield entry;
    } finally {
      this.#close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ahead = [];
    this.#end();
  }
}

/** A listing that came whole. */
export function listRemote(path: string, entries: Dirent[]): Dir {
  return new RemoteDir(undefined, path, entries);
}

function closed(): Error {
  return Object.assign(new Error("Directory handle was closed"), { code: "ERR_DIR_CLOSED" });
}
