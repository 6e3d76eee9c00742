import { ComputerError } from "../errors.ts";
import { type Call, fsError } from "./errors.ts";
import { ROOT } from "./layout.ts";
import type { Sql } from "./sql/types.ts";

/** What a workspace may hold; what is not given is not limited. */
export interface Quota {
  /** Bytes of all files together, each with its whole size, holes included. More is `EDQUOT`. */
  readonly bytes?: number;
  /** Files, directories and symbolic links. More is `EDQUOT`. */
  readonly entries?: number;
  /** Bytes of one file. More is `EFBIG`. */
  readonly fileBytes?: number;
}

/** A quota as it was given; refuses what is none. */
export function checkQuota(quota: Quota = {}): Quota {
  for (const [name, value] of Object.entries(quota)) {
    const known = name === "bytes" || name === "entries" || name === "fileBytes";
    if (known && (value === undefined || (Number.isSafeInteger(value) && value >= 0))) continue;
    throw new ComputerError(
      "ERR_BAD_ARGUMENT",
      `quota.${name}: a quota has bytes, entries and fileBytes, each a whole number from 0 on.`,
      { path: `/quota/${name}` },
    );
  }
  return quota;
}

/** A quota, and what the platform allows. */
export interface Limits extends Quota {
  /** Bytes that the database may have before growth is refused (`ENOSPC`). */
  readonly storedBytes?: number;
}

/** Bytes that a change of one entry adds to the database at most, about, besides twice its content. */
const CHANGE_BYTES = 64 * 1024;

/** Bytes that the database may grow by without being asked for its size. */
const UNASKED_BYTES = 16 * 1024 * 1024;

/** Rows that are counted in one go. */
const STEP_ROWS = 16_384;

/**
 * Counts bytes and entries, exactly, and refuses growth beyond the limits. The counts are in memory and cost no
 * row: they follow every change, and what was there when the database was opened is counted when somebody
 * wants to know, in steps. A node that is not counted yet is counted with whatever has become of it.
 */
export class Usage {
  readonly #sql: Sql;
  readonly #limits: Limits;
  /** Frees what may be freed at once, when the database is full. */
  #reclaim: () => void = () => {};
  /** Bytes that the database may surely still grow by before its size must be asked for again. */
  #unasked = 0;
  /** Nodes up to this number are counted. */
  #counted = ROOT;
  #complete = false;
  #bytes = 0;
  #entries = 0;
  /** What the revision being made adds. */
  #pending = { bytes: 0, entries: 0, grows: false, growth: 0 };

  constructor(sql: Sql, limits: Limits = {}) {
    this.#sql = sql;
    this.#limits = limits;
  }

  get limits(): Limits {
    return this.#limits;
  }

  /** Registers what frees what can be freed at once. */
  onFull(reclaim: () => void): void {
    this.#reclaim = reclaim;
  }

  /** Whether anything is counted yet, so that removals must be told. */
  get counting(): boolean {
    return this.#complete || this.#counted !== ROOT;
  }

