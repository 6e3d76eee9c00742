import { expect, test, vi } from "vitest";
import type { Backend } from "../runtime/types.ts";
import { Workspace } from "../workspace/workspace.ts";
import { serveExec } from "./exec.ts";

test("who stops listening ends the run", async () => {
  vi.useFakeTimers();
  const stopped = vi.fn();
  const endless: Backend = {
    kind: "endless",
    describe: () => "says one thing and waits",
    connect: async () => ({
      exec: ({ signal }, output) =>
        new Promise((resolve) => {
          output.write("stdout", new TextEncoder().encode("on"));
          signal.addEventListener("abort", () => {
            stopped();
            resolve({ exitCode: 0 });
          });
        }),
      close: async () => undefined,
    }),
  };
  try {
    await using workspace = await Workspace.memory({ backends: { endless } });
    const request = new Request("http://localhost/exec", { method: "POST", body: '{"source":"x"}' });
    const { body } = await serveExec(request, workspace.runtime);
    const reader = body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("event: stdout");
    expect(stopped).not.toHaveBeenCalled();
    // No time passes, so it is not the heartbeat that finds out.
    await reader?.cancel();
    expect(stopped).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
