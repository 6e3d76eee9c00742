import { expect, test, vi } from "vitest";
import { createDoor } from "./door.ts";
import type { DoorEnv } from "./types.ts";

const env: DoorEnv = { COMPUTER_MODE: "development" };

/** A door with one agent whose object answers by `answer`. */
function doorTo(answer: (request: Request) => Promise<Response>, authorize?: (request: Request) => boolean) {
  return createDoor<DoorEnv>({
    manifest: { name: "test", version: "1", agents: [] },
    agents: {
      one: { namespace: () => ({ idFromName: (name) => name, get: () => ({ fetch: answer }) }), authorize },
    },
  });
}

const ask = (headers: Record<string, string> = {}, init: RequestInit = {}) =>
  new Request("http://localhost/agents/one/a/files/x", { ...init, headers });

test("what the object answers is passed on, dressed", async () => {
  const door = doorTo(async () => new Response("x", { status: 206, headers: { etag: '"e"' } }));
  const response = await door.fetch(ask(), env);
  expect([response.status, await response.text(), response.headers.get("etag")]).toEqual([206, "x", '"e"']);
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
});

test.each([
  [{ overloaded: true, retryable: true }, 429, "ERR_BUSY"],
  [{ retryable: true }, 503, "ERR_UNAVAILABLE"],
  [{}, 500, "ERR_INTERNAL"],
])("an object that fails with %j", async (properties, status, code) => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const door = doorTo(() => Promise.reject(Object.assign(new Error("gone"), properties)));
  const response = await door.fetch(ask(), env);
  expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
    status,
    code,
  ]);
  expect(logged).toHaveBeenCalledTimes(status === 500 ? 1 : 0);
  logged.mockRestore();
});

test("a hook that throws, or answers anything but true, lets nobody in; it never has the body", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const answer = vi.fn(async (request: Request) => new Response(await request.text()));
  const hooks = [
    () => {
      throw new Error("broken");
    },
    () => 1 as unknown as boolean,
    () => undefined as unknown as boolean,
    () => Promise.resolve(false) as unknown as boolean,
  ];
  for (const hook of hooks) expect((await doorTo(answer, hook).fetch(ask(), env)).status).toBe(401);
  expect(answer).not.toHaveBeenCalled();
  const open = doorTo(answer, (request) => request.method === "PUT" && request.body === null);
  const put = await open.fetch(ask({}, { method: "PUT", body: "content" }), env);
  expect([put.status, await put.text()]).toEqual([200, "content"]);
  logged.mockRestore();
});

test.each(["constructor", "__proto__", "toString"])("%s is no agent", async (name) => {
  const door = doorTo(async () => new Response("reached"));
  const response = await door.fetch(new Request(`http://localhost/agents/${name}/a/files/`), env);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: "ERR_UNKNOWN_AGENT" } });
});
