import { RpcTarget } from "capnweb";
import type { WorkspaceUsage } from "../vfs/stat-fs.ts";
import type { FileSystemStub } from "./fs-stub.ts";
import type { RuntimeStub } from "./runtime-stub.ts";

/** What an RPC session sees of a workspace. */
export class WorkspaceStub extends RpcTarget {
  readonly #fs: FileSystemStub;
  readonly #runtime: RuntimeStub;

  readonly #usage: () => Promise<WorkspaceUsage>;

  constructor(fs: FileSystemStub, runtime: RuntimeStub, usage: () => Promise<WorkspaceUsage>) {
    super();
    this.#usage = usage;
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
    return this.#usage();
  }
}
