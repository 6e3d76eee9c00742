import { CHUNK_BYTES, INLINE_BYTES, ROOT } from "../vfs/layout.ts";
import { isDirectory, type Node } from "../vfs/node.ts";
import type { Entry } from "../vfs/store.ts";
import type { ForkBatch, ForkColumns, ForkEntry, ForkReceiver, ForkResult } from "./types.ts";
import type { Held } from "./views.ts";

/** Entries and bytes of a batch. */
const BATCH_ENTRIES = 64;
const BATCH_BYTES = 1024 * 1024;
/** Chunks that are looked up and sent in one go. */
const BATCH_CHUNKS = 4;

/** Sends a state of the tree to a receiver, directory by directory, a bounded batch at a time. */
export class Fork {
  readonly #from: Held;
  readonly #to: ForkReceiver;
  /** Files with several names that have been sent. */
  readonly #sent = new Set<number>();
  #entries: ForkEntry[] = [];
  #bytes = 0;
  #result = { entries: 0, bytes: 0 };

  constructor(from: Held, to: ForkReceiver) {
    this.#from = from;
    this.#to = to;
  }

  async run(): Promise<ForkResult> {
    const { store } = this.#from;
    await this.#to.begin(columns(store.node(ROOT)));
    const levels: Level[] = [{ directory: ROOT, page: [], after: undefined, more: true }];
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      if (level.page.length === 0) {
        const limit = levels.length < 256 ? BATCH_ENTRIES : 4;
        level.page = level.more ? store.entries(level.directory, level.after, limit).reverse() : [];
        level.more = level.page.length === limit;
      }
      const entry = level.page.pop();
      if (entry === undefined) {
        levels.pop();
        continue;
      }
      level.after = entry.bytes;
      await this.#send(level.directory, entry);
      if (isDirectory(entry.mode)) {
        levels.push({ directory: entry.node, page: [], after: undefined, more: true });
      }
    }
    await this.#flush();
    return this.#result;
  }

  async #send(parent: number, { bytes: name, node: id }: Entry): Promise<void> {
    const node = this.#from.store.node(id);
    const known = this.#sent.has(id);
    if (node.nlink > 1 && !isDirectory(node.mode)) this.#sent.add(id);
    const data = known || !isSmall(node) ? undefined : this.#from.tree.content.read(node);
    const made = known ? undefined : { columns: columns(node), ...(data === undefined ? {} : { data }) };
    this.#entries.push({ parent, name, node: id, ...(made === undefined ? {} : { made }) });
    this.#bytes += data?.length ?? 0;
    this.#result.entries++;
    if (!known && !isDirectory(node.mode)) this.#result.bytes += node.size;
    const large = !known && !isDirectory(node.mode) && node.size > INLINE_BYTES;
    if (large || this.#entries.length >= BATCH_ENTRIES || this.#bytes >= BATCH_BYTES) await this.#flush();
    if (large) await this.#sendChunks(node);
  }

  async #sendChunks({ id, size }: Node): Promise<void> {
    for (let from = 0; from * CHUNK_BYTES < size; ) {
      const rows = this.#from.store.extents(id, from, BATCH_CHUNKS);
      const last = rows.at(-1);
      if (last === undefined) return;
      const missing = new Set(await this.#to.missing(rows.map(({ hash }) => hash)));
      const extents = rows.map(({ idx: index, hash }, i) => ({
        node: id,
        index,
        hash,
        ...(missing.has(i) ? { data: this.#from.tree.chunks.read(hash) } : {}),
      }));
      await this.#to.put({ entries: [], extents });
      from = last.idx + 1;
    }
  }

  async #flush(): Promise<void> {
    if (this.#entries.length === 0) return;
    const batch: ForkBatch = { entries: this.#entries, extents: [] };
    this.#entries = [];
    this.#bytes = 0;
    await this.#to.put(batch);
  }
}

interface Level {
  readonly directory: number;
  page: Entry[];
  after: Uint8Array | undefined;
  more: boolean;
}

function isSmall(node: Node): boolean {
  return !isDirectory(node.mode) && node.size > 0 && node.size <= INLINE_BYTES;
}

function columns(node: Node): ForkColumns {
  const { mode, uid, gid, size, atime_s, atime_ns, mtime_s, mtime_ns, ctime_s, ctime_ns, btime_s, btime_ns } =
    node;
  return { mode, uid, gid, size, atime_s, atime_ns, mtime_s, mtime_ns, ctime_s, ctime_ns, btime_s, btime_ns };
}
