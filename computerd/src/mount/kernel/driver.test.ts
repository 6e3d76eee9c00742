import { beforeEach, describe } from "vitest";
import { mountContract } from "../../../test/contracts/mount.ts";
import { requiresFuse } from "../../../test/support/kernel.ts";
import { kernelDriver } from "./driver.ts";

describe("kernel", () => {
  beforeEach(requiresFuse);
  mountContract(kernelDriver, {
    owners: true,
    stale: true,
    limits: true,
    special: true,
    bytes: true,
    nanoseconds: true,
  });
});
