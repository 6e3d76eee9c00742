import { describe, expect, test } from "vitest";
import type { FileSystem } from "../vfs/types.ts";
import { WorkspaceRuntime } from "./runtime.ts";
import type { Backend, BackendOutcome, BackendRequest, OutputSink, RunEvent } from "./types.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array) => new TextDecoder().decode(data);

/** A file system of one folder, `/work`, and one file, `/file`. */
const fs = {
  async stat(path: string) {
    if (path === "/broken") throw new Error("The disk is on fire.");
    if (path !== "/work" && path !== "/file") throw Object.assign(new Error("no"), { code: "ENOENT" });
    return { isDirectory: () => path === "/work" };
  },
} as unknown as FileSystem;

function backend(exec: (request: BackendRequest, output: OutputSink) => Promise<BackendOutcome>): Backend {
  return {
    kind: "fake",
    describe: () => "Runs nothing.",
    connect: async () => ({ exec, close: async () => {} }),
  };
}

function runtime(
  exec: (request: BackendRequest, output: OutputSink) => Promise<BackendOutcome>,
  options: { maxOpenRuns?: number; maxFinishedRuns?: number; maxTotalOutputBytes?: number } = {},
) {
  return new WorkspaceRuntime({ fs, backends: { fake: backend(exec) }, graceMs: 20, ...options });
}

/** Never answers, whatever it is told. */
const deaf = () => new Promise<never>(() => {});

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("exec", () => {
  test("fills in the defaults and hands over what it was given", async () => {
    const seen: BackendRequest[] = [];
    const ours = runtime(async (request, output) => {
      seen.push(request);
      output.write("stdout", bytes("out"));
      output.write("stderr", bytes("err"));
      return { exitCode: 3 };
    });
    const result = await ours.exec("a", { cwd: "/work", env: { A: "1" }, stdin: "é" }).result();
    expect(result).toMatchObject({ status: "exited", exitCode: 3, stdout: "out", stderr: "err", limits: [] });
    expect(result.backend).toBe("fake");
    expect(seen[0]).toMatchObject({ source: "a", cwd: "/work", env: { A: "1" }, timeoutMs: 120_000 });
    expect(seen[0]?.stdin).toEqual(bytes("é"));
  });

  test.each<[string, unknown, unknown, string]>([
    ["a source that is no string", 5, {}, "/source"],
    ["a NUL in the source", "a\0b", {}, "/source"],
    ["an enormous source", "a".repeat(2 ** 20 + 1), {}, "/source"],
    ["options that are no object", "a", 5, "/options"],
    ["an option that does not exist", "a", { timeout: 5 }, "/timeout"],
    ["a backend that is no string", "a", { backend: 5 }, "/backend"],
    ["a relative cwd", "a", { cwd: "work" }, "/cwd"],
    ["a NUL in cwd", "a", { cwd: "/a\0" }, "/cwd"],
    ["a NUL in a variable", "a", { env: { "a/b": "x\0" } }, "/env/a~1b"],
    ["a variable that is no string", "a", { env: { A: 1 } }, "/env/A"],
    ["a variable with = in its name", "a", { env: { "A=B": "1" } }, "/env/A=B"],
    ["stdin that is no bytes", "a", { stdin: 5 }, "/stdin"],
    ["a negative timeout", "a", { timeoutMs: -1 }, "/timeoutMs"],
    ["a timeout that is no number", "a", { timeoutMs: Number.NaN }, "/timeoutMs"],
    ["an endless timeout", "a", { timeoutMs: Number.POSITIVE_INFINITY }, "/timeoutMs"],
    ["a negative output bound", "a", { maxOutputBytes: -1 }, "/maxOutputBytes"],
    ["a signal that is none", "a", { signal: {} }, "/signal"],
  ])("throws at once for %s", (_, source, options, path) => {
    const exec = runtime(deaf).exec as (source: unknown, options: unknown) => unknown;
    const ours = runtime(deaf);
    expect(() => exec.call(ours, source, options)).toThrow(
      expect.objectContaining({ code: "ERR_BAD_ARGUMENT", path }),
    );
  });

  test("names the backends when it is asked for another, and never finds inherited names", () => {
    for (const name of ["sehll", "toString", "__proto__"]) {
      expect(() => runtime(deaf).exec("a", { backend: name })).toThrow(
        expect.objectContaining({
          code: "ERR_UNKNOWN_BACKEND",
          message: expect.stringContaining("There are: fake."),
        }),
      );
    }
    expect(() => new WorkspaceRuntime({ fs }).exec("a")).toThrow(/no backend/);
  });

  test("a working directory that is missing or no directory fails as in a shell", async () => {
    const ours = runtime(async () => ({ exitCode: 0 }));
    expect(await ours.exec("a", { cwd: "/nope" }).result()).toMatchObject({
      status: "exited",
      exitCode: 1,
      stderr: "cd: /nope: No such file or directory\n",
    });
    expect((await ours.exec("a", { cwd: "/file" }).result()).stderr).toBe("cd: /file: Not a directory\n");
    expect(await ours.exec("a", { cwd: "/broken" }).result()).toMatchObject({ status: "failed" });
  });

  test("a backend that throws is a failed run with its message", async () => {
    const ours = runtime(() => {
      throw new Error("It broke.");
    });
    expect(await ours.exec("a").result()).toMatchObject({
      status: "failed",
      exitCode: null,
      message: "It broke.",
    });
  });

  test("a connection is made once, and made again after it failed", async () => {
    let attempts = 0;
    const ours = new WorkspaceRuntime({
      fs,
      backends: {
        flaky: {
          ...backend(deaf),
          async connect() {
            if (++attempts === 1) throw new Error("Not yet.");
            return { exec: async () => ({ exitCode: 0 }), close: async () => {} };
          },
        },
      },
    });
    expect(await ours.exec("a").result()).toMatchObject({
      status: "failed",
      message: 'The backend "flaky" did not start: Not yet.',
    });
    await Promise.all([ours.exec("a").result(), ours.exec("a").result()]);
    expect(await ours.exec("a").result()).toMatchObject({ status: "exited", exitCode: 0 });
    expect(attempts).toBe(2);
  });
});

