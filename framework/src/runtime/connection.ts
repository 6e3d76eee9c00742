import type { Backend, BackendHost, BackendSession } from "./types.ts";

/** A backend under its name: connected when first needed, once; a connection that failed is tried again. */
export class Connection {
  readonly name: string;
  readonly backend: Backend;
  readonly #host: BackendHost;
  #session: Promise<BackendSession> | undefined;

  constructor(name: string, backend: Backend, host: BackendHost) {
    this.name = name;
    this.backend = backend;
    this.#host = host;
  }

  /** The session, made now if there is none yet. Runs that ask at the same time share one attempt. */
  session(): Promise<BackendSession> {
    if (this.#session !== undefined) return this.#session;
    const attempt = this.#connect();
    this.#session = attempt;
    attempt.catch(() => {
      if (this.#session === attempt) this.#session = undefined;
    });
    return attempt;
  }

  /** Closes the session if there is one. What goes wrong while closing is of no use to anybody. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    try {
      await (await session)?.close();
    } catch {}
  }

  // Async, so that a backend which throws at once rejects like one that fails later.
  async #connect(): Promise<BackendSession> {
    try {
      return await this.backend.connect(this.#host);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`The backend "${this.name}" did not start: ${why}`, { cause });
    }
  }
}
