import { INLINE_BYTES } from "../vfs/layout.ts";
import { isDirectory, isFile, isSymlink } from "../vfs/node.ts";
import type { Tree } from "../vfs/tree.ts";
import { behind, type Cursor, decodeCursor, encodeCursor } from "./cursor.ts";
import { type Content, FileSearch, type LineOptions } from "./file-search.ts";
import { createMatcher, type Matcher } from "./matcher.ts";
import { searchRoot, whole } from "./options.ts";
import { Scope, type ScopeState } from "./scope.ts";
import { BINARY_PREFIX, type Entry, entryOf, type Small, Source } from "./source.ts";
import { COST, type StepObserver, Steps } from "./steps.ts";
import type { GrepMatch, GrepOptions, GrepResult, SearchLimit } from "./types.ts";
import { below, type Place, type Run, Walk } from "./walk.ts";

/** Characters of an answer, entries and bytes that one call looks at. */
export const ANSWER_MAX = 1_000_000;
export const ENTRIES_MAX = 1_000_000;
const BYTES_MAX = 4 * 1024 ** 3;

/** Bytes of small files that are searched by the database in one go, and that are taken out of it. */
const FILTERED_BYTES = 2 * 1024 * 1024;
const FETCHED_BYTES = 512 * 1024;

/** See `FileSystem.grep`. */
export async function grep(
  tree: () => Tree,
  pattern: string | RegExp,
  options: GrepOptions = {},
  observer?: StepObserver,
): Promise<GrepResult> {
  return new Grep(tree, pattern, options, observer).run();
}

class Grep {
  readonly #source: Source;
  readonly #steps: Steps;
  readonly #matcher: Matcher;
  readonly #scope: Scope;
  readonly #root: string;
  readonly #options: LineOptions;
  readonly #limit: number;
  readonly #limitPerFile: number;
  readonly #follow: boolean;
  readonly #after: ReturnType<typeof decodeCursor> | undefined;
  readonly #limits = new Set<SearchLimit>();
  readonly #matches: GrepMatch[] = [];
  #cursor: Cursor | undefined;
  #size = 0;
  #entries = 0;
  #bytes = 0;
  #files = 0;
  #binary = 0;