describe("the log of a run", () => {
  test("is live, numbered, and the same for readers that come late or again", async () => {
    const first = gate();
    const run = runtime(async (_, output) => {
      output.write("stdout", bytes("one"));
      await first.opened;
      output.write("stderr", bytes("two"));
      return { exitCode: 0 };
    }).exec("a");
    const live = run.events();
    expect((await live.next()).value).toMatchObject({ seq: 0, type: "stdout" });
    first.open();
    expect((await live.next()).value).toMatchObject({ seq: 1, type: "stderr" });
    expect((await live.next()).value).toMatchObject({ seq: 2, type: "end", end: { exitCode: 0 } });
    expect((await live.next()).done).toBe(true);
    const again: RunEvent[] = [];
    for await (const event of run) again.push(event);
    expect(again.map((event) => event.seq)).toEqual([0, 1, 2]);
    const late: RunEvent[] = [];
    for await (const event of run.events(2)) late.push(event);
    expect(late).toEqual([again[2]]);
    expect((await run.events(99).next()).done).toBe(true);
    expect(() => run.events(-1)).toThrow(expect.objectContaining({ code: "ERR_BAD_ARGUMENT" }));
  });

  test("hands each event out once when next() is called ahead, and return() frees a waiting reader", async () => {
    const run = runtime(async (_, output) => {
      for (const part of "abc") output.write("stdout", bytes(part));
      return deaf();
    }).exec("a");
    const reader = run.events();
    const ahead = await Promise.all([reader.next(), reader.next(), reader.next()]);
    expect(ahead.map(({ value }) => value?.seq)).toEqual([0, 1, 2]);
    const waiting = reader.next();
    await reader.return?.();
    expect((await waiting).done).toBe(true);
    await run.kill();
  });

  test("keeps a copy of the bytes as they were written", async () => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const run = runtime(async (_, output) => {
      const buffer = all.slice();
      output.write("stdout", buffer);
      buffer.fill(0);
      return { exitCode: 0 };
    }).exec("a");
    expect((await run.bytes()).stdout).toEqual(all);
  });

  test("keeps maxOutputBytes, drops and counts the rest, and says so", async () => {
    const run = runtime(async (_, output) => {
      output.write("stdout", bytes("12345"));
      output.write("stderr", bytes("67890"));
      output.write("stdout", bytes("more"));
      return { exitCode: 0, droppedBytes: 100 };
    }).exec("a", { maxOutputBytes: 7 });
    expect(await run.result()).toMatchObject({
      stdout: "12345",
      stderr: "67",
      droppedBytes: 107,
      exitCode: 0,
      limits: [{ limit: "maxOutputBytes", value: 7 }],
    });
  });

  test("bounds the number of events as well, and loses nothing by it", async () => {
    const count = 200_000;
    const run = runtime(async (_, output) => {
      for (let i = 0; i < count; i++)
        output.write(i % 2 === 0 ? "stdout" : "stderr", bytes(i % 2 === 0 ? "o" : "e"));
      return { exitCode: 0 };
    }).exec("a");
    const result = await run.result();
    expect(result.stdout).toBe("o".repeat(count / 2));
    expect(result.stderr).toBe("e".repeat(count / 2));
    let events = 0;
    for await (const event of run) expect(event.seq).toBe(events++);
    expect(events).toBeLessThan(20_000);
  });

  test("small writes beyond that number still arrive while the run goes on", async () => {
    const run = runtime(async (request, output) => {
      for (let i = 0; i < 20_000; i++) output.write("stdout", bytes("."));
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      return { exitCode: 0 };
    }).exec("a");
    let seen = 0;
    for await (const event of run) {
      if (event.type !== "end") seen += event.data.byteLength;
      if (seen === 20_000) break;
    }
    await run.kill();
  });
});

