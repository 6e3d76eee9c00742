import { expect, test } from "vitest";
import { Workspace } from "./workspace.ts";

test("a workspace in memory keeps files until it is closed", async () => {
  const workspace = await Workspace.memory();
  await workspace.fs.writeFile("/hello.txt", "hello");
  expect(await workspace.fs.readFile("/hello.txt", "utf8")).toBe("hello");
  await workspace.close();
  await expect(workspace.fs.stat("/")).rejects.toMatchObject({ code: "ERR_WORKSPACE_CLOSED" });
  await workspace.close();
});
