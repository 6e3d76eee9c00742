import http, { type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listenFrom } from "./ports.ts";

const open: Server[] = [];
const create = () => {
  const server = http.createServer((_request, response) => response.end("ours"));
  open.push(server);
  return server;
};

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

function occupy(host: string): Promise<number> {
  const server = create();
  return new Promise((resolve) =>
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port)),
  );
}

test("takes the next free port when the wanted one is taken", async () => {
  const taken = await occupy("127.0.0.1");
  const { port } = await listenFrom(taken, create);
  expect(port).toBeGreaterThan(taken);
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("ours");
});

test("a server on all addresses takes the port, too", async () => {
  const taken = await occupy("0.0.0.0");
  expect((await listenFrom(taken, create)).port).toBeGreaterThan(taken);
});

test("any number that start at once get different ports", async () => {
  const wanted = await occupy("127.0.0.1");
  const all = await Promise.all(Array.from({ length: 8 }, () => listenFrom(wanted, create)));
  expect(new Set(all.map(({ port }) => port)).size).toBe(8);
});

test("says how to go on when no port is free", async () => {
  const taken = await occupy("127.0.0.1");
  const last = 65_535;
  const blocked = http.createServer();
  open.push(blocked);
  await new Promise<void>((resolve) =>
    blocked.once("error", () => resolve()).listen(last, "127.0.0.1", resolve),
  );
  await expect(listenFrom(last, create)).rejects.toThrow(/--port N/);
  expect(taken).toBeLessThan(last);
});