describe("a run ends", () => {
  test("by timeout, named, even if the backend is deaf, and late output is ignored", async () => {
    let late: OutputSink | undefined;
    const run = runtime((_, output) => {
      late = output;
      output.write("stdout", bytes("early"));
      return deaf();
    }).exec("a", { timeoutMs: 10 });
    const result = await run.result();
    expect(result).toMatchObject({
      status: "timeout",
      exitCode: null,
      limits: [{ limit: "timeoutMs", value: 10 }],
    });
    late?.write("stdout", bytes("late"));
    expect((await run.result()).stdout).toBe("early");
  });

  test("by timeout, with what the backend still says within the grace", async () => {
    const run = runtime(async (request, output) => {
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      output.write("stderr", bytes((request.signal.reason as Error).name));
      throw request.signal.reason;
    }).exec("a", { timeoutMs: 10 });
    expect(await run.result()).toMatchObject({ status: "timeout", stderr: "TimeoutError" });
  });

  test("by kill(), which waits for the end and is harmless again", async () => {
    const run = runtime(deaf).exec("a");
    await run.kill();
    await run.kill();
    expect(await run.result()).toMatchObject({ status: "killed", exitCode: null, limits: [] });
  });

  test("by its signal, also one that was aborted before", async () => {
    const controller = new AbortController();
    let started = 0;
    const ours = runtime(() => {
      started++;
      return deaf();
    });
    const run = ours.exec("a", { signal: controller.signal });
    controller.abort();
    expect((await run.result()).status).toBe("killed");
    const before = started;
    expect((await ours.exec("a", { signal: controller.signal }).result()).status).toBe("killed");
    expect(started).toBe(before);
  });

  test("with a backend's own bound in its limits", async () => {
    const run = runtime(async () => ({ exitCode: 126, limit: "Too many loops." })).exec("a");
    expect(await run.result()).toMatchObject({
      status: "exited",
      exitCode: 126,
      limits: [{ limit: "backend", value: 0, message: "Too many loops." }],
    });
  });
});

describe("the runtime", () => {
  test("bounds the open runs, and keeps the latest finished ones", async () => {
    const ours = runtime(async (request) => (request.source === "deaf" ? deaf() : { exitCode: 0 }), {
      maxOpenRuns: 2,
      maxFinishedRuns: 2,
    });
    const open = [ours.exec("deaf"), ours.exec("deaf")];
    expect(() => ours.exec("deaf")).toThrow(expect.objectContaining({ code: "ERR_TOO_MANY_RUNS" }));
    expect(ours.get(open[0]?.id ?? "")).toBe(open[0]);
    await open[0]?.kill();
    const next = ours.exec("quick");
    await next.result();
    await ours.exec("quick").result();
    expect(ours.get(open[0]?.id ?? "")).toBeUndefined();
    expect(ours.get(next.id)).toBe(next);
    await ours.close();
  });

  test("bounds the output of all runs together, forgetting the oldest first", async () => {
    const ours = runtime(
      async (_, output) => {
        output.write("stdout", new Uint8Array(60));
        return { exitCode: 0 };
      },
      { maxTotalOutputBytes: 100 },
    );
    const first = ours.exec("a");
    await first.result();
    const second = ours.exec("a");
    expect((await second.result()).droppedBytes).toBe(0);
    expect(ours.get(first.id)).toBeUndefined();
    expect((await first.bytes()).stdout).toHaveLength(60);
  });

  test("describes its backends, the default one first", () => {
    expect(runtime(deaf).backends()).toEqual([{ name: "fake", kind: "fake", description: "Runs nothing." }]);
  });

  test("close() ends what is open and refuses more", async () => {
    const ours = runtime(deaf);
    const run = ours.exec("a");
    await ours.close();
    expect((await run.result()).status).toBe("killed");
    expect(() => ours.exec("a")).toThrow(expect.objectContaining({ code: "ERR_WORKSPACE_CLOSED" }));
  });
});

test("text is decoded as UTF-8, a byte order mark included", async () => {
  const run = runtime(async (_, output) => {
    const emoji = bytes("\u{FEFF}🙂");
    output.write("stdout", emoji.subarray(0, 5));
    output.write("stdout", emoji.subarray(5));
    return { exitCode: 0 };
  }).exec("a");
  expect((await run.result()).stdout).toBe("\u{FEFF}🙂");
  const [first] = await Array.fromAsync(run);
  expect(first?.type === "stdout" && text(first.data)).toBeTruthy();
});
