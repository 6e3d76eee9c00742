import { describe, expect, test } from "vitest";
import { ComputerError } from "../errors.ts";
import { fsError } from "../vfs/errors.ts";
import { describeError, errorResponse, toolFailure } from "./errors.ts";
import { Session, WireFault } from "./session.ts";

const secret = Object.assign(new Error("at /srv/secret.ts"), { token: "t0ken" });

describe("what leaves of an error", () => {
  test("one of ours, with where the fault lies", () => {
    const error = new ComputerError("ERR_BAD_ARGUMENT", "title: is missing", {
      path: "/title",
      cause: secret,
    });
    expect(describeError(error, false)).toEqual({
      status: 400,
      error: { code: "ERR_BAD_ARGUMENT", message: "title: is missing", path: "/title" },
    });
  });

  test("one of the file system, with Node's fields", () => {
    const error = fsError("ENOENT", { syscall: "rename", path: "/a", dest: "/b" });
    expect(describeError(error, false)).toEqual({
      status: 404,
      error: { code: "ENOENT", message: error.message, syscall: "rename", path: "/a", dest: "/b", errno: -2 },
    });
  });

  test("one nobody meant for the outside: nothing in a deployment, all in development", () => {
    expect(JSON.stringify(describeError(secret, false))).not.toContain("secret");
    expect(describeError(secret, false)).toMatchObject({ status: 500, error: { code: "ERR_INTERNAL" } });
    const { error } = describeError(secret, true);
    expect(error).toMatchObject({ message: secret.message, stack: expect.stringContaining("errors.test") });
  });

  test("a code that does not look like one is none", () => {
    for (const code of ["", "no code", "__proto__", 7, "x".repeat(100)]) {
      expect(describeError(Object.assign(new Error("m"), { code }), false).error.code).toBe("ERR_INTERNAL");
    }
    expect(describeError(Object.assign(new Error("m"), { code: "MY_OWN" }), false)).toEqual({
      status: 500,
      error: { code: "MY_OWN", message: "m" },
    });
  });

  test("a message has an end", () => {
    const error = new ComputerError("ERR_TOOL_FAILED", "x".repeat(1_000_000));
    expect(describeError(error, false).error.message.length).toBeLessThan(10_000);
  });
});

test("what a tool threw keeps its code, or gets one", () => {
  const coded = fsError("EEXIST", { syscall: "mkdir" });
  expect(toolFailure(coded)).toBe(coded);
  for (const thrown of [new Error("m"), "m"])
    expect(toolFailure(thrown)).toMatchObject({ code: "ERR_TOOL_FAILED", message: "m" });
  for (const thrown of [undefined, null, {}, new Error("")]) {
    expect(toolFailure(thrown)).toMatchObject({
      code: "ERR_TOOL_FAILED",
      message: expect.stringMatching(/./),
    });
  }
});

test("what is no Error is told by what it is, without a stack of ours", () => {
  for (const [thrown, message] of [
    ["a bare string", "a bare string"],
    [{ message: "by hand", code: "ENOENT" }, "by hand"],
    [null, "The tool threw null; throw an Error, which says where."],
    [{ message: 7 }, "The tool threw an object; throw an Error, which says where."],
  ] as const) {
    const { error } = describeError(toolFailure(thrown), true);
    expect(error).toEqual({ code: "ERR_TOOL_FAILED", message });
  }
});

test("an answer of 401 says how to do better", () => {
  const response = errorResponse(new ComputerError("ERR_UNAUTHORIZED", "m"), false);
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
});

describe("over RPC", () => {
  test("an error carries just its fields", () => {
    const fault = new WireFault(fsError("ENOENT", { syscall: "open", path: "/a" }), false);
    expect({ ...fault }).toEqual({ code: "ENOENT", syscall: "open", path: "/a", errno: -2 });
    expect([fault.message, fault.stack]).toEqual(["ENOENT: no such file or directory, open '/a'", ""]);
  });

  test("capnweb's own errors are given codes", () => {
    const { onSendError } = new Session("websocket", false);
    expect(onSendError(new TypeError("'nope' is not a function."))).toMatchObject({
      code: "ERR_UNKNOWN_TOOL",
    });
    expect(onSendError(new TypeError("Cannot serialize value: x"))).toMatchObject({
      code: "ERR_BAD_REQUEST",
    });
  });

  test("what a call throws is told once, and its slot is free again", async () => {
    const session = new Session("batch", false);
    for (let call = 0; call < 1000; call += 1) {
      await expect(session.run(() => Promise.reject(secret))).rejects.toMatchObject({ code: "ERR_INTERNAL" });
    }
    expect(await session.run(() => 7)).toBe(7);
    const never = new Promise<never>(() => undefined);
    for (let call = 0; call < 256; call += 1) session.run(() => never);
    await expect(session.run(() => 7)).rejects.toMatchObject({ code: "ERR_BUSY" });
  });
});