  /** A revision begins. */
  begin(): void {
    if (this.#limits.bytes !== undefined || this.#limits.entries !== undefined) this.complete();
  }

  added(node: number, size: number): void {
    this.#checkFile(size, 0);
    this.#change(node, size, 1);
  }

  /** A node changed. Nothing is known of it when `before` is undefined. */
  resized(node: number, before: number | undefined, size: number): void {
    if (before === undefined) this.recount();
    else if (before !== size) {
      this.#checkFile(size, before);
      this.#change(node, size - before, 0);
    }
  }

  removed(node: number, size: number): void {
    this.#change(node, -size, -1);
  }

  /** Bytes were stored that no file has yet. */
  stored(): void {
    this.#pending.grows = true;
    this.#pending.growth = Number.POSITIVE_INFINITY;
  }

  /**
   * Says, by throwing, whether the revision being made keeps within the limits. One that only takes away always
   * does, however much there is.
   */
  check(call: Call): void {
    const { bytes, entries, grows } = this.#pending;
    if (bytes > 0) this.#checkBytes(bytes, call);
    const { entries: most } = this.#limits;
    if (entries > 0 && most !== undefined && this.#entries + entries > most)
      throw fsError("EDQUOT", call, `the workspace may have ${most} entries`);
    if (bytes > 0 || entries > 0 || grows) this.#checkStored(call);
  }

  /**
   * Says, by throwing, whether a file may become this large, before its bytes are stored.
   *
   * @param before bytes of the file that these replace.
   */
  checkRoom(size: number, before: number, call: Call): void {
    this.#checkFile(size, before, call);
    if (size > before && this.#limits.bytes !== undefined) {
      this.complete();
      this.#checkBytes(size - before, call);
    }
  }

  /** The revision was made. */
  keep(): void {
    this.#bytes += this.#pending.bytes;
    this.#entries += this.#pending.entries;
    this.forget();
  }

  /** The revision was undone. */
  forget(): void {
    this.#pending = { bytes: 0, entries: 0, grows: false, growth: 0 };
  }

  /** Drops the counts: rows were changed behind their back. */
  recount(): void {
    this.#counted = ROOT;
    this.#complete = false;
    this.#bytes = 0;
    this.#entries = 0;
    this.forget();
  }

  /** Counts some of what is not counted yet; answers whether there is more. */
  step(): boolean {
    if (this.#complete) return false;
    const [found] = this.#sql.exec<{ count: number; bytes: number | null; last: number | null }>(
      `SELECT count(*) AS count, sum(size) AS bytes, max(id) AS last
       FROM (SELECT id, size FROM vfs_node WHERE id > ? ORDER BY id LIMIT ?)`,
      this.#counted,
      STEP_ROWS,
    );
    this.#entries += found?.count ?? 0;
    this.#bytes += found?.bytes ?? 0;
    this.#counted = found?.last ?? this.#counted;
    this.#complete = (found?.count ?? 0) < STEP_ROWS;
    return !this.#complete;
  }

  /** Counts all of it in one go. */
  complete(): void {
    while (this.step()) {}
  }

  /** The counts, once they are complete. */
  get counts(): { readonly bytes: number; readonly entries: number } {
    return { bytes: this.#bytes, entries: this.#entries };
  }

  #change(node: number, bytes: number, entries: number): void {
    if (bytes > 0 || entries > 0) {
      this.#pending.grows = true;
      this.#pending.growth += CHANGE_BYTES + 2 * Math.max(0, bytes);
    }
    if (!this.#complete && node > this.#counted) return;
    this.#pending.bytes += bytes;
    this.#pending.entries += entries;
  }

  #checkFile(size: number, before: number, call: Call = { syscall: "write" }): void {
    const { fileBytes } = this.#limits;
    if (fileBytes !== undefined && size > fileBytes && size > before)
      throw fsError("EFBIG", call, `a file may have ${fileBytes} bytes`);
  }

  #checkBytes(more: number, call: Call): void {
    const { bytes } = this.#limits;
    if (bytes !== undefined && this.#bytes + more > bytes)
      throw fsError("EDQUOT", call, `the workspace may hold ${bytes} bytes`);
  }

  #checkStored(call: Call): void {
    const { storedBytes } = this.#limits;
    if (storedBytes === undefined) return;
    // Asking costs as much as a statement. So it is asked again when what was written since may have used up what was left.
    this.#unasked -= this.#pending.growth;
    if (this.#unasked > 0) return;
    let size = this.#sql.databaseSize;
    if (size > storedBytes) {
      this.#reclaim();
      size = this.#sql.databaseSize;
    }
    this.#unasked = Math.min(storedBytes - size, UNASKED_BYTES);
    if (size > storedBytes) {
      throw fsError(
        "ENOSPC",
        call,
        `the database has ${size} bytes of the ${storedBytes} it may have: remove files or snapshots`,
      );
    }
  }
}
