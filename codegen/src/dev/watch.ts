import path from "node:path";
import { type FSWatcher, watch as watchFiles } from "chokidar";
import type { DevLayout } from "./layout.ts";

/** How long the files must be quiet before a change counts, in milliseconds: editors write in several steps. */
const QUIET_MS = 40;

/** Folders that never hold sources. */
const NEVER = /(^|[\\/])(node_modules|\.git|\.computer|\.wrangler)([\\/]|$)/;

/** Watches a project's sources and settings. */
export class Watcher {
  readonly #watcher: FSWatcher;
  readonly #layout: DevLayout;
  readonly #outside = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when no change escapes any more. */
  readonly ready: Promise<void>;

  /** @param onChange Called when something changed and is quiet again. */
  constructor(layout: DevLayout, onChange: () => void) {
    const { project, src, vars } = layout;
    this.#layout = layout;
    const settings = ["tsconfig.json", "package.json"].map((name) => path.join(project, name));
    this.#watcher = watchFiles([src, ...settings, vars], {
      ignoreInitial: true,
      ignored: (file) => NEVER.test(path.relative(project, file)),
    });
    this.#watcher.on("all", (event) => {
      if (event === "addDir") return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(onChange, QUIET_MS);
    });
    this.ready = new Promise((resolve) => this.#watcher.once("ready", () => resolve()));
    // Running out of watches must not end the server.
    this.#watcher.on("error", () => {});
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
    clearTimeout(this.#timer);
    await this.#watcher.close();
  }
}
