import { CHUNK_BYTES, STEP_BYTES } from "./layout.ts";
import type { OpenOptions } from "./options.ts";
import { pause } from "./pause.ts";
import { Staging } from "./staging.ts";
import type { Tree } from "./tree.ts";

/**
 * Writes a file in steps: bytes are stored as they come and become the file's content, or are added to it,
 * in one transaction at the end. Until then, and if that fails, the file is as it was.
 */
export class FileWriter {
  readonly #tree: () => Tree;
  readonly #path: string;
  readonly #options: OpenOptions;
  readonly #staging: Staging;
  /** Bytes that the file had when it was opened to be replaced. */
  readonly #before: number;
  /** What the file's last chunk held when the writer was opened to append. */
  readonly #base: { size: number; bytes: Uint8Array } | undefined;

  /**
   * @param tree answers the tree, or throws when it is closed.
   * @throws what opening the file to write it throws.
   */
  constructor(tree: () => Tree, path: string, options: OpenOptions) {
    this.#tree = tree;
    this.#path = path;
    this.#options = options;
    const { store, chunks } = tree();
    this.#before = tree().writable(path, options)?.size ?? 0;
    this.#staging = new Staging(store, chunks);
    if (!options.flag.startsWith("a")) return;
    this.#base = tree().tail(path);
    this.#staging.push(this.#base.bytes);
  }

  /** Says, by throwing, whether all these bytes may come: before the first of them is stored. */
  expect(length: number): void {
    this.#checkRoom(length);
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      if (at > 0) await pause();
      const part = bytes.subarray(at, at + STEP_BYTES);
      this.#checkRoom(part.length);
      this.#staging.push(part);
    }
  }

  /** Makes what was written the file's. To be released all the same. */
  commit(): void {
    const tree = this.#tree();
    if (this.#base === undefined) tree.adopt(this.#path, this.#staging.finish(), this.#options);
    else this.#append(tree, this.#base);
  }

  /** Lets go of what no file has adopted. */
  release(): void {
    this.#staging.release();
  }

  #checkRoom(length: number): void {
    const { size, bytes } = this.#base ?? { size: this.#before, bytes: { length: 0 } };
    const start = this.#base === undefined ? 0 : size - bytes.length;
    const call = { syscall: "write", path: this.#path };
    this.#tree().store.usage.checkRoom(start + this.#staging.size + length, size, call);
  }

  #append(tree: Tree, base: { size: number; bytes: Uint8Array }): void {
    const small = base.size - base.bytes.length + this.#staging.size <= CHUNK_BYTES;
    if (!small && tree.adoptTail(this.#path, this.#staging.finish(true), base, this.#options)) return;
    // Little, or somebody else has written since: put it behind what is there now.
    tree.appendParts(this.#path, skip(this.#staging.parts(), base.bytes.length), this.#options);
  }
}

function* skip(parts: Iterable<Uint8Array>, count: number): Iterable<Uint8Array> {
  let left = count;
  for (const part of parts) {
    if (left < part.length) yield part.subarray(left);
    left = Math.max(0, left - part.length);
  }
}
