import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { requires } from "../../../.ci/lib/requires.ts";
import { kernelDriver } from "../../src/mount/kernel/driver.ts";
import type { Mount } from "../../src/mount/types.ts";
import { probe } from "../../src/probe/probe.ts";
import { sh } from "./shell.ts";

let usable: Promise<boolean> | undefined;

/** Skips a test where nothing can be mounted by the kernel driver as root. */
export async function requiresFuse(context: TestContext): Promise<void> {
  usable ??= probe().then(({ drivers }) => drivers[0]?.usable === true && process.getuid?.() === 0);
  requires(context, "a usable /dev/fuse, as root", await usable);
}

/** A mount for the length of a test. */
export interface TestMount extends AsyncDisposable {
  mount: Mount;
  path: string;
  /** A folder of the test's own, outside of the mount. */
  folder: string;
  store: string;
  /** Runs a shell script in the mount. */
  inside(script: string, timeoutMs?: number): Promise<string>;
}

/** Mounts a tree in a new folder; nothing is left of it afterwards. */
export async function kernelMount(): Promise<TestMount> {
  const folder = mkdtempSync(join(tmpdir(), "computerd-test-"));
  const path = join(folder, "tree");
  const store = join(folder, "store");
  const mount = await kernelDriver.mount({ path, store });
  return {
    mount,
    path,
    folder,
    store,
    inside: (script, timeoutMs = 30_000) => sh(script, { cwd: path, timeoutMs }),
    async [Symbol.asyncDispose]() {
      await mount.close();
      const table = readFileSync("/proc/self/mountinfo", "utf8");
      rmSync(folder, { recursive: true, force: true });
      if (table.includes(folder)) throw new Error(`a mount was left in ${folder}`);
    },
  };
}
