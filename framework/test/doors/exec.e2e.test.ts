import { afterAll, beforeAll, expect, test } from "vitest";
import { readServerSentEvents } from "../../src/client/sse.ts";
import { type Served, serve } from "./serve.ts";

let served: Served;
beforeAll(async () => {
  served = await serve({ COMPUTER_MODE: "development" });
});
afterAll(() => served[Symbol.asyncDispose]());

const exec = (body: object, signal?: AbortSignal) =>
  fetch(`${served.url}/agents/notes/exec/exec`, {
    method: "POST",
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
const exists = async (path: string) =>
  (await fetch(`${served.url}/agents/notes/exec/files${path}`)).status === 200;

test("events come as they happen, numbered, and the end last", async () => {
  const response = await exec({ source: "say one\nwait 400\nraw ff00\noops no\nexit 4", timeoutMs: 10_000 });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const start = Date.now();
  const times: number[] = [];
  const events: unknown[] = [];
  for await (const { event, id, data } of readServerSentEvents(response.body as ReadableStream<Uint8Array>)) {
    times.push(Date.now() - start);
    events.push([event, id, JSON.parse(data)]);
  }
  expect(events).toMatchObject([
    ["stdout", "0", { text: "one\n" }],
    ["stdout", "1", { base64: "/wA=" }],
    ["stderr", "2", { text: "no\n" }],
    [
      "end",
      "3",
      { status: "exited", exitCode: 4, backend: "scripted", limits: [], runId: expect.any(String) },
    ],
  ]);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(300);
});

test("who stops listening ends the run", async () => {
  const controller = new AbortController();
  const response = await exec({ source: "say on\nwait 3000\nput /late yes\nsay more" }, controller.signal);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  controller.abort();
  // One that is listened to all along gets there.
  const other = await exec({ source: "wait 3500\nput /other yes" });
  await other.text();
  expect([await exists("/other"), await exists("/late")]).toEqual([true, false]);
});

test("text goes in as stdin, environment and folder", async () => {
  const text = await (await exec({ source: "stdin\nenv", stdin: "in", env: { A: "ä" }, cwd: "/" })).text();
  expect(text).toContain('data: {"text":"in"}');
  expect(text).toContain(JSON.stringify({ text: '{"A":"ä"}' }));
});

test("a run over its bounds ends with what it came up against", async () => {
  const text = await (
    await exec({ source: "flood 200000\nwait 60000", timeoutMs: 300, maxOutputBytes: 10 })
  ).text();
  const end = JSON.parse(/event: end\nid: \d+\ndata: (.*)/.exec(text)?.[1] ?? "null");
  expect(end).toMatchObject({ status: "timeout", droppedBytes: 199_990 });
  expect(end.limits.map(({ limit }: { limit: string }) => limit).sort()).toEqual([
    "maxOutputBytes",
    "timeoutMs",
  ]);
});
