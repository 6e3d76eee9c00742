import type { WorkerLoader } from "@cloudflare/workers-types";
import { Workspace } from "@computer/framework";
import { describe, expect, expectTypeOf, test } from "vitest";
import { type GuestLoader, IsolateShell } from "./isolate-shell.ts";
import type { Guest } from "./protocol.ts";

type Code = ReturnType<Parameters<GuestLoader["get"]>[1]>;

/** A loader whose isolates do what they are told to. */
function fakeLoader(
  exec: (isolate: number, ...parameters: Parameters<Guest["exec"]>) => ReturnType<Guest["exec"]>,
) {
  const loaded: { name: string; code: Code }[] = [];
  let disposed = 0;
  const loader: GuestLoader = {
    get(name, code) {
      const isolate = loaded.push({ name, code: code() }) - 1;
      return {
        getEntrypoint: () => ({
          exec: (...parameters: Parameters<Guest["exec"]>) => exec(isolate, ...parameters),
          [Symbol.dispose]: () => disposed++,
        }),
      };
    },
  };
  return { loader, loaded, disposed: () => disposed };
}

async function workspaceWith(loader: GuestLoader, options: { cpuMs?: number } = {}) {
  return Workspace.memory({
    backends: { shell: new IsolateShell({ loader, source: "guest text", ...options }) },
  });
}

describe("IsolateShell", () => {
  test("loads one isolate per workspace, without network or bindings, under a name of its own", async () => {
    const { loader, loaded } = fakeLoader(async () => ({ exitCode: 0, droppedBytes: 0 }));
    await using workspace = await workspaceWith(loader, { cpuMs: 500 });
    await using other = await workspaceWith(loader);
    await Promise.all([workspace.runtime.exec("a").result(), workspace.runtime.exec("b").result()]);
    await other.runtime.exec("a").result();
    expect(loaded).toHaveLength(2);
    expect(loaded[0]?.code).toMatchObject({
      env: {},
      globalOutbound: null,
      modules: { "shell.js": "guest text" },
      limits: { cpuMs: 500 },
    });
    expect(loaded[1]?.code).not.toHaveProperty("limits");
    expect(loaded[0]?.name).not.toBe(loaded[1]?.name);
  });

  test("takes from a guest nothing but an outcome", async () => {
    const answers = [
      { exitCode: Number.NaN, droppedBytes: -5, limit: { toString: () => "x" } },
      { exitCode: "0", droppedBytes: "many", limit: () => "x" },
      { exitCode: 300, droppedBytes: 7, limit: "l".repeat(5000), status: "failed", runId: "another" },
      { exitCode: 1e300, droppedBytes: Number.POSITIVE_INFINITY },
    ] as never[];
    const { loader } = fakeLoader(async () => answers.shift() as never);
    await using workspace = await workspaceWith(loader);
    const outcomes = [];
    while (answers.length > 0) {
      const { status, exitCode, droppedBytes, limits } = await workspace.runtime.exec("a").bytes();
      const said = limits.filter(({ limit }) => limit === "backend").map(({ message }) => message.length);
      outcomes.push([status, exitCode, droppedBytes, said]);
    }
    expect(outcomes).toEqual([
      ["exited", 1, 0, []],
      ["exited", 1, 0, []],
      ["exited", 44, 7, [1000]],
      ["exited", 1, 0, []],
    ]);
  });

  test("replaces an isolate that broke", async () => {
    const { loader, loaded, disposed } = fakeLoader(async (isolate) => {
      if (isolate === 0) throw new Error("Worker exceeded its memory limit.");
      return { exitCode: 0, droppedBytes: 0 };
    });
    await using workspace = await workspaceWith(loader);
    expect(await workspace.runtime.exec("a").result()).toMatchObject({
      status: "failed",
      message: "Worker exceeded its memory limit.",
    });
    expect(await workspace.runtime.exec("a").result()).toMatchObject({ status: "exited" });
    expect(loaded).toHaveLength(2);
    expect(disposed()).toBe(1);
  });

  test("replaces an isolate that does not stop, and keeps one that does", async () => {
    const { loader, loaded } = fakeLoader(async (_isolate, { source }, host) => {
      if (source === "deaf") return new Promise(() => {});
      await host.stopped();
      throw new Error("Stopped.");
    });
    await using workspace = await workspaceWith(loader);
    expect((await workspace.runtime.exec("heeds", { timeoutMs: 5 }).result()).status).toBe("timeout");
    expect((await workspace.runtime.exec("heeds", { timeoutMs: 5 }).result()).status).toBe("timeout");
    expect(loaded).toHaveLength(1);
    expect((await workspace.runtime.exec("deaf", { timeoutMs: 5 }).result()).status).toBe("timeout");
    expect((await workspace.runtime.exec("heeds", { timeoutMs: 5 }).result()).status).toBe("timeout");
    expect(loaded).toHaveLength(2);
  });

  test("lends its files and its ears only while the run is open, and only for bytes", async () => {
    let kept: Parameters<Guest["exec"]>[1] | undefined;
    const { loader } = fakeLoader(async (_isolate, _request, host) => {
      kept = host;
      await expect(host.write("stdin" as "stdout", Uint8Array.of(1))).rejects.toThrow(TypeError);
      await expect(host.write("stdout", "text" as unknown as Uint8Array)).rejects.toThrow(TypeError);
      await host.write("stdout", Uint8Array.of(0x61));
      return { exitCode: 0, droppedBytes: 0 };
    });
    await using workspace = await workspaceWith(loader);
    expect((await workspace.runtime.exec("a").result()).stdout).toBe("a");
    await kept?.stopped();
    expect(await kept?.file("writeFile", ["/late", new Uint8Array(0)])).toHaveProperty(
      "error.code",
      "ECANCELED",
    );
    expect(await workspace.fs.exists("/late")).toBe(false);
  });
});

test("takes a Worker Loader binding as it is", () => {
  expectTypeOf<WorkerLoader>().toExtend<GuestLoader>();
});
