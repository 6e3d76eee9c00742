import type {
  Backend,
  BackendHost,
  BackendOutcome,
  BackendRequest,
  BackendSession,
  OutputSink,
} from "@computer/framework";
import { DESCRIPTION } from "./describe.ts";
import { FileBridge } from "./file-bridge.ts";
import type { Guest, GuestHost, GuestOutcome, GuestRequest } from "./protocol.ts";
import { RunHost } from "./run-host.ts";

/** The part of a Worker Loader binding that an {@link IsolateShell} uses. */
export interface GuestLoader {
  get(
    name: string,
    code: () => {
      compatibilityDate: string;
      compatibilityFlags: string[];
      mainModule: string;
      modules: Record<string, string>;
      env: Record<string, never>;
      globalOutbound: null;
      limits?: { cpuMs: number };
    },
  ): { getEntrypoint(name: string): unknown };
}

/** What an {@link IsolateShell} is made from. */
export interface IsolateShellOptions {
  /** The Worker Loader binding: `worker_loaders` in the wrangler configuration. */
  readonly loader: GuestLoader;
  /** The text of the bundled guest; see `bundleGuest()` in `@computer/runtime-adapters/isolate-shell/bundle`. */
  readonly source: string;
  /** The processor time that one run may take, in milliseconds; Cloudflare enforces it, local workerd does not. */
  readonly cpuMs?: number;
}

const COMPATIBILITY_DATE = "2026-01-01";
/** Characters of a guest's word on the bound that it came up against. */
const MAX_LIMIT_CHARS = 1000;
/** How long an isolate that was told to stop may take before it is given up, in milliseconds. */
const PATIENCE_MS = 200;

/**
 * A bash interpreter in a Dynamic Worker, over the workspace's files. The isolate has no network and no
 * binding; all that it can reach is the files it is lent for the length of a run.
 *
 * @example
 * ```ts
 * const workspace = new Workspace({
 *   storage: ctx.storage,
 *   backends: { shell: new IsolateShell({ loader: env.LOADER, source: guest }) },
 * });
 * ```
 */
export class IsolateShell implements Backend {
  readonly kind = "isolate-shell";
  readonly #options: IsolateShellOptions;

  constructor(options: IsolateShellOptions) {
    this.#options = options;
  }

  describe(): string {
    return DESCRIPTION;
  }

  async connect(_host: BackendHost): Promise<BackendSession> {
    return new IsolateSession(this.#options);
  }
}

type GuestStub = Guest & Partial<Disposable>;

class IsolateSession implements BackendSession {
  readonly #options: IsolateShellOptions;
  /** The warm isolate, shared by the runs of this session. */
  #guest: GuestStub | undefined;

  constructor(options: IsolateShellOptions) {
    this.#options = options;
  }

  async exec(request: BackendRequest, output: OutputSink): Promise<BackendOutcome> {
    this.#guest ??= this.#load();
    const guest = this.#guest;
    // Ends with the run too, so that the guest's hold on the host ends.
    const over = new AbortController();
    const host = new RunHost(
      new FileBridge(request.fs),
      output,
      AbortSignal.any([request.signal, over.signal]),
    );
    try {
      const outcome = await unlessDeaf(call(guest, request, host), request.signal);
      if (outcome !== "deaf") return outcome;
      // It may be busy for good. What runs next gets a new one.
      this.#drop(guest);
      throw new Error("The shell did not stop when it was told to.");
    } catch (error) {
      // The isolate is gone, or may be: out of memory, out of processor time, evicted.
      if (!request.signal.aborted) this.#drop(guest);
      throw error;
    } finally {
      over.abort();
    }
  }

  async close(): Promise<void> {
    if (this.#guest !== undefined) this.#drop(this.#guest);
  }

  #load(): GuestStub {
    const { loader, source, cpuMs } = this.#options;
    const worker = loader.get(`isolate-shell-${crypto.randomUUID()}`, () => ({
      compatibilityDate: COMPATIBILITY_DATE,
      compatibilityFlags: ["nodejs_compat"],
      mainModule: "shell.js",
      modules: { "shell.js": source },
      env: {},
      globalOutbound: null,
      ...(cpuMs === undefined ? {} : { limits: { cpuMs } }),
    }));
    return worker.getEntrypoint("Shell") as GuestStub;
  }

  #drop(guest: GuestStub): void {
    if (this.#guest === guest) this.#guest = undefined;
    guest[Symbol.dispose]?.();
  }
}

/** What the guest answers, or `"deaf"` if it goes on for a while after it was told to stop. */
async function unlessDeaf<Answer>(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer | "deaf"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort = () => {};
  const deaf = new Promise<"deaf">((resolve) => {
    onAbort = () => {
      timer = setTimeout(resolve, PATIENCE_MS, "deaf");
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([answer, deaf]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

async function call(guest: Guest, request: BackendRequest, host: GuestHost): Promise<GuestOutcome> {
  const { source, cwd, env, stdin, maxOutputBytes } = request;
  // A plain object: RPC refuses one without a prototype.
  const sent: GuestRequest = { source, cwd, env: { ...env }, stdin, maxOutputBytes };
  // RPC hands over a result that wants to be disposed of; what is in it is plain.
  const { exitCode, limit, droppedBytes } = await guest.exec(sent, host);
  // The guest is not trusted: what it answers is shown to others.
  return {
    exitCode: isCount(exitCode) ? exitCode & 255 : 1,
    droppedBytes: isCount(droppedBytes) ? droppedBytes : 0,
    ...(typeof limit === "string" && { limit: limit.slice(0, MAX_LIMIT_CHARS) }),
  };
}