  constructor(tree: () => Tree, pattern: string | RegExp, options: GrepOptions, observer?: StepObserver) {
    this.#source = new Source(tree);
    this.#steps = new Steps(options.signal, tree, observer);
    this.#matcher = createMatcher(pattern, {
      fixed: options.fixed === true,
      ignoreCase: options.ignoreCase === true,
    });
    this.#root = searchRoot(options.path);
    const context = whole("context", options.context, 0, 20, 0);
    this.#options = {
      before: whole("before", options.before, 0, 20, context),
      after: whole("after", options.after, 0, 20, context),
      maxLineLength: whole("maxLineLength", options.maxLineLength, 40, 10_000, 500),
    };
    this.#limit = whole("limit", options.limit, 1, 10_000, 1000);
    this.#limitPerFile = whole("limitPerFile", options.limitPerFile, 1, 1_000_000, Number.POSITIVE_INFINITY);
    this.#follow = options.followSymlinks === true;
    this.#after = options.cursor === undefined ? undefined : decodeCursor(options.cursor, this.#root);
    this.#scope = new Scope(this.#source, this.#root, options);
  }

  async run(): Promise<GrepResult> {
    const node = this.#source.existing(this.#root, "open");
    const state = this.#scope.root;
    if (isDirectory(node.mode)) await this.#walk(node.id, state);
    else if (this.#after === undefined || this.#after.line > 0) {
      await this.#search(this.#root, entryOf("", node), undefined);
    }
    if (this.#scope.cut) this.#limits.add("gitignore");
    return {
      matches: this.#matches,
      limits: [...this.#limits],
      files: this.#files,
      binary: this.#binary,
      ...(this.#cursor && { cursor: encodeCursor(this.#cursor) }),
    };
  }

  async #walk(id: number, state: ScopeState): Promise<void> {
    const after = this.#after;
    if (after !== undefined && after.line > 0) {
      // The search stopped in a file: the rest of it comes first, if it is still there.
      const file = this.#source.descend(id, this.#root, after.names);
      if (file !== undefined && isFile(file.mode)) await this.#search(after.path, file, undefined);
    }
    const walk = new Walk(this.#source, { id, path: this.#root, state }, this.#scope, after?.names);
    while (this.#cursor === undefined) {
      const run = walk.next();
      this.#entries += walk.work;
      if (this.#steps.spent(walk.work * COST.entry)) await this.#steps.rest();
      if (run === undefined) return;
      await this.#run(run);
    }
  }

  async #run({ place, entries }: Run<ScopeState>): Promise<void> {
    const files: Entry[] = [];
    const cost = this.#scope.cost(place) - COST.entry;
    for (const entry of entries) {
      if (cost > 0 && this.#steps.spent(cost)) await this.#steps.rest();
      const file = this.#file(place, entry);
      if (file !== undefined && this.#scope.admits(place, entry)) files.push(file);
    }
    // All that is between two names can be asked for by these.
    const whole = files.length === entries.length && !this.#follow;
    for (let i = 0; i < files.length && this.#cursor === undefined; )
      i = await this.#batch(place, files, i, whole);
    const last = entries.at(-1);
    if (this.#cursor === undefined && last !== undefined && this.#exhausted()) {
      this.#limits.add("work");
      this.#cursor = behind(below(place.path, last.name));
    }
  }

  /** The file that an entry is, or leads to by a link that is followed. */
  #file(place: Place<ScopeState>, entry: Entry): Entry | undefined {
    if (isFile(entry.mode)) return entry;
    if (!this.#follow || !isSymlink(entry.mode)) return undefined;
    const node = this.#source.follow(below(place.path, entry.name));
    if (node === undefined || !isFile(node.mode)) return undefined;
    return entryOf(entry.name, node);
  }

  /** Searches some files, the small ones among them together; answers how many are done. */
  async #batch(
    place: Place<ScopeState>,
    files: readonly Entry[],
    from: number,
    whole: boolean,
  ): Promise<number> {
    const { needle } = this.#matcher;
    const most = needle === undefined ? FETCHED_BYTES : FILTERED_BYTES;
    const small: number[] = [];
    let bytes = 0;
    let to = from;
    for (; to < files.length && bytes < most; to++) {
      const { size, node } = files[to] as Entry;
      if (size > INLINE_BYTES || size === 0) continue;
      small.push(node);
      bytes += size;
    }
    const [first, last] = [files[from] as Entry, files[to - 1] as Entry];
    const wanted = whole ? { directory: place.id, first: first.bytes, last: last.bytes } : small;
    const contents = small.length === 0 ? undefined : this.#source.contents(wanted, needle);
    if (this.#steps.spent(bytes * COST.byte + small.length * COST.entry)) await this.#steps.rest();
    for (let i = from; i < to; i++) {
      const entry = files[i] as Entry;
      if (entry.size > INLINE_BYTES) await this.#search(below(place.path, entry.name), entry, undefined);
      else {
        const known = contents?.get(entry.node);
        if (known) await this.#search(below(place.path, entry.name), entry, known);
        else this.#count(entry, known === null);
      }
      if (this.#cursor !== undefined) return i + 1;
    }
    return to;
  }

  #count(entry: Entry, binary: boolean): void {
    this.#bytes += entry.size;
    if (binary) this.#binary += 1;
    else this.#files += 1;
  }

  /** Searches one file. */
  async #search(path: string, entry: Entry, small: Small | undefined): Promise<void> {
    const resumed = this.#after?.path === path && this.#after.line > 0 ? this.#after : undefined;
    const version = small ? undefined : this.#source.open(entry.node);
    const content = small ? inMemory(small) : version;
    if (content === undefined) return;
    try {
      const binary = content.read(0, Math.min(content.size, BINARY_PREFIX)).includes(0);
      if (resumed === undefined) this.#count(entry, binary);
      else this.#bytes += entry.size;
      if (binary) return;
      const same = resumed?.node === entry.node && resumed.rev === this.#source.node(entry.node)?.rev;
      let count = resumed?.matches ?? 0;
      let refused = 0;
      const search = new FileSearch(
        path,
        this.#matcher,
        this.#options,
        this.#steps,
        (match) => {
          const limit = count >= this.#limitPerFile ? "perFile" : this.#full(match);
          if (limit !== undefined) {
            this.#limits.add(limit);
            if (limit !== "perFile") refused = match.line;
            return false;
          }
          count += 1;
          this.#matches.push(match);
          return true;
        },
        { line: resumed?.line ?? 1, at: same ? resumed.at : 0 },
      );
      await search.run(content);
      if (search.cut) this.#limits.add("lineLength");
      if (refused > 0) {
        const { node } = entry;
        const rev = this.#source.node(node)?.rev ?? 0;
        this.#cursor = { path, line: refused, matches: count, at: search.refusedAt, node, rev };
      }
    } finally {
      version?.release();
    }
  }

  /** Whether the answer has no room for a match, and why; one match always has. */
  #full({ path, text, before = [], after = [] }: GrepMatch): SearchLimit | undefined {
    if (this.#matches.length >= this.#limit) return "results";
    let size = path.length + text.length;
    for (const line of before) size += line.length;
    for (const line of after) size += line.length;
    // Lines that come later are counted as if they were long.
    size += (this.#options.after - after.length) * this.#options.maxLineLength;
    if (this.#matches.length > 0 && this.#size + size > ANSWER_MAX) return "size";
    this.#size += size;
    return undefined;
  }

  #exhausted(): boolean {
    return this.#entries >= ENTRIES_MAX || this.#bytes >= BYTES_MAX;
  }
}

function inMemory(bytes: Uint8Array): Content {
  return { size: bytes.length, read: (start, end) => bytes.subarray(start, end) };
}
