import { type Moment, moment } from "./clock.ts";
import { type Call, fsError } from "./errors.ts";
import { isFile, type Node, PERMISSIONS, touchMetadata } from "./node.ts";
import type { Resolver } from "./resolver.ts";
import type { Store } from "./store.ts";

/** An owner that `chown` leaves as it is. */
export const UNCHANGED = -1;

const ANY_EXECUTE = 0o111;
const X_OK = 1;

/**
 * Modes, owners, times. They are kept, not enforced: whoever works in the workspace is its root. So `chown`
 * leaves set-id bits alone as well. Setting a mode or a time to what it is already moves `ctime`, as POSIX has it.
 */
export class Attributes {
  readonly #store: Store;
  readonly #resolver: Resolver;

  constructor(store: Store, resolver: Resolver) {
    this.#store = store;
    this.#resolver = resolver;
  }

  /** Says, by throwing, whether root could: only executing what nobody may execute is refused. */
  access(path: string, mode: number): void {
    const call = { syscall: "access", path };
    const { node } = this.#resolver.existing(path, "follow", call);
    if (mode & X_OK && isFile(node.mode) && (node.mode & ANY_EXECUTE) === 0) throw fsError("EACCES", call);
  }

  chmod(path: string, mode: number): void {
    const call = { syscall: "chmod", path };
    this.setMode(this.#resolver.existing(path, "follow", call).node, mode, call);
  }

  chown(path: string, uid: number, gid: number, lastLink: "follow" | "keep"): void {
    const call = { syscall: lastLink === "follow" ? "chown" : "lchown", path };
    this.setOwner(this.#resolver.existing(path, lastLink, call).node, uid, gid, call);
  }

  /** Times in milliseconds. */
  utimes(path: string, atimeMs: number, mtimeMs: number, lastLink: "follow" | "keep"): void {
    const call = { syscall: lastLink === "follow" ? "utime" : "lutime", path };
    this.setTimes(this.#resolver.existing(path, lastLink, call).node, moment(atimeMs), moment(mtimeMs), call);
  }

  setMode(node: Node, mode: number, call: Call): void {
    this.#store.mutate(call, () => {
      node.mode = (node.mode & ~PERMISSIONS) | (mode & PERMISSIONS);
      this.#save(node);
    });
  }

  setOwner(node: Node, uid: number, gid: number, call: Call): void {
    if (uid === UNCHANGED && gid === UNCHANGED) return;
    this.#store.mutate(call, () => {
      if (uid !== UNCHANGED) node.uid = uid;
      if (gid !== UNCHANGED) node.gid = gid;
      this.#save(node);
    });
  }

  setTimes(node: Node, atime: Moment, mtime: Moment, call: Call): void {
    this.#store.mutate(call, () => {
      assignTimes(node, atime, mtime);
      this.#save(node);
    });
  }

  #save(node: Node): void {
    touchMetadata(node, this.#store.now);
    this.#store.save(node);
  }
}

/** Sets the times of the last access and of the last change of content. */
export function assignTimes(node: Node, atime: Moment, mtime: Moment): void {
  node.atime_s = atime.s;
  node.atime_ns = atime.ns;
  node.mtime_s = mtime.s;
  node.mtime_ns = mtime.ns;
}
