import { describe, expect, test } from "vitest";
import { parseRoute } from "./route.ts";

const at = (path: string) => parseRoute(`http://localhost:8787${path}`);
const code = (path: string) => {
  try {
    return at(path);
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test("every door", () => {
  expect(at("")).toEqual({ door: "root" });
  expect(at("/")).toEqual({ door: "root" });
  expect(at("/?x=/agents")).toEqual({ door: "root" });
  expect(at("/agents/reader/a/rpc")).toEqual({ door: "rpc", agent: "reader", id: "a" });
  expect(at("/agents/reader/a/exec/?x#y")).toEqual({ door: "exec", agent: "reader", id: "a" });
  expect(at("/agents/reader/a/tools/top%2Dwords")).toEqual({
    door: "tools",
    agent: "reader",
    id: "a",
    tool: "top-words",
  });
  expect(at("/agents/reader/a%20b/files")).toEqual({ door: "files", agent: "reader", id: "a b", path: "/" });
  expect(at("/agents/reader/a/files/")).toEqual({ door: "files", agent: "reader", id: "a", path: "/" });
  expect(at("/agents/reader/a/files/x/y%FF/")).toMatchObject({ path: "/x/y\udcff/" });
  expect(at("/agents/reader/a/files//x")).toMatchObject({ path: "//x" });
});

test("no host, however it looks, is taken for a path", () => {
  expect(() => parseRoute("http://agents/reader/a/rpc")).toThrow(/no door at \/reader/);
  expect(parseRoute("http://localhost?/agents/reader/a/rpc")).toEqual({ door: "root" });
});

describe("dot segments are refused wherever they are", () => {
  test.each([
    "/agents/reader/a/files/../x",
    "/agents/reader/a/files/..",
    "/agents/reader/a/files/./x",
    "/agents/reader/../b/files/x",
    "/agents/reader/%2e%2e/files/x",
    "/agents/reader/%2E./files/x",
    "/agents/./reader/a/rpc",
    "/..",
  ])("%s", (path) => {
    expect(code(path)).toBe("ERR_BAD_REQUEST");
  });

  test("but a name may hold dots", () => {
    expect(at("/agents/reader/a/files/...")).toMatchObject({ path: "/..." });
    expect(at("/agents/reader/a/files/..x")).toMatchObject({ path: "/..x" });
  });
});

test.each([
  ["/agents", "ERR_NOT_FOUND"],
  ["/agents/", "ERR_NOT_FOUND"],
  ["/agents//a/rpc", "ERR_NOT_FOUND"],
  ["/agents/reader", "ERR_NOT_FOUND"],
  ["/agents/reader//rpc", "ERR_NOT_FOUND"],
  ["/agents/reader/a", "ERR_NOT_FOUND"],
  ["/agents/reader/a/rpc/x", "ERR_NOT_FOUND"],
  ["/agents/reader/a/tools", "ERR_NOT_FOUND"],
  ["/agents/reader/a/tools/x/y", "ERR_NOT_FOUND"],
  ["/Agents/reader/a/rpc", "ERR_NOT_FOUND"],
  ["/agents/reader/%00/rpc", "ERR_BAD_REQUEST"],
  ["/agents/reader/%0A/rpc", "ERR_BAD_REQUEST"],
  ["/agents/reader/%FF/rpc", "ERR_BAD_REQUEST"],
  ["/agents/reader/a%2Fb/rpc", "ERR_BAD_REQUEST"],
  ["/agents/reader/%4/rpc", "ERR_BAD_REQUEST"],
  ["/agents/reader/a/files/%00", "ERR_BAD_REQUEST"],
  ["/agents/reader/a/files/a%2F..%2Fb", "ERR_BAD_REQUEST"],
])("%s is %s", (path, expected) => {
  expect(code(path)).toBe(expected);
});
