import { RpcTarget } from "capnweb";
import type { FileSystemStub } from "./fs-stub.ts";
import type { RuntimeStub } from "./runtime-stub.ts";

/** What an RPC session sees of a workspace. */
export class WorkspaceStub extends RpcTarget {
  readonly #fs: FileSystemStub;
  readonly #runtime: RuntimeStub;

  constructor(fs: FileSystemStub, runtime: RuntimeStub) {
    super();
    this.#fs = fs;
    this.#runtime = runtime;
  }

  get fs(): FileSystemStub {
    return this.#fs;
  }

  get runtime(): RuntimeStub {
    return this.#runtime;
  }
}
