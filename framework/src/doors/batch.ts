import { RpcSession, type RpcTransport } from "capnweb";
import { ComputerError } from "../errors.ts";
import { readText, requireJson } from "./body.ts";
import { MAX_BODY_BYTES } from "./protocol.ts";
import type { Session } from "./session.ts";
import type { AgentStub } from "./stub.ts";

/** Messages that one batch may have. */
const MAX_BATCH_MESSAGES = 4096;

/** Answers a batch of calls in one request. */
export async function serveBatch(
  request: Request,
  session: Session,
  makeStub: (session: Session) => AgentStub,
): Promise<Response> {
  requireJson(request);
  const body = await readText(request, MAX_BODY_BYTES);
  const messages = body === "" ? [] : body.split("\n");
  if (messages.length > MAX_BATCH_MESSAGES) {
    throw new ComputerError("ERR_BODY_TOO_LARGE", `A batch has at most ${MAX_BATCH_MESSAGES} messages.`);
  }
  const transport = new BatchTransport(messages);
  const rpc = new RpcSession(transport, makeStub(session), {
    onSendError: session.onSendError,
    limits: { maxMessageSize: MAX_BODY_BYTES },
  });
  try {
    await transport.taken;
    await drained(rpc, session);
  } catch (error) {
    transport.end();
    if (error instanceof ComputerError) throw error;
    throw new ComputerError(
      "ERR_BAD_JSON",
      `The batch is not one of capnweb messages: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
  const answer = transport.sent.join("\n");
  // Ends the session, so that it lets go of what it holds.
  transport.end();
  return new Response(answer, {
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}

/**
 * Waits until every answer that the batch asked for is there. A batch may ask for what hangs on a promise of its
 * sender, who has no way left to keep it: then no call is at work, and none will be.
 */
async function drained(rpc: Drainable, session: Session): Promise<void> {
  const drain = rpc.drain().then(() => true);
  for (let quietMs = 0; quietMs < MAX_QUIET_MS; quietMs = session.idle ? quietMs + QUIET_STEP_MS : 0) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pause = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, QUIET_STEP_MS, false);
    });
    const done = await Promise.race([drain, pause]);
    clearTimeout(timer);
    if (done) return;
  }
  throw new ComputerError(
    "ERR_BAD_REQUEST",
    "The batch waits for something that only its sender could bring.",
  );
}

interface Drainable {
  drain(): Promise<void>;
}

const QUIET_STEP_MS = 100;
const MAX_QUIET_MS = 1000;

/** The messages of one request, and those of its answer. */
class BatchTransport implements RpcTransport {
  readonly sent: string[] = [];
  readonly #messages: string[];
  readonly #taken = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<never>();

  constructor(messages: string[]) {
    this.#messages = messages;
  }

  /** Resolves when the session has taken every message; rejects when it choked on one. */
  get taken(): Promise<void> {
    return this.#taken.promise;
  }

  send(message: string): void {
    this.sent.push(message);
  }

  async receive(): Promise<string> {
    const message = this.#messages.shift();
    if (message !== undefined) return message;
    this.#taken.resolve();
    return this.#end.promise;
  }

  abort(reason: unknown): void {
    this.#taken.reject(reason);
  }

  end(): void {
    this.#end.reject(new Error("The batch is over."));
  }
}
