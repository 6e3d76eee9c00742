import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ApplyOptions, ApplyResult, ChangeSet, NodeState, TreeChanges } from "../../tree/changes.ts";
import type { ListedEntry, TreeStatus } from "../../tree/service.ts";
import { lockStore, type StoreLock } from "../../tree/store/lock.ts";
import { clearDeadMount, detach, flush } from "../kernel/attach.ts";
import { type Mount, type MountDriver, MountError, type MountOptions } from "../types.ts";
import type { ChildService } from "./child.ts";

/**
 * Through the npm package `fuse-native` and libfuse 2: slower, and less exact (see the README's table), but
 * it needs nothing of ours between libfuse and the kernel. An optional dependency, x64 only.
 */
export const fuseNativeDriver: MountDriver = { name: "fuse-native", mount: mountNative };

const PATIENCE_MS = 10_000;

/** Whether the package is installed, and where its libfuse is, if it brings one. */
export function findFuseNative(): { library: string | undefined } | undefined {
  const require = createRequire(import.meta.url);
  try {
    const entry = require.resolve("fuse-native");
    const inner = createRequire(entry);
    try {
      const shared = createRequire(inner.resolve("fuse-shared-library"));
      const library = join(dirname(shared.resolve("fuse-shared-library-linux")), "libfuse/lib/libfuse.so");
      return { library: existsSync(library) ? library : undefined };
    } catch {
      return { library: undefined };
    }
  } catch {
    return undefined;
  }
}

async function mountNative(options: MountOptions): Promise<Mount> {
  const found = findFuseNative();
  if (found === undefined)
    throw new MountError(
      "ERR_MOUNT_IMPOSSIBLE",
      "the package fuse-native is not installed: npm install fuse-native",
    );
  const path = resolve(options.path);
  const lock = lockStore(options.store);
  if (lock === undefined)
    throw new MountError("ERR_STORE_LOCKED", `${options.store} belongs to a daemon that is running`);
  // The package's own libfuse lies under another name than the one by which the loader looks for it.
  const libraries = mkdtempSync(join(tmpdir(), "computerd-libfuse-"));
  try {
    if (found.library !== undefined) symlinkSync(found.library, join(libraries, "libfuse.so.2"));
    await clearDeadMount(path);
    mkdirSync(path, { recursive: true });
    const child = start(path, options, found.library === undefined ? undefined : libraries);
    const { mounted, why } = await firstWord(child);
    if (!mounted) {
      child.kill();
      throw new MountError("ERR_MOUNT_IMPOSSIBLE", `libfuse could not mount ${path}: ${why}`);
    }
    return new NativeMount(path, child, lock);
  } catch (error) {
    lock.release();
    throw error;
  } finally {
    rmSync(libraries, { recursive: true });
  }
}

function start(path: string, { store, limits }: MountOptions, libraries: string | undefined): ChildProcess {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const file = fileURLToPath(new URL(`./child.${extension}`, import.meta.url));
  const env = { ...process.env };
  if (libraries !== undefined)
    env.LD_LIBRARY_PATH = [libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(":");
  return fork(file, [path, resolve(store), JSON.stringify(limits ?? {})], {
    serialization: "advanced",
    execArgv: [],
    cwd: "/",
    env,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}

function firstWord(child: ChildProcess): Promise<{ mounted: boolean; why?: string }> {
  return new Promise((done) => {
    let said = "";
    child.stderr?.on("data", (data: Buffer) => {
      said = (said + data).slice(-2000);
    });
    child.once("message", (word) => done(word as { mounted: boolean; why?: string }));
    child.once("exit", () => done({ mounted: false, why: /^\w*Error: .*$/m.exec(said)?.[0] ?? said.trim() }));
    setTimeout(() => done({ mounted: false, why: "no answer" }), PATIENCE_MS).unref();
  });
}

type Method = {
  [K in keyof ChildService]: ChildService[K] extends (...args: never[]) => unknown ? K : never;
}[keyof ChildService];

class NativeMount implements Mount {
  readonly driver = "fuse-native";
  readonly path: string;
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #lock: StoreLock;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  readonly #timer: NodeJS.Timeout;
  #next = 1;
  #closing: Promise<void> | undefined;

  constructor(path: string, child: ChildProcess, lock: StoreLock) {
    this.path = path;
    this.#child = child;
    this.#lock = lock;
    this.ended = once(child, "exit").then(() => "the process of libfuse has ended");
    child.on("message", (answer) => this.#settle(answer as never));
    child.on("exit", () => {
      for (const { reject } of this.#waiting.values())
        reject(new MountError("ERR_MOUNT_ENDED", "the process of libfuse has ended"));
      this.#waiting.clear();
    });
    this.#timer = setInterval(() => void this.#call("commit").catch(() => {}), 1000);
    this.#timer.unref();
  }

  status(): Promise<TreeStatus> {
    return this.#call("status");
  }

  find(path: string): Promise<NodeState | undefined> {
    return this.#call("find", path);
  }

  list(id: number): Promise<ListedEntry[]> {
    return this.#call("list", id);
  }

  async *read(id: number): AsyncGenerator<Uint8Array> {
    const { pin, size } = await this.#call("pin", id);
    try {
      for (let offset = 0; offset < size; ) {
        const piece = await this.#call("readPin", pin, offset);
        offset += piece.length;
        yield piece;
      }
    } finally {
      await this.#call("unpin", pin).catch(() => {});
    }
  }

  apply(changes: ChangeSet, options: ApplyOptions = {}): Promise<ApplyResult> {
    return this.#call("apply", changes, options);
  }

  changes(since: number): Promise<TreeChanges> {
    return this.#call("changes", since);
  }

  async quiesce(): Promise<number> {
    // Writes go through at once; only what is mapped may wait in the kernel.
    await flush(this.path);
    return this.#call("commit");
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    await detach(this.path, false).catch(() => detach(this.path, true).catch(() => {}));
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, "exit");
      const late = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE_MS);
      this.#call("end").catch(() => {});
      await gone;
      clearTimeout(late);
    }
    this.#lock.release();
  }

  #call<M extends Method>(
    method: M,
    ...args: Parameters<ChildService[M]>
  ): Promise<ReturnType<ChildService[M]>> {
    const id = this.#next++;
    return new Promise((done, reject) => {
      this.#waiting.set(id, { resolve: done as (result: unknown) => void, reject });
      this.#child.send({ id, method, args }, (error) => {
        if (error !== null)
          reject(new MountError("ERR_MOUNT_ENDED", "the process of libfuse has ended", error));
      });
    });
  }

  #settle(answer: { id: number; result?: unknown; failed?: { message: string; code: string } }): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.failed === undefined) waiting?.resolve(answer.result);
    else waiting?.reject(Object.assign(new Error(answer.failed.message), { code: answer.failed.code }));
  }
}
