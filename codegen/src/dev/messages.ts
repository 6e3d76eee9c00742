/** What the host process is told when it is started, as JSON in its first argument. */
export interface HostSettings {
  /** The project's folder, absolute. */
  readonly project: string;
  /** The folder that Durable Objects are kept in, absolute. */
  readonly persist: string;
  /** The port to begin looking at. */
  readonly port: number;
  /** What proves to the worker that a request came through the front. */
  readonly key: string;
}

/** From `computer dev` to its host process. */
export type ToHost =
  /** Serve this build: it is on disk. `restart`: bindings or variables changed, so wrangler must read them anew. */
  { readonly type: "serve"; readonly build: string; readonly restart: boolean } | { readonly type: "stop" };

/** From the host process to `computer dev`. */
export type FromHost =
  /** The front listens. `taken` is the port that was wanted and not free. */
  | { readonly type: "listening"; readonly port: number; readonly taken?: number }
  /** wrangler was started and leads this process group. */
  | { readonly type: "group"; readonly pid: number }
  /** The build answers. */
  | { readonly type: "serving"; readonly build: string }
  /** The build does not come up; wrangler's output says why. */
  | { readonly type: "stuck"; readonly build: string }
  /** Something was amiss and is being mended, or was given up until the next change. */
  | { readonly type: "notice"; readonly text: string }
  /** What wrangler and the worker print. */
  | { readonly type: "output"; readonly stream: "stdout" | "stderr"; readonly text: string }
  /** The host cannot start; it exits. */
  | { readonly type: "failed"; readonly text: string };

/** The header that carries {@link HostSettings.key}. */
export const KEY_HEADER = "x-computer-dev";

/** Answered by the development entry itself, with the build that runs. */
export const BUILD_PATH = "/.computer/build";
