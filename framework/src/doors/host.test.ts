import { expect, test, vi } from "vitest";
import { Workspace } from "../workspace/workspace.ts";
import { AgentHost } from "./host.ts";
import { AgentStub } from "./stub.ts";
import type { ToolDoor } from "./types.ts";

const host = (tools: Record<string, ToolDoor<object>> = {}, create: () => object = () => ({})) =>
  new AgentHost({
    agent: "one",
    // No storage of a Durable Object, so no workspace can be opened on it.
    ctx: { storage: {} as never, id: {}, waitUntil: () => undefined },
    env: {},
    create,
    tools,
    rpc: (session) => new AgentStub(session),
  });

test("a workspace that cannot be opened is an answer with a code, each time", async () => {
  const agent = host();
  for (let call = 0; call < 2; call += 1) {
    const response = await agent.fetch(new Request("http://localhost/agents/one/a/files/"));
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([400, "ERR_BAD_ARGUMENT"]);
    expect(error.message).toContain("SQLite-backed");
  }
});

test.each(["workspace", "call", "then", "constructor", "toString"])("no tool can be named %s", (name) => {
  const tool: ToolDoor<object> = { parameters: [], validate: () => true, invoke: () => undefined };
  expect(() => host({ [name]: tool })).toThrow(expect.objectContaining({ code: "ERR_UNSUPPORTED" }));
});

test("an agent that could not be made is made anew by the next call, and then kept", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const opened = vi.spyOn(AgentHost.prototype, "workspace", "get");
  opened.mockReturnValue(await Workspace.memory());
  const create = vi.fn(() => ({}));
  create.mockImplementationOnce(() => {
    throw new Error("not yet");
  });
  const greet: ToolDoor<object> = { parameters: [], validate: () => true, invoke: () => "hi" };
  const agent = host({ greet }, create);
  const call = async () => {
    const request = new Request("http://localhost/agents/one/a/tools/greet", { method: "POST", body: "{}" });
    return (await agent.fetch(request)).status;
  };
  expect([await call(), await call(), await call()]).toEqual([500, 200, 200]);
  expect(create).toHaveBeenCalledTimes(2);
  opened.mockRestore();
  logged.mockRestore();
});

test.each(["constructor", "__proto__", "toString"])("%s is no tool", async (name) => {
  const response = await host().fetch(
    new Request(`http://localhost/agents/one/a/tools/${name}`, { method: "POST", body: "{}" }),
  );
  expect(await response.json()).toMatchObject({ error: { code: "ERR_UNKNOWN_TOOL" } });
});
