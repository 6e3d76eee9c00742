import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mountContract } from "../../../test/contracts/mount.ts";
import { copyDriver } from "./driver.ts";

mountContract(copyDriver, {
  owners: process.getuid?.() === 0,
  stale: false,
  limits: false,
  special: true,
  bytes: true,
  nanoseconds: true,
});

test("a folder with something in it is not taken", async () => {
  const folder = mkdtempSync(join(tmpdir(), "computerd-copy-"));
  try {
    writeFileSync(join(folder, "mine"), "x");
    const mount = copyDriver.mount({ path: folder, store: join(folder, "..", `${folder}-store`) });
    await expect(mount).rejects.toMatchObject({ code: "ERR_MOUNT_FAILED" });
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(`${folder}-store`, { recursive: true, force: true });
  }
});
