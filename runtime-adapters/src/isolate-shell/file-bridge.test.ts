import { Workspace } from "@computer/framework";
import { describe, expect, test } from "vitest";
import { FileBridge } from "./file-bridge.ts";

async function bridge() {
  const { fs } = await Workspace.memory();
  return { fs, bridge: new FileBridge(fs) };
}

describe("FileBridge", () => {
  test("answers with the value, or with the error's code and message", async () => {
    const { bridge: files } = await bridge();
    expect(await files.answer("writeFile", ["/a", Uint8Array.of(1)])).toEqual({ value: undefined });
    expect(await files.answer("readFile", ["/a"])).toEqual({ value: Uint8Array.of(1) });
    expect(await files.answer("readFile", ["/b"])).toEqual({
      error: { code: "ENOENT", message: expect.stringContaining("/b") },
    });
  });

  test.each(["constructor", "toString", "__proto__", "createReadStream", "#copy", "", "answer"])(
    "has no verb %j",
    async (verb) => {
      const { bridge: files } = await bridge();
      expect(await files.answer(verb, ["/"])).toEqual({ error: expect.objectContaining({ code: "ENOSYS" }) });
    },
  );

  test("what is no path is refused, not a crash", async () => {
    const { bridge: files } = await bridge();
    for (const path of [undefined, 5, {}, "relative", "/nul\0"]) {
      expect(await files.answer("readFile", [path])).toHaveProperty("error.code");
    }
  });

  test("copies folders with the links in them, and never into themselves", async () => {
    const { fs, bridge: files } = await bridge();
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("/a/b/file", "text", { mode: 0o600 });
    await fs.symlink("b/file", "/a/link");
    expect(await files.answer("cp", ["/a", "/c", true])).toEqual({ value: undefined });
    expect(await fs.readFile("/c/b/file", "utf8")).toBe("text");
    expect(await fs.readlink("/c/link")).toBe("b/file");
    expect(await files.answer("cp", ["/a", "/d", false])).toHaveProperty("error.code", "EISDIR");
    expect(await files.answer("cp", ["/a", "/a/b/c", true])).toHaveProperty("error.code", "EINVAL");
  });

  test("makes /tmp when it is first needed, and nothing else", async () => {
    const { fs, bridge: files } = await bridge();
    expect(await files.answer("stat", ["/tmp"])).toHaveProperty("value.kind", "directory");
    expect(await files.answer("writeFile", ["/tmp/no/such", new Uint8Array(0)])).toHaveProperty(
      "error.code",
      "ENOENT",
    );
    expect(await files.answer("writeFile", ["/tmpfile/x", new Uint8Array(0)])).toHaveProperty(
      "error.code",
      "ENOENT",
    );
    expect(await fs.readdir("/")).toEqual(["tmp"]);
  });
});

test("what is too large for the shell is never read into memory", async () => {
  await using workspace = await Workspace.memory();
  const { fs } = workspace;
  await fs.writeFile("/large", "");
  await fs.truncate("/large", 16 * 1024 * 1024 + 1);
  const read: unknown[] = [];
  const watched = new Proxy(fs, {
    get(target, name) {
      const verb = Reflect.get(target, name);
      if (typeof verb !== "function") return verb;
      return (...parameters: unknown[]) => {
        if (name === "readFile") read.push(parameters);
        return verb.apply(target, parameters);
      };
    },
  });
  const bridge = new FileBridge(watched);
  expect(await bridge.answer("readFile", ["/large"])).toMatchObject({ error: { code: "EFBIG" } });
  expect(await bridge.answer("readFile", ["/none"])).toMatchObject({ error: { code: "ENOENT" } });
  expect(read).toEqual([]);
  await fs.truncate("/large", 16 * 1024 * 1024);
  expect(await bridge.answer("readFile", ["/large"])).toHaveProperty("value");
});
