import { setTimeout as sleep } from "node:timers/promises";
import type { FromHost, HostSettings } from "../messages.ts";
import { probeBuild } from "./probe.ts";
import type { Upstream } from "./upstream.ts";
import { Wrangler } from "./wrangler.ts";

/** How often a starting worker is asked which build it is, in milliseconds. */
const POLL_MS = 20;
/** How long a build may take to answer before that is said, in milliseconds. */
const STUCK_MS = 20_000;
/** How long a worker under suspicion has to answer, in milliseconds, and how often it is asked. */
const SUSPECT_MS = 1_500;
const SUSPECT_TRIES = 2;
/** So many unasked ends within the span, and wrangler waits for the next change. */
const MAX_ENDS = 3;
const ENDS_SPAN_MS = 30_000;

/** wrangler prints this when a runtime died; it starts a new one by itself. */
const CRASH = /runtime crashed unexpectedly/;

/**
 * Keeps wrangler serving the newest build. A runtime that dies is brought back by wrangler itself in most
 * cases; where it is not (its proxy's runtime loses where to go, and holds every request for ever), wrangler is
 * started anew.
 *
 * The place for a watchdog over a runtime that is stuck in a loop is {@link suspect}: whoever suspects the
 * worker calls it, and a worker that does not answer is replaced.
 */
export class Host {
  readonly #settings: HostSettings;
  readonly #upstream: Upstream;
  readonly #send: (message: FromHost) => void;
  #wrangler: Wrangler | undefined;
  /** Resolves when every earlier wrangler has ended: two over one state must not be. */
  #ended: Promise<unknown> = Promise.resolve();
  #build: string | undefined;
  #stopped = false;
  #suspected = false;
  #ends: number[] = [];
  /** Grows with every start and every build, so that what waits for an older one stops. */
  #turn = 0;

  constructor(settings: HostSettings, upstream: Upstream, send: (message: FromHost) => void) {
    this.#settings = settings;
    this.#upstream = upstream;
    this.#send = send;
  }

  /** Serves a build that is on disk. wrangler watches the file; it is started when it does not run. */
  async serve(build: string, restart: boolean): Promise<void> {
    this.#build = build;
    this.#ends = [];
    if (restart || !this.#wrangler) await this.#start();
    else void this.#awaitBuild();
  }

  /** Something did not go as it should: finds out whether the worker still answers, and replaces it if not. */
  async suspect(): Promise<void> {
    if (this.#suspected || this.#stopped) return;
    this.#suspected = true;
    try {
      const turn = this.#turn;
      for (let count = 0; count < SUSPECT_TRIES; count++) {
        const port = this.#upstream.current;
        if (port === undefined || turn !== this.#turn || this.#stopped) return;
        if ((await probeBuild(port, this.#settings.key, SUSPECT_MS)) !== undefined) return;
        await sleep(100);
      }
      if (turn !== this.#turn || this.#stopped) return;
      this.#send({ type: "notice", text: "The worker does not answer; starting it anew." });
      await this.#start();
    } finally {
      this.#suspected = false;
    }
  }

  /** Ends wrangler for good. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#turn++;
    await Promise.all([this.#ended, this.#wrangler?.stop()]);
  }

  /** Ends wrangler for good, at once. */
  kill(): void {
    this.#stopped = true;
    this.#turn++;
    this.#wrangler?.kill();
  }

  async #start(): Promise<void> {
    const turn = ++this.#turn;
    this.#upstream.set(undefined);
    if (this.#wrangler) this.#ended = Promise.all([this.#ended, this.#wrangler.stop()]);
    this.#wrangler = undefined;
    await this.#ended;
    // Another start, or the end, may have come in between.
    if (turn !== this.#turn || this.#stopped) return;
    const wrangler: Wrangler = new Wrangler(this.#settings.project, this.#settings.persist, {
      listening: (port) => void this.#awaitBuild(port),
      output: (stream, text) => {
        this.#send({ type: "output", stream, text });
        if (CRASH.test(text)) void this.suspect();
      },
      gone: (status) => this.#restartAfter(wrangler, status),
    });
    this.#wrangler = wrangler;
    if (wrangler.pid !== undefined) this.#send({ type: "group", pid: wrangler.pid });
    void this.#tellWhenStuck(this.#build ?? "", turn);
  }

  async #awaitBuild(port = this.#upstream.current): Promise<void> {
    const build = this.#build;
    const turn = ++this.#turn;
    if (build === undefined || port === undefined) return;
    void this.#tellWhenStuck(build, turn);
    while (turn === this.#turn) {
      if ((await probeBuild(port, this.#settings.key, SUSPECT_MS)) === build) {
        if (turn !== this.#turn) return;
        // Whoever waits for an answer by `suspect` or `tellWhenStuck` has it.
        this.#turn++;
        this.#upstream.set(port);
        this.#send({ type: "serving", build });
        return;
      }
      await sleep(POLL_MS);
    }
  }

  async #tellWhenStuck(build: string, turn: number): Promise<void> {
    await sleep(STUCK_MS, undefined, { ref: false });
    if (turn === this.#turn && !this.#stopped) this.#send({ type: "stuck", build });
  }

  #restartAfter(wrangler: Wrangler, status: string): void {
    if (wrangler !== this.#wrangler || this.#stopped) return;
    this.#wrangler = undefined;
    this.#upstream.set(undefined);
    const now = Date.now();
    this.#ends = [...this.#ends.filter((end) => now - end < ENDS_SPAN_MS), now];
    if (this.#ends.length >= MAX_ENDS) {
      this.#turn++;
      this.#send({ type: "notice", text: `wrangler ${status}. It is started again with the next change.` });
      return;
    }
    this.#send({ type: "notice", text: `wrangler ${status}; starting it again.` });
    void this.#start();
  }
}
