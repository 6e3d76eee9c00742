import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { HostFacts } from "./facts.ts";
import { judge, probe } from "./probe.ts";

const REFUSED = { ok: false, reason: "unshare: Operation not permitted" };
const WORKS = { ok: true, reason: "" };
const LINUX: HostFacts = {
  platform: "linux",
  arch: "x64",
  uid: 0,
  device: "open",
  direct: WORKS,
  userNamespace: WORKS,
  apparmor: "",
  macfuse: false,
};

function kernel(facts: Partial<HostFacts>) {
  return judge({ ...LINUX, ...facts }).find(({ driver }) => driver === "kernel");
}

describe("judge", () => {
  test("a privileged Linux host can mount", () => {
    expect(kernel({})).toMatchObject({ usable: true });
    expect(kernel({ userNamespace: REFUSED })).toMatchObject({ usable: true });
  });

  test("a user namespace is enough", () => {
    expect(kernel({ direct: REFUSED })).toMatchObject({
      usable: true,
      why: expect.stringContaining("user namespace"),
    });
  });

  test("a container without the device is told how to get it", () => {
    const facts = { device: "missing", direct: REFUSED, userNamespace: REFUSED };
    expect(kernel(facts)).toMatchObject({
      usable: false,
      mend: expect.stringContaining("--device /dev/fuse"),
    });
  });

  test("a device of root's only is told apart from a missing one", () => {
    expect(kernel({ device: "EACCES" })).toMatchObject({
      usable: false,
      mend: expect.stringContaining("chmod"),
    });
  });

  test("AppArmor is named where it is active, and not where it is not", () => {
    const refused = { direct: REFUSED, userNamespace: REFUSED };
    const confined = kernel({ ...refused, apparmor: "docker-default (enforce)" });
    expect(confined).toMatchObject({ usable: false, mend: expect.stringContaining("docker-default") });
    expect(confined?.why).toContain(REFUSED.reason);
    expect(kernel({ ...refused, apparmor: "unconfined" })?.mend).toContain("SYS_ADMIN");
  });

  test.each([
    ["macOS with macFUSE", { platform: "darwin", device: "missing", macfuse: true }, ["fuse-native", "copy"]],
    ["macOS without", { platform: "darwin", device: "missing" }, ["copy"]],
    ["Linux on arm64", { arch: "arm64" }, ["kernel", "copy"]],
    ["Windows", { platform: "win32", device: "missing" }, ["copy"]],
  ] as [string, Partial<HostFacts>, string[]][])("%s", (_, facts, usable) => {
    const drivers = judge({ ...LINUX, ...facts }).filter((report) => report.usable);
    expect(drivers.map(({ driver }) => driver)).toEqual(usable);
  });
});

test("probe answers for this very host and leaves no mount behind", async (context) => {
  const { facts, drivers } = await probe();
  expect(facts.platform).toBe(process.platform);
  expect(drivers.map(({ driver }) => driver)).toEqual(["kernel", "fuse-native", "copy"]);
  for (const { why } of drivers) expect(why).not.toBe("");
  context.skip(process.platform !== "linux", "mounts are looked up in /proc");
  expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain("computerd-probe");
});
