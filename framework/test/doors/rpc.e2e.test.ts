import { newWebSocketRpcSession } from "capnweb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../fixtures/notes/client.ts";
import { rawRequest, type Served, serve } from "./serve.ts";

let served: Served;
beforeAll(async () => {
  served = await serve({ COMPUTER_MODE: "development" });
});
afterAll(() => served[Symbol.asyncDispose]());

const rpcPath = "/agents/notes/rpc-test/rpc";

/** What a peer that speaks the protocol by hand gets for a path, read or called. */
async function reach(path: (string | number)[], args?: unknown[]): Promise<unknown[]> {
  const expression = ["pipeline", 0, path, ...(args === undefined ? [] : [args])];
  const body = `${JSON.stringify(["push", expression])}\n${JSON.stringify(["pull", 1])}`;
  const { status, text } = await rawRequest(served.port, rpcPath, { method: "POST", body });
  expect(status).toBe(200);
  const [kind, , value] = JSON.parse(text.split("\n")[0] ?? "null");
  return [kind, value];
}

describe("a session reaches what is meant and nothing else", () => {
  test("a tool, by its method and by its name", async () => {
    expect(await reach(["list"], [])).toEqual(["resolve", [[]]]);
    expect(await reach(["call"], ["whoAmI", [[]]])).toEqual(["resolve", "rpc-test"]);
  });

  const paths: (string | number)[][] = [
    ["constructor"],
    ["constructor", "constructor"],
    ["__proto__"],
    ["__proto__", "constructor"],
    ["toString"],
    ["valueOf"],
    ["hasOwnProperty"],
    ["__defineGetter__"],
    ["__lookupGetter__"],
    ["session"],
    ["#session"],
    ["_session"],
    ["prototype"],
    ["workspace", "constructor"],
    ["workspace", "#fs"],
    ["workspace", "close"],
    ["workspace", "fs", "constructor"],
    ["workspace", "fs", "#run"],
    ["workspace", "fs", "run"],
    ["workspace", "fs", "#fs"],
    ["workspace", "fs", "readFile", "constructor"],
    ["workspace", "fs", "readFile", "call"],
    ["workspace", "fs", "readFile", "apply"],
    ["workspace", "fs", "readFile", "bind"],
    ["workspace", "runtime", "close"],
    ["workspace", "runtime", "backends", "caller"],
    ["then"],
    ["env"],
    ["ctx"],
    ["storage"],
    [0],
  ];
  test.each(paths.map((path) => [path]))("not %s", async (path) => {
    const read = await reach(path);
    expect(read[0] === "reject" || JSON.stringify(read[1]) === '["undefined"]').toBe(true);
    const [kind, error] = await reach(path, ["return 1"]);
    expect(kind).toBe("reject");
    expect((error as unknown[])[4]).toMatchObject({ code: "ERR_UNKNOWN_TOOL" });
  });

  test("a tool that is none, or is not to be called by that", async () => {
    for (const name of ["nope", "constructor", "__proto__", "toString", 7, null, {}]) {
      const [kind, error] = await reach(["call"], [name, [[]]]);
      expect([kind, (error as unknown[])[4]]).toMatchObject(["reject", { code: "ERR_UNKNOWN_TOOL" }]);
    }
    const [kind, error] = await reach(["call"], ["whoAmI", "no list"]);
    expect([kind, (error as unknown[])[4]]).toMatchObject(["reject", { code: "ERR_BAD_ARGUMENT" }]);
  });

  test("a result is data, whatever the tool answered", async () => {
    expect(await reach(["leak"], [])).toEqual(["resolve", { kept: "yes" }]);
    expect((await reach(["leak", "reach"], []))[0]).toBe("reject");
  });

  test("a stream is not left open in a batch", async () => {
    for (const verb of ["createReadStream", "createWriteStream"]) {
      const [, error] = await reach(["workspace", "fs", verb], ["/x"]);
      expect((error as unknown[])[4]).toMatchObject({ code: "ERR_UNSUPPORTED" });
    }
  });
});

describe("a session is bounded", () => {
  test("in calls at work at the same time", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: the remote side as capnweb gives it
    using root = newWebSocketRpcSession<any>(`${served.url.replace("http", "ws")}${rpcPath}`) as any;
    using run = await root.workspace.runtime.exec("wait 500");
    const results = Array.from({ length: 300 }, () =>
      run.result().then(
        () => "ended",
        (error: { code: string }) => error.code,
      ),
    );
    const outcomes = await Promise.all(results);
    expect(outcomes.filter((outcome) => outcome === "ended")).toHaveLength(256);
    expect(outcomes.filter((outcome) => outcome === "ERR_BUSY")).toHaveLength(44);
    expect(await root.call("whoAmI", [])).toBe("rpc-test");
  });

  test("in what it holds: a peer that never lets go is cut off", async () => {
    const socket = new WebSocket(`${served.url.replace("http", "ws")}${rpcPath}`);
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
    for (let index = 0; index < 6000; index += 1)
      socket.send('["push",["pipeline",0,["call"],["whoAmI",[[]]]]]');
    const { code, reason } = await closed;
    expect([code, reason]).toEqual([3000, expect.stringContaining("references")]);
  });

  test("and one that does let go is not, however many calls it makes", async () => {
    using computer = connect({ url: served.url });
    using notes = computer.notes("many");
    for (let round = 0; round < 30; round += 1) {
      const names = await Promise.all(Array.from({ length: 200 }, () => notes.whoAmI()));
      expect(names.every((name) => name === "many")).toBe(true);
    }
  });

  test("in the size of a message", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: the remote side as capnweb gives it
    using root = newWebSocketRpcSession<any>(`${served.url.replace("http", "ws")}${rpcPath}`);
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const stub = root as any;
    expect(await stub.call("whoAmI", [])).toBe("rpc-test");
    await expect(stub.workspace.fs.writeFile("/x", "x".repeat(9_000_000))).rejects.toThrow();
    using computer = connect({ url: served.url });
    expect(await computer.notes("rpc-test").workspace.fs.exists("/x")).toBe(false);
  });
});

test("an answer by RPC lets no page of another origin read it", async () => {
  const { headers } = await rawRequest(served.port, rpcPath, { method: "POST", body: "" });
  expect(headers["access-control-allow-origin"]).toBeUndefined();
});
