import path from "node:path";
import { type FSWatcher, watch as watchFiles } from "chokidar";
import type { DevLayout } from "./layout.ts";

/** How long the files must be quiet before a change counts, in milliseconds: editors write in several steps. */
const QUIET_MS = 40;

/** Folders that never hold sources. */
const NEVER = /(^|[\\/])(node_modules|\.git|\.computer|\.wrangler)([\\/]|$)/;

/** How often files are looked at where the system cannot tell of changes, in milliseconds. */
const POLL_MS = 300;

/**
 * Watches a project's sources and settings. The system tells of changes; where it cannot (it has a bound on
 * watchers, and some file systems have none), files are looked at again and again instead.
 */
export class Watcher {
  readonly #layout: DevLayout;
  readonly #onChange: () => void;
  readonly #onPolling: (reason: string) => void;
  readonly #outside = new Set<string>();
  #watcher: FSWatcher;
  #polling = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when no change escapes any more. */
  readonly ready: Promise<void>;

  /**
   * @param onChange Called when something changed and is quiet again.
   * @param onPolling Called when files have to be looked at, with the reason.
   */
  constructor(layout: DevLayout, onChange: () => void, onPolling: (reason: string) => void) {
    this.#layout = layout;
    this.#onChange = onChange;
    this.#onPolling = onPolling;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#watcher = this.#watch(resolve);
  }

  /** Also watches sources elsewhere that went into the bundle: a neighbour in a monorepo, for example. */
  include(files: readonly string[]): void {
    const { src, generated } = this.#layout;
    for (const file of files) {
      const within = (dir: string) => file.startsWith(dir + path.sep);
      if (within(src) || within(generated) || NEVER.test(file) || this.#outside.has(file)) continue;
      this.#outside.add(file);
      this.#watcher.add(file);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#watcher.close();
  }

  #watch(onReady: () => void): FSWatcher {
    const { project, src, vars } = this.#layout;
    const wanted = ["tsconfig.json", "package.json"]
      .map((name) => path.join(project, name))
      .concat(src, vars);
    const isOurs = (file: string): boolean =>
      file === project ||
      this.#outside.has(file) ||
      wanted.some((place) => file === place || file.startsWith(place + path.sep));
    // The project's folder and not the places themselves: while one of those is missing, chokidar says that it is
    // ready before it is, and changes are lost.
    const watcher = watchFiles([project, ...this.#outside], {
      ignoreInitial: true,
      ignored: (file) => !isOurs(file) || NEVER.test(path.relative(project, file)),
      usePolling: this.#polling,
      interval: POLL_MS,
    });
    watcher.on("all", (event) => {
      if (event !== "addDir") this.#changed();
    });
    watcher.once("ready", onReady);
    watcher.on("error", (error) => {
      if (this.#polling || this.#closed) return;
      this.#polling = true;
      this.#onPolling((error as Error).message);
      void watcher.close();
      // What changed in between is found by looking once more when the new watcher stands.
      this.#watcher = this.#watch(() => {
        onReady();
        this.#changed();
      });
    });
    return watcher;
  }

  #changed(): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(this.#onChange, QUIET_MS);
  }
}
