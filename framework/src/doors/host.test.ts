import { expect, test } from "vitest";
import { AgentHost } from "./host.ts";
import { AgentStub } from "./stub.ts";
import type { ToolDoor } from "./types.ts";

const host = (tools: Record<string, ToolDoor<object>> = {}) =>
  new AgentHost({
    agent: "one",
    // No storage of a Durable Object, so no workspace can be opened on it.
    ctx: { storage: {} as never, id: {}, waitUntil: () => undefined },
    env: {},
    create: () => ({}),
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
