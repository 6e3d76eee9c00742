import { RpcTarget } from "capnweb";
import { ComputerError } from "../errors.ts";
import type { FileHandle } from "../vfs/handle-types.ts";
import type { Dir } from "../vfs/types.ts";
import { content, count, optionalCount, owner, time } from "./check.ts";
import { plainBytes } from "./data.ts";
import { MAX_DIRENTS, MAX_INLINE_FILE_BYTES, type WireDirent, type WireStats } from "./protocol.ts";
import type { Session } from "./session.ts";
import { wireDirent, wireStats } from "./wire-stats.ts";

/**
 * What an RPC session sees of an open file. It is closed when the session lets go of it, or ends. Reading goes by
 * length, since a buffer at the other end cannot be filled from here.
 */
export class FileHandleStub extends RpcTarget {
  readonly #file: FileHandle;
  readonly #session: Session;

  constructor(file: FileHandle, session: Session) {
    super();
    this.#file = file;
    this.#session = session;
  }

  /** Up to so many bytes, fewer only at the end of the file; at most as many as a message holds. */
  read(length: unknown, position?: unknown): Promise<Uint8Array> {
    return this.#session.run(async () => {
      const wanted = Math.min(count(length, "/length"), MAX_INLINE_FILE_BYTES);
      const from = optionalCount(position ?? undefined, "/position") ?? null;
      const { bytesRead, buffer } = await this.#file.read(new Uint8Array(wanted), 0, wanted, from);
      return plainBytes(buffer.subarray(0, bytesRead));
    });
  }

  write(data: unknown, position?: unknown): Promise<number> {
    return this.#session.run(async () => {
      const given = content(data, "/data");
      const bytes = typeof given === "string" ? new TextEncoder().encode(given) : given;
      if (bytes.length > MAX_INLINE_FILE_BYTES) {
        throw new ComputerError("ERR_BODY_TOO_LARGE", `At most ${MAX_INLINE_FILE_BYTES} bytes at a time.`);
      }
      const at = optionalCount(position ?? undefined, "/position") ?? null;
      return (await this.#file.write(bytes, 0, bytes.length, at)).bytesWritten;
    });
  }

  truncate(length?: unknown): Promise<void> {
    return this.#session.run(() => this.#file.truncate(optionalCount(length, "/length")));
  }

  stat(): Promise<WireStats> {
    return this.#session.run(async () => wireStats(await this.#file.stat()));
  }

  chmod(mode: unknown): Promise<void> {
    return this.#session.run(() => this.#file.chmod(count(mode, "/mode")));
  }

  chown(uid: unknown, gid: unknown): Promise<void> {
    return this.#session.run(() => this.#file.chown(owner(uid, "/uid"), owner(gid, "/gid")));
  }

  utimes(atime: unknown, mtime: unknown): Promise<void> {
    return this.#session.run(() => this.#file.utimes(time(atime, "/atime"), time(mtime, "/mtime")));
  }

  sync(): Promise<void> {
    return this.#session.run(() => this.#file.sync());
  }

  close(): Promise<void> {
    return this.#session.run(() => this.#file.close());
  }

  [Symbol.dispose](): void {
    // The workspace may be closed by now, and the file with it.
    this.#file.close().catch(() => undefined);
  }
}

/** What an RPC session sees of a directory that is being listed. */
export class DirStub extends RpcTarget {
  readonly #directory: Dir;
  readonly #session: Session;

  constructor(directory: Dir, session: Session) {
    super();
    this.#directory = directory;
    this.#session = session;
  }

  /** The next entries, up to so many; none at the end. */
  read(limit: unknown): Promise<WireDirent[]> {
    return this.#session.run(async () => {
      const entries: WireDirent[] = [];
      for (let left = Math.min(count(limit, "/limit"), MAX_DIRENTS); left > 0; left--) {
        const entry = await this.#directory.read();
        if (entry === null) break;
        entries.push(wireDirent(entry));
      }
      return entries;
    });
  }

  [Symbol.dispose](): void {
    this.#directory.close().catch(() => undefined);
  }
}
