import { RpcTarget } from "capnweb";
import type { WorkspaceUsage } from "../vfs/stat-fs.ts";
import type { WatchEvent } from "../watch/types.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { text } from "./check.ts";
import { streamOf } from "./events.ts";
import type { FileSystemStub } from "./fs-stub.ts";
import type { RuntimeStub } from "./runtime-stub.ts";
import { watchOptions } from "./search-options.ts";
import type { Session } from "./session.ts";

/** What an RPC session sees of a workspace. */
export class WorkspaceStub extends RpcTarget {
  readonly #workspace: Pick<Workspace, "revision" | "usage" | "watch">;
  readonly #session: Session;
  readonly #fs: FileSystemStub;
  readonly #runtime: RuntimeStub;

  constructor(
    workspace: Pick<Workspace, "revision" | "usage" | "watch">,
    session: Session,
    fs: FileSystemStub,
    runtime: RuntimeStub,
  ) {
    super();
    this.#workspace = workspace;
    this.#session = session;
    this.#fs = fs;
    this.#runtime = runtime;
  }

  get fs(): FileSystemStub {
    return this.#fs;
  }

  get runtime(): RuntimeStub {
    return this.#runtime;
  }

  /** How full it is. */
  usage(): Promise<WorkspaceUsage> {
    return this.#session.run(() => this.#workspace.usage());
  }

  /** The latest revision of the files. */
  revision(): Promise<number> {
    return this.#session.run(() => this.#workspace.revision);
  }

  /** What changes under a path, as it happens; only as fast as it is taken. */
  watch(path: unknown, options?: unknown): Promise<ReadableStream<WatchEvent>> {
    return this.#session.run(() => {
      this.#session.needsWebSocket("A watch");
      const events = this.#workspace.watch(text(path, "/path"), watchOptions(options));
      return this.#session.readable(streamOf(events));
    });
  }
}
