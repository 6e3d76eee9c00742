import { type Call, fsError } from "./errors.ts";
import type { Opening } from "./flags.ts";
import { FILE_MAX } from "./layout.ts";
import { isDirectory, isSymlink, KIND_BITS, type Node, touchContent } from "./node.ts";
import type { Tree } from "./tree.ts";

/** What a path is opened as: the node's number. Makes or empties the file where the flags ask for it, in one transaction. */
export function openNode(tree: Tree, path: string, flags: Opening, mode: number): number {
  const call = { syscall: "open", path };
  if (flags.create && flags.directory) throw fsError("EINVAL", call, "open does not make directories");
  if (flags.create) tree.refuseSlash(path, call);
  const target =
    flags.create && !(flags.noFollow && !flags.exclusive)
      ? tree.writableTarget(path, flags.exclusive, call)
      : flags.create
        ? tree.resolver.locate(path, "never", call)
        : tree.resolver.existing(path, flags.noFollow ? "keep" : "follow", call);
  const { node } = target;
  if (node === undefined) {
    if (target.slash) throw fsError("EISDIR", call);
    return tree.store.mutate(call, () => {
      const created = tree.store.create(KIND_BITS.file | mode);
      tree.add(target, created, call);
      return created.id;
    });
  }
  if (flags.noFollow && isSymlink(node.mode)) throw fsError(flags.directory ? "ENOTDIR" : "ELOOP", call);
  if (isDirectory(node.mode)) {
    if (flags.write || flags.create || flags.truncate) throw fsError("EISDIR", call);
  } else {
    if (flags.directory) throw fsError("ENOTDIR", call);
    if (flags.truncate) changeNode(tree, node, call, () => tree.content.truncate(node, 0));
  }
  return node.id;
}

/** Changes the content of a file. */
function changeNode(tree: Tree, node: Node, call: Call, change: () => void): void {
  tree.store.mutate(call, () => {
    change();
    touchContent(node, tree.store.now);
    tree.store.save(node);
  });
}

/** An open file: which one, how it was opened, and where reading and writing go on. All at once, no steps. */
export class OpenFile {
  readonly number: number;
  position = 0;
  readonly #node: number;
  readonly #flags: Opening;
  #closed = false;

  constructor(tree: Tree, path: string, flags: Opening, mode: number) {
    // Room for it is asked for first: what cannot be opened is not made either.
    this.number = tree.openFiles.open(0, { syscall: "open", path });
    try {
      this.#node = openNode(tree, path, flags, mode);
      tree.openFiles.move(0, this.#node);
    } catch (error) {
      tree.openFiles.close(0);
      throw error;
    }
    this.#flags = flags;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The node, whatever has become of its name. */
  node(tree: Tree, syscall: string): Node {
    if (this.#closed) throw fsError("EBADF", { syscall }, "file closed");
    const node = tree.store.find(this.#node);
    // Files stay while they are open; directories do not.
    if (node === undefined) throw fsError("ENOENT", { syscall }, "the directory was removed");
    return node;
  }

  /** Up to so many bytes; from where the last call ended, when no position is given. */
  read(tree: Tree, length: number, position: number | undefined): Uint8Array {
    const node = this.readable(tree);
    const start = position ?? this.position;
    const bytes = tree.content.readRange(node, start, start + length);
    if (position === undefined) this.position += bytes.length;
    return bytes;
  }

  /** The file, which must be one that may be read. */
  readable(tree: Tree): Node {
    const call = { syscall: "read" };
    const node = this.node(tree, "read");
    if (!this.#flags.read) throw fsError("EBADF", call);
    if (isDirectory(node.mode)) throw fsError("EISDIR", call);
    return node;
  }

  /** Says, by throwing, whether so many bytes could be written. */
  checkRoom(tree: Tree, length: number, position: number | undefined): void {
    const node = this.#writable(tree, "write");
    const end = this.#start(node, position) + length;
    if (end > FILE_MAX) throw fsError("EFBIG", { syscall: "write" });
    tree.store.usage.checkRoom(Math.max(node.size, end), node.size, { syscall: "write" });
  }

  write(tree: Tree, bytes: Uint8Array, position: number | undefined): void {
    const call = { syscall: "write" };
    const node = this.#writable(tree, "write");
    if (bytes.length === 0) return;
    const start = this.#start(node, position);
    if (start + bytes.length > FILE_MAX) throw fsError("EFBIG", call);
    changeNode(tree, node, call, () => tree.content.writeRange(node, start, bytes));
    if (position === undefined) this.position = start + bytes.length;
  }

  truncate(tree: Tree, length: number): void {
    const call = { syscall: "ftruncate" };
    const node = this.node(tree, call.syscall);
    if (!this.#flags.write) throw fsError("EINVAL", call);
    if (length > FILE_MAX) throw fsError("EFBIG", call);
    if (length !== node.size) changeNode(tree, node, call, () => tree.content.truncate(node, length));
  }

  /** Lets go of the file; answers whether there may be something to take apart. */
  close(tree: Tree): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    if (!tree.openFiles.close(this.#node)) return false;
    tree.removal.closed(this.#node);
    return true;
  }

  #start(node: Node, position: number | undefined): number {
    return this.#flags.append ? node.size : (position ?? this.position);
  }

  #writable(tree: Tree, syscall: string): Node {
    const node = this.node(tree, syscall);
    if (!this.#flags.write) throw fsError("EBADF", { syscall });
    return node;
  }
}
