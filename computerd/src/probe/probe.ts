import { type HostFacts, readHostFacts } from "./facts.ts";

/**
 * How a workspace gets into a container's file system: `kernel` speaks the kernel's FUSE protocol itself,
 * `fuse-native` goes through libfuse, `copy` copies files in and out.
 */
export type DriverName = "kernel" | "fuse-native" | "copy";

/** Whether a driver could work on a host. */
export interface DriverReport {
  driver: DriverName;
  usable: boolean;
  /** How it would work, or what stands in its way. */
  why: string;
  /** What would mend that, where we know. */
  mend?: string;
}

/** What {@link probe} found: the drivers from the best to the last resort. */
export interface ProbeReport {
  facts: HostFacts;
  drivers: DriverReport[];
}

/**
 * Tells which mount drivers could work on this host, and why not the others.
 *
 * @example
 * const { drivers } = await probe();
 * console.log(drivers.find((driver) => driver.usable)?.driver); // "kernel"
 */
export async function probe(): Promise<ProbeReport> {
  const facts = await readHostFacts();
  return { facts, drivers: judge(facts) };
}

/** What follows from a host's facts. Pure, so that every kind of host can be tested on any. */
export function judge(facts: HostFacts): DriverReport[] {
  return [
    kernel(facts),
    fuseNative(facts),
    { driver: "copy", usable: true, why: "copies files in and out; works everywhere, but nothing is live" },
  ];
}

function kernel(facts: HostFacts): DriverReport {
  const driver = "kernel";
  if (facts.platform !== "linux") {
    return {
      driver,
      usable: false,
      why: `needs Linux, this is ${facts.platform}`,
      mend: "run it in a container",
    };
  }
  if (facts.device !== "open") return { driver, usable: false, ...deviceProblem(facts.device) };
  if (facts.direct.ok) return { driver, usable: true, why: "/dev/fuse opens and mount is allowed" };
  if (facts.userNamespace.ok) {
    return { driver, usable: true, why: "/dev/fuse opens and mount is allowed in a new user namespace" };
  }
  const confined = facts.apparmor !== "" && !facts.apparmor.startsWith("unconfined");
  return {
    driver,
    usable: false,
    why: `mount: ${facts.direct.reason}; in a user namespace: ${facts.userNamespace.reason}`,
    mend: confined
      ? `the AppArmor profile ${facts.apparmor} may deny mount: --security-opt apparmor=unconfined`
      : "in Docker: --device /dev/fuse --cap-add SYS_ADMIN",
  };
}

function fuseNative(facts: HostFacts): DriverReport {
  const driver = "fuse-native";
  if (facts.arch !== "x64") {
    return { driver, usable: false, why: `its prebuilt libraries are for x64, this is ${facts.arch}` };
  }
  if (facts.platform === "darwin") {
    if (facts.macfuse) return { driver, usable: true, why: "macFUSE is installed" };
    return { driver, usable: false, why: "macFUSE is not installed", mend: "install macFUSE" };
  }
  // Nothing that the kernel driver could not do: libfuse needs the same device and the same permission.
  const { usable, why, mend } = kernel(facts);
  return { driver, usable, why, ...(mend === undefined ? {} : { mend }) };
}

function deviceProblem(device: string): { why: string; mend: string } {
  if (device === "missing") {
    return { why: "/dev/fuse is missing", mend: "modprobe fuse; in Docker: --device /dev/fuse" };
  }
  if (device === "EACCES") {
    return { why: "/dev/fuse may not be opened (EACCES)", mend: "as root: chmod 666 /dev/fuse" };
  }
  if (device === "EPERM") {
    return { why: "/dev/fuse may not be opened (EPERM)", mend: "in Docker: --device /dev/fuse" };
  }
  return { why: `/dev/fuse cannot be opened (${device})`, mend: "modprobe fuse" };
}
