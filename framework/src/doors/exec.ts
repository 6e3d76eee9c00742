import { ComputerError } from "../errors.ts";
import type { RunEvent, Runtime } from "../runtime/types.ts";
import { bytesToBase64 } from "./base64.ts";
import { readJson } from "./body.ts";
import { text } from "./check.ts";
import { checkExecOptions } from "./exec-options.ts";
import type { WireRunEvent } from "./protocol.ts";

/**
 * How often a run says that it is still there, in milliseconds. That a listener has left shows only when something
 * is written to it, so this is also how long a run may go on unheard.
 */
const HEARTBEAT_MS = 1000;

/** Answers the `exec` door: starts a run and tells its events as they happen. Who stops listening ends the run. */
export async function serveExec(request: Request, runtime: Runtime): Promise<Response> {
  if (request.method !== "POST")
    throw new ComputerError("ERR_METHOD_NOT_ALLOWED", "The exec door takes a POST.");
  const body = await readJson(request);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new ComputerError(
      "ERR_BAD_ARGUMENT",
      "Send an object: { source, backend, cwd, env, stdin, timeoutMs }",
      {
        path: "",
      },
    );
  }
  const { source, ...options } = body as Record<string, unknown>;
  const run = runtime.exec(text(source, "/source"), checkExecOptions(options, ""));
  const events = run.events();
  const encoder = new TextEncoder();
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  const stop = () => {
    clearInterval(heartbeat);
    run.kill().catch((error: unknown) => console.error(error));
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        heartbeat = setInterval(() => {
          try {
            controller.enqueue(encoder.encode(": still running\n\n"));
          } catch {
            stop();
          }
        }, HEARTBEAT_MS);
      },
      async pull(controller) {
        try {
          const { done, value } = await events.next();
          if (!done) {
            controller.enqueue(encoder.encode(serverSentEvent(value, run)));
            if (value.type !== "end") return;
          }
          clearInterval(heartbeat);
          controller.close();
        } catch (error) {
          stop();
          throw error;
        }
      },
      cancel: stop,
    },
    { highWaterMark: 1 },
  );
  return new Response(stream, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" },
  });
}

function serverSentEvent(event: RunEvent, run: { id: string; backend: string }): string {
  const data: WireRunEvent =
    event.type === "end" ? { runId: run.id, backend: run.backend, ...event.end } : outputData(event.data);
  return `event: ${event.type}\nid: ${event.seq}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Output as text where it is UTF-8, else as base64: its bytes come through either way. */
function outputData(bytes: Uint8Array): WireRunEvent {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: bytesToBase64(bytes) };
  }
}
