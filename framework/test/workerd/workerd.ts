import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { Miniflare } from "miniflare";

/** A worker to run in workerd. */
export interface WorkerdOptions {
  /** The file of the worker's main module; it and what it imports are bundled. */
  entry: string;
  /** Names of the Durable Object classes that it exports; each is bound in `env` under its name. */
  objects: readonly string[];
  /** Binds a Dynamic Worker loader under this name. */
  loader?: string;
  /** Compatibility flags besides `nodejs_compat`. */
  flags?: readonly string[];
  /** Folders of packages that are looked in when those near the importing file have no such package. */
  nodePaths?: string[];
  /** Texts to bind. */
  bindings?: Readonly<Record<string, string>>;
  /** Where objects are kept; by default a temporary folder that goes with the worker. */
  persist?: string;
  /** Plugins for the bundling. */
  plugins?: Plugin[];
  /** Opens the worker's inspector. */
  inspect?: boolean;
  /** Takes each thing that the worker prints. */
  onLog?: (message: string) => void;
}

/** A worker that runs in workerd. */
export interface Workerd extends AsyncDisposable {
  /** Where it listens. */
  readonly url: URL;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Where the inspector listens, if it was opened. */
  inspectorUrl(): Promise<URL>;
  /** Ends workerd as a crash of the machine would: no chance to write anything. */
  kill(): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * Starts workerd with a worker bundled from source, as the generated configuration would run it.
 *
 * @example
 * ```ts
 * await using workerd = await startWorkerd({ entry: new URL("./echo.ts", import.meta.url).pathname, objects: ["Echo"] });
 * const response = await workerd.fetch("/");
 * ```
 */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const name = basename(options.entry).replace(/\W/g, "-");
  const scratch = await mkdtemp(join(tmpdir(), "workerd-"));
  const contents = await bundle(options);
  const before = new Set(children());
  const miniflare = new Miniflare({
    cf: false,
    enableDevRegistry: false,
    telemetry: { enabled: false },
    ...(options.inspect && { inspectorPort: 0 }),
    ...(options.onLog && {
      handleStructuredLogs: ({ message }: { message: string }) => options.onLog?.(message),
    }),
    resourcePersistencePath: options.persist ?? join(scratch, "state"),
    workers: [
      {
        config: {
          name,
          compatibilityDate: "2026-11-01",
          compatibilityFlags: ["nodejs_compat", ...(options.flags ?? [])],
          manifest: {
            mainModule: "main.js",
            modulesRoot: "/",
            modules: { "main.js": { type: "esm", contents } },
          },
          exports: Object.fromEntries(
            options.objects.map((object) => [object, { type: "durable-object", storage: "sqlite" }]),
          ),
          env: {
            ...Object.fromEntries(
              options.objects.map((object) => [
                object,
                { type: "durable-object", worker: name, exportName: object },
              ]),
            ),
            ...Object.fromEntries(
              Object.entries(options.bindings ?? {}).map(([key, value]) => [key, { type: "text", value }]),
            ),
            ...(options.loader && { [options.loader]: { type: "worker-loader" } }),
          },
        },
      },
    ],
  } as ConstructorParameters<typeof Miniflare>[0]);
  const dispose = async () => {
    await miniflare.dispose().catch(() => {});
    await rm(scratch, { recursive: true, force: true });
  };
  try {
    const url = await miniflare.ready;
    const started = children().filter((pid) => !before.has(pid));
    return {
      url,
      inspectorUrl: () => miniflare.getInspectorURL(),
      fetch: (path, init) => fetch(new URL(path, url), init),
      async kill() {
        for (const pid of started) process.kill(pid, "SIGKILL");
      },
      dispose,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function bundle({ entry, nodePaths = [], plugins = [] }: WorkerdOptions): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    nodePaths,
    format: "esm",
    target: "es2024",
    conditions: ["@computer/source", "workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    sourcemap: "inline",
    plugins,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

/** The processes that this one started and that are workerd. */
function children(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [, command, parent] =
          /^\d+ \((.*)\) \S+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
        return command === "workerd" && Number(parent) === process.pid;
      } catch {
        return false;
      }
    })
    .map(Number);
}
