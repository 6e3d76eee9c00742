import { beforeEach, describe } from "vitest";
import { requires } from "../../../../.ci/lib/requires.ts";
import { mountContract } from "../../../test/contracts/mount.ts";
import { requiresFuse } from "../../../test/support/kernel.ts";
import { findFuseNative, fuseNativeDriver } from "./driver.ts";

describe("fuse-native", () => {
  beforeEach(async (context) => {
    await requiresFuse(context);
    requires(context, "the package fuse-native", findFuseNative() !== undefined);
  });
  mountContract(fuseNativeDriver, {
    owners: true,
    stale: false,
    limits: true,
    special: true,
    bytes: false,
    nanoseconds: false,
  });
});
