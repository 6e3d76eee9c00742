import { expect, test } from "vitest";
import { noise } from "../../test/contracts/file-system/context.ts";
import { TreeFileSystem } from "./file-system.ts";
import { openNodeSql } from "./sql/node.ts";
import { measure } from "./stat-fs.ts";
import { Tree } from "./tree.ts";

test("a database that comes near the platform's limit takes no more, and can be emptied", async () => {
  const storedBytes = 4 * 1024 * 1024;
  const sql = openNodeSql();
  const tree = new Tree(sql, 2 ** 30, { limits: { storedBytes } });
  const fs = new TreeFileSystem(() => tree);
  let written = 0;
  const fill = async () => {
    for (; written < 100; written++) await fs.writeFile(`/${written}`, noise(200_000, written + 1));
  };
  await expect(fill()).rejects.toMatchObject({
    code: "ENOSPC",
    message: expect.stringContaining(`of the ${storedBytes} it may have`),
  });
  expect(await fs.exists(`/${written}`)).toBe(false);
  expect(sql.databaseSize).toBeLessThanOrEqual(storedBytes);
  expect((await measure(() => tree)).free.bytes).toBe(storedBytes - sql.databaseSize);
  const room = await fs.statfs("/");
  expect(room.bfree * room.bsize).toBeLessThan(400_000);
  const stream = new Blob([noise(600_000, 999) as Uint8Array<ArrayBuffer>]).stream();
  await expect(stream.pipeTo(fs.createWriteStream("/streamed"))).rejects.toMatchObject({ code: "ENOSPC" });
  await fs.chmod("/0", 0o600);
  await fs.rm("/0");
  await fs.rm("/1");
  await fs.writeFile("/again", noise(200_000, 1000));
  sql.close();
});
