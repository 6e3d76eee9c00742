import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, connect as dial, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../fixtures/notes/client.ts";
import { startWorkerd } from "../workerd/harness.ts";
import { type Served, serve } from "./serve.ts";

let served: Served;
beforeAll(async () => {
  served = await serve({ COMPUTER_MODE: "development", COMPUTER_TOKEN: "t0ken" });
});
afterAll(() => served[Symbol.asyncDispose]());

/** A way to the worker that can be cut. */
async function cuttable(target: number) {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = dial(target, "127.0.0.1");
    open.add(near);
    near.on("close", () => {
      open.delete(near);
      far.destroy();
    });
    far.on("close", () => near.destroy());
    for (const socket of [near, far]) socket.on("error", () => undefined);
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open,
    cut: () => {
      for (const socket of open) socket.destroy();
    },
    [Symbol.dispose]: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

const token = "t0ken";

describe.each(["websocket", "batch"] as const)("over %s", (transport) => {
  test("a wrong token and a missing one are said so", async () => {
    for (const options of [{ token: "wrong" }, {}]) {
      using computer = connect({ url: served.url, transport, ...options });
      using notes = computer.notes("a");
      await expect(notes.whoAmI()).rejects.toMatchObject({ name: "ComputerError", code: "ERR_UNAUTHORIZED" });
      await expect(notes.workspace.runtime.exec("say x").result()).rejects.toMatchObject({
        code: "ERR_UNAUTHORIZED",
      });
    }
    using computer = connect({ url: served.url, transport, token });
    expect(await computer.notes("a").whoAmI()).toBe("a");
  });

  test("nobody there", async () => {
    using way = await cuttable(1);
    using computer = connect({ url: way.url, transport, token });
    const error = await computer
      .notes("a")
      .whoAmI()
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "ERR_CONNECTION_FAILED", retryable: true });
  });

  test("a client that was disposed of", async () => {
    const computer = connect({ url: served.url, transport, token });
    const notes = computer.notes("a");
    expect(await notes.whoAmI()).toBe("a");
    computer[Symbol.dispose]();
    await expect(notes.whoAmI()).rejects.toMatchObject({ code: "ERR_CLIENT_CLOSED", retryable: false });
    computer[Symbol.dispose]();
  });
});

test("somebody there who never answers", async () => {
  const server = createServer((socket) => socket.on("error", () => undefined));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  using computer = connect({ url: `http://127.0.0.1:${port}`, connectTimeoutMs: 200 });
  await expect(computer.notes("a").whoAmI()).rejects.toMatchObject({ code: "ERR_CONNECTION_FAILED" });
  server.close();
});

test("a broken connection fails what was under way, once, and the next call connects anew", async () => {
  using way = await cuttable(served.port);
  using computer = connect({ url: way.url, token });
  using notes = computer.notes("broken");
  expect(await notes.whoAmI()).toBe("broken");
  const run = notes.workspace.runtime.exec("say on\nwait 300\nput /done yes");
  for await (const event of run) if (event.type === "stdout") break;
  const result = run.result();
  const calls = [result, notes.workspace.fs.createReadStream("/done").getReader().read()];
  way.cut();
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes[0]).toMatchObject({
    status: "rejected",
    reason: { code: "ERR_CONNECTION_LOST", retryable: true },
  });
  expect(outcomes[1]).toMatchObject({ status: "rejected" });
  expect(await notes.whoAmI()).toBe("broken");
  // The run that the lost session had started went on, and can be found again.
  const found = await notes.workspace.runtime.get(run.id);
  expect(await found?.result()).toMatchObject({ runId: run.id, stdout: "on\n", status: "exited" });
  expect(await notes.workspace.runtime.get("no-such-run")).toBeUndefined();
  await expect.poll(() => notes.workspace.fs.exists("/done"), { timeout: 5000 }).toBe(true);
});

test("a call that was not answered is not made again", async () => {
  using way = await cuttable(served.port);
  using computer = connect({ url: way.url, token });
  using notes = computer.notes("once");
  await notes.workspace.fs.writeFile("/log", "");
  const appended = notes.workspace.fs.appendFile("/log", "x");
  // The message is on its way when the answer can no longer come.
  await new Promise((resolve) => setImmediate(resolve));
  way.cut();
  const outcome = await appended.then(
    () => "answered",
    (error) => error.code,
  );
  expect(["answered", "ERR_CONNECTION_LOST"]).toContain(outcome);
  await notes.whoAmI();
  expect((await notes.workspace.fs.readFile("/log", "utf8")).length).toBeLessThanOrEqual(1);
});

test("disposing closes what it holds, and only that", async () => {
  using way = await cuttable(served.port);
  using computer = connect({ url: way.url, token });
  const [one, two] = [computer.notes("one"), computer.notes("two")];
  await Promise.all([one.whoAmI(), two.whoAmI()]);
  expect(way.open.size).toBe(2);
  one[Symbol.dispose]();
  await expect.poll(() => way.open.size).toBe(1);
  expect(await two.whoAmI()).toBe("two");
  const waiting = two.workspace.runtime.exec("wait 60000", { timeoutMs: 1000 }).result();
  computer[Symbol.dispose]();
  await expect(waiting).rejects.toMatchObject({ code: "ERR_CLIENT_CLOSED" });
  await expect.poll(() => way.open.size).toBe(0);
});

test("nothing connects before it is used", async () => {
  using way = await cuttable(served.port);
  using computer = connect({ url: way.url, token });
  computer.notes("lazy");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(way.open.size).toBe(0);
});

test("the calls of one turn share one request of a batch", async () => {
  using computer = connect({ url: served.url, token, transport: "batch" });
  using notes = computer.notes("turn");
  const requests: string[] = [];
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    requests.push(String(input));
    return original(input, init);
  };
  try {
    await Promise.all([notes.whoAmI(), notes.list(), notes.workspace.fs.exists("/")]);
    expect(requests).toHaveLength(1);
    await notes.whoAmI();
    expect(requests).toHaveLength(2);
  } finally {
    globalThis.fetch = original;
  }
});

test("the client works inside a Worker", async () => {
  const entry = new URL("../fixtures/notes/remote-worker.ts", import.meta.url).pathname;
  await using caller = await startWorkerd({ entry, objects: [], bindings: { target: served.url } });
  expect(await (await caller.fetch("/")).json()).toEqual([
    ["from-worker-websocket", [1, 255], "hi\n", "ENOENT"],
    ["from-worker-batch", [1, 255], "hi\n", "ENOENT"],
  ]);
});
