import { describe, expect, test } from "vitest";
import { createClient } from "./connect.ts";
import { checkOptions } from "./options.ts";
import { asWireError, plainValue, RemoteStats, reviveError } from "./revive.ts";
import { readServerSentEvents } from "./sse.ts";

describe("options", () => {
  test("an address without its slash, and the defaults", () => {
    expect(checkOptions({ url: "http://127.0.0.1:8787/" })).toEqual({
      base: "http://127.0.0.1:8787",
      token: undefined,
      transport: "websocket",
      connectTimeoutMs: 10_000,
    });
    expect(checkOptions({ url: new URL("https://example.com/under/") }).base).toBe(
      "https://example.com/under",
    );
  });

  test.each([
    [undefined, ""],
    [{}, "/url"],
    [{ url: "127.0.0.1:8787" }, "/url"],
    [{ url: "ws://localhost" }, "/url"],
    [{ url: "http://user:pass@localhost" }, "/url"],
    [{ url: "http://localhost/?x" }, "/url"],
    [{ url: "http://localhost/#x" }, "/url"],
    [{ url: "http://localhost", token: "" }, "/token"],
    [{ url: "http://localhost", token: "a b" }, "/token"],
    [{ url: "http://localhost", token: "a\r\nx: y" }, "/token"],
    [{ url: "http://localhost", token: 7 }, "/token"],
    [{ url: "http://localhost", transport: "carrier pigeon" }, "/transport"],
    [{ url: "http://localhost", connectTimeoutMs: 0 }, "/connectTimeoutMs"],
    [{ url: "http://localhost", connectTimeoutMs: Number.NaN }, "/connectTimeoutMs"],
  ])("%j is refused", (options, path) => {
    expect(() => checkOptions(options as never)).toThrow(
      expect.objectContaining({ code: "ERR_BAD_ARGUMENT", path }),
    );
  });

  test("an id that would lead elsewhere is refused before anything is asked", () => {
    type Client = Disposable & { a(id: unknown): Disposable };
    using client = createClient<Client>({ url: "http://localhost" }, { a: { agent: "a", tools: [] } });
    for (const id of ["", ".", "..", "\ud800", undefined, 7]) {
      expect(() => client.a(id)).toThrow(expect.objectContaining({ code: "ERR_BAD_ARGUMENT", path: "/id" }));
    }
  });
});

describe("errors", () => {
  test("ours and Node's are themselves again", () => {
    const ours = reviveError({ code: "ERR_BUSY", message: "m", path: "/p" });
    expect(ours).toMatchObject({ name: "ComputerError", code: "ERR_BUSY", path: "/p", retryable: true });
    const node = reviveError({ code: "ENOENT", message: "m", syscall: "open", errno: -2 });
    expect([node.name, { ...node }]).toEqual(["Error", { code: "ENOENT", syscall: "open", errno: -2 }]);
    expect(reviveError({ code: "__proto__", message: "m" })).not.toMatchObject({ name: "ComputerError" });
  });

  test("a remote stack is the cause's", () => {
    expect(reviveError({ code: "ERR_TOOL_FAILED", message: "m", stack: "far" }).cause).toMatchObject({
      stack: "far",
    });
  });

  test("what is no error of a door is none", () => {
    for (const value of [undefined, null, "x", {}, { code: 1, message: "m" }, new Error("m")]) {
      expect(asWireError(value)).toBeUndefined();
    }
  });
});

test("values are plain: no Buffer, no disposer", () => {
  const value = Object.defineProperty(
    { b: Buffer.from("ab"), at: new Date(1), list: [Buffer.from("c")] },
    Symbol.dispose,
    {
      value: () => undefined,
    },
  );
  const plain = plainValue(value) as { b: Uint8Array };
  expect(plain).toEqual({ b: Uint8Array.of(97, 98), at: new Date(1), list: [Uint8Array.of(99)] });
  expect([plain.b.constructor, plain.b.buffer.byteLength, Symbol.dispose in plain]).toEqual([
    Uint8Array,
    2,
    false,
  ]);
});

test("stats tell what kind of node it is", () => {
  const stats = (mode: number) => new RemoteStats({ mode, mtimeMs: 5 } as never);
  expect(stats(0o100644).isFile()).toBe(true);
  expect(stats(0o040755).isDirectory()).toBe(true);
  expect(stats(0o120777).isSymbolicLink()).toBe(true);
  expect(stats(0o100644).isDirectory()).toBe(false);
  expect(stats(0o100644).mtime).toEqual(new Date(5));
});

test("server-sent events are read however they are cut", async () => {
  const text =
    ': beat\n\nevent: stdout\nid: 0\ndata: {"text":"ä"}\n\nid: 1\ndata: a\ndata: b\n\ndata: cut off';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 7, 1000]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, at * size + size),
    );
    const events = [];
    for await (const event of readServerSentEvents(ReadableStream.from(chunks))) events.push(event);
    expect(events).toEqual([
      { event: "stdout", id: "0", data: '{"text":"ä"}' },
      { event: "message", id: "1", data: "a\nb" },
    ]);
  }
});
