import { resolve } from "node:path";
import { type DriverName, probe } from "../probe/probe.ts";
import { copyDriver } from "./copy/driver.ts";
import { fuseNativeDriver } from "./fuse-native/driver.ts";
import { kernelDriver } from "./kernel/driver.ts";
import { type Mount, type MountDriver, MountError, type MountOptions } from "./types.ts";

/** Which driver to take: one by name, or the best that works. */
export type DriverChoice = "auto" | DriverName;

/** From the best to the last resort. */
const DRIVERS: readonly MountDriver[] = [kernelDriver, fuseNativeDriver, copyDriver];

/** What may be asked for. */
export const DRIVER_CHOICES: readonly DriverChoice[] = ["auto", ...DRIVERS.map(({ name }) => name)];

/** What {@link mountTree} wants to know. */
export interface MountTreeOptions extends MountOptions {
  /** Default `auto`. */
  driver?: DriverChoice;
  /** Hears which driver was taken, and why not a better one. */
  log?: (line: string) => void;
}

/**
 * Shows a tree at a path, by the driver that was asked for or by the best that works here.
 *
 * @throws MountError `ERR_MOUNT_IMPOSSIBLE` with what is missing, when the driver cannot work on this host;
 * `ERR_STORE_LOCKED` and `ERR_MOUNT_FAILED` when it could, but not with these folders.
 *
 * @example
 * await using mount = await mountTree({ path: "/workspace", store: "/var/lib/computerd", log: console.log });
 * console.log(mount.driver); // "kernel"
 */
export async function mountTree(options: MountTreeOptions): Promise<Mount> {
  const { driver: choice = "auto", log = () => {}, ...rest } = options;
  const path = resolve(options.path);
  const store = resolve(options.store);
  const candidates = choice === "auto" ? DRIVERS : DRIVERS.filter(({ name }) => name === choice);
  const refused: string[] = [];
  for (const driver of candidates) {
    try {
      const mount = await driver.mount({ ...rest, path, store });
      const reason =
        refused.length > 0 ? `the best that works here: ${refused.join("; ")}` : "the best there is";
      log(`computerd: ${driver.name} at ${mount.path} (${choice === "auto" ? reason : "asked for"})`);
      return mount;
    } catch (error) {
      if (isAboutFolders(error)) throw error;
      const why = await explain(driver.name, error as Error);
      refused.push(`${driver.name} is not possible: ${why}`);
    }
  }
  throw new MountError("ERR_MOUNT_IMPOSSIBLE", refused.join("; "));
}

/** Whether another driver would not help. */
function isAboutFolders(error: unknown): boolean {
  return error instanceof MountError && error.code !== "ERR_MOUNT_IMPOSSIBLE" && error.cause === undefined;
}

/** What a failure means on this host: what is missing, and what would mend it. */
async function explain(name: DriverName, error: Error): Promise<string> {
  if (error instanceof MountError && error.code === "ERR_MOUNT_IMPOSSIBLE") return error.message;
  const { facts, drivers } = await probe();
  const report = drivers.find(({ driver }) => driver === name);
  if (report !== undefined && !report.usable)
    return `${report.why}${report.mend === undefined ? "" : ` (${report.mend})`}`;
  if (name === "kernel" && !facts.direct.ok && facts.userNamespace.ok)
    return `${error.message} (mount is allowed in a user namespace only: start computerd by unshare -Urm)`;
  return error.message;
}
