import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { requires } from "../../../.ci/lib/requires.ts";
import { requiresFuse } from "../../test/support/kernel.ts";
import { run } from "../../test/support/shell.ts";
import { mountTree } from "./select.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "computerd-select-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SELECT = new URL("./select.ts", import.meta.url).href;
const program = (driver: string) => `
  const { mountTree } = await import(${JSON.stringify(SELECT)});
  try {
    const mount = await mountTree({ path: "tree", store: "store", driver: "${driver}", log: console.log });
    await mount.close();
  } catch (error) { console.log(error.code, error.message); }`;

test("auto takes the kernel where it may, and says so", async (context) => {
  await requiresFuse(context);
  const lines: string[] = [];
  const mount = await mountTree({
    path: join(folder, "tree"),
    store: join(folder, "store"),
    log: (line) => lines.push(line),
  });
  await mount.close();
  expect(lines).toEqual([`computerd: kernel at ${join(folder, "tree")} (the best there is)`]);
});

test("without the right to mount, auto copies and tells why; what was asked for tells what is missing", async (context) => {
  requires(context, "root, to become somebody else", process.getuid?.() === 0);
  const asNobody = (driver: string) =>
    run(
      "setpriv",
      [
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        process.execPath,
        "--input-type=module",
        "-e",
        program(driver),
      ],
      { cwd: folder },
    );
  await run("chmod", ["777", folder]);
  const auto = await asNobody("auto");
  expect(auto.err).toBe("");
  expect(auto.out).toMatch(
    /^computerd: copy at \S+ \(the best that works here: kernel is not possible: .+; fuse-native is not possible: /,
  );
  const kernel = await asNobody("kernel");
  expect(kernel.out).toMatch(/^ERR_MOUNT_IMPOSSIBLE kernel is not possible: .*(EACCES|user namespace|mount)/);
});

test("a store or a folder that is taken is no reason to take a worse driver", async (context) => {
  await requiresFuse(context);
  await using mount = await mountTree({ path: join(folder, "tree"), store: join(folder, "store") });
  await expect(mountTree({ path: join(folder, "b"), store: join(folder, "store") })).rejects.toMatchObject({
    code: "ERR_STORE_LOCKED",
  });
  expect(mount.driver).toBe("kernel");
  writeFileSync(join(folder, "x"), "");
});
