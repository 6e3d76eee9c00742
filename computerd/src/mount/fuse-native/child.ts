/**
 * The process in which libfuse runs, and with it the tree: whoever starts processes must not be the one
 * who answers them. It is told what to do by messages.
 */
import { createRequire } from "node:module";
import { applyChanges } from "../../tree/apply.ts";
import type { ApplyOptions, ApplyResult, ChangeSet } from "../../tree/changes.ts";
import { TreeError } from "../../tree/errors.ts";
import { TreeService } from "../../tree/service.ts";
import { Store } from "../../tree/store/store.ts";
import type { TreeLimits } from "../../tree/tree.ts";
import { operationsOf } from "./operations.ts";

/** What the driver may call. */
export class ChildService extends TreeService {
  apply(changes: ChangeSet, options: ApplyOptions): ApplyResult {
    const { version, conflicts } = applyChanges(this.store.tree, changes, options);
    return { version, conflicts };
  }

  commit(): number {
    return this.store.commit();
  }

  end(): void {
    this.store.close();
    setImmediate(() => process.exit(0));
  }
}

interface FuseNative {
  mount(done: (error: Error | null) => void): void;
}

const [, , path = "", folder = "", limits = "{}"] = process.argv;
const parsed = JSON.parse(limits) as Partial<TreeLimits>;
const service = new ChildService(Store.open(folder, parsed));

process.on("message", ({ id, method, args }: { id: number; method: keyof ChildService; args: unknown[] }) => {
  try {
    const work = service[method] as unknown as (...args: unknown[]) => unknown;
    process.send?.({ id, result: work.apply(service, args) });
  } catch (error) {
    const { message } = error as Error;
    process.send?.({ id, failed: { message, code: error instanceof TreeError ? error.code : "EIO" } });
  }
});
// The daemon is gone: nobody is served any more.
process.on("disconnect", () => process.exit(1));

const Fuse = createRequire(import.meta.url)("fuse-native") as new (
  path: string,
  operations: object,
  options: object,
) => FuseNative;
const options = {
  allowOther: true,
  defaultPermissions: true,
  fsname: "computerd",
  // Nothing is kept by the kernel: libfuse cannot tell it of changes from outside. Text, since 0 is taken for absent.
  entryTimeout: "0",
  attrTimeout: "0",
  acAttrTimeout: "0",
  timeout: false,
};
new Fuse(path, operationsOf(service.store, folder), options).mount((error) => {
  process.send?.({ mounted: error === null, why: error?.message });
});
