import { ComputerError } from "../errors.ts";
import type { Target } from "./options.ts";
import { responseError } from "./revive.ts";

/** Characters of a message that this side takes: 32 MiB. */
export const MAX_MESSAGE_CHARS = 32 * 1024 * 1024;

/** What both kinds of link have: the HTTP doors beside the session, and an end. */
export abstract class HttpLink {
  readonly target: Target;
  readonly url: string;
  closed = false;

  constructor(target: Target, url: string) {
    this.target = target;
    this.url = url;
  }

  async fetch(door: string, init: RequestInit = {}): Promise<Response> {
    this.refuseWhenClosed();
    const headers = new Headers(init.headers);
    if (this.target.token !== undefined) headers.set("authorization", `Bearer ${this.target.token}`);
    let response: Response;
    try {
      response = await fetch(`${this.url}${door}`, { ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new ComputerError("ERR_CONNECTION_FAILED", `${this.target.base} cannot be reached.`, {
        cause: error,
      });
    }
    if (!response.ok) throw await responseError(response);
    return response;
  }

  refuseWhenClosed(): void {
    if (this.closed)
      throw new ComputerError("ERR_CLIENT_CLOSED", "This client was disposed of; connect anew.");
  }
}

/** An error that never crossed: an argument that cannot be sent, most likely. */
export function localError(error: unknown): Error {
  if (error instanceof TypeError && /serialize/i.test(error.message)) {
    return new ComputerError("ERR_BAD_ARGUMENT", error.message, { cause: error });
  }
  return error instanceof Error ? error : new ComputerError("ERR_INTERNAL", String(error));
}
