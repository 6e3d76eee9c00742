import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import * as esbuild from "esbuild";
import type { DevLayout } from "./layout.ts";
import { BUILD_PATH, KEY_HEADER } from "./messages.ts";

/** What the project's bundle holds where its build's name goes. As long as such a name. */
const BUILD_MARK = "0000000000000000-computer-build-0";

/** Files that wrangler makes modules of by itself: left to it. */
const MODULES = /\.(txt|html|sql|bin|wasm)(\?module)?$/;

/** A bundle that is on disk. */
export interface Built {
  /** Its name: the same for the same content. */
  readonly build: string;
  /** Whether that is another build than the one before. */
  readonly changed: boolean;
  /** The project's own sources in it, absolute. */
  readonly inputs: readonly string[];
}

/**
 * Bundles a project's own sources, generated ones included, into the one file that wrangler serves and
 * watches; packages are left to wrangler. So wrangler sees a change only when all of it is there and good: not
 * the developer's half-written file, nor new generated code beside an old class. Its source map leads wrangler's
 * stack traces back to the developer's files.
 */
export class Bundler {
  readonly #layout: DevLayout;
  readonly #key: string;
  #context: esbuild.BuildContext<{ write: false; metafile: true }> | undefined;
  #last: string | undefined;

  constructor(layout: DevLayout, key: string) {
    this.#layout = layout;
    this.#key = key;
  }

  /**
   * Bundles what is on disk.
   *
   * @returns What was built, or the problems as text fit to print; then the file of the last build stays.
   */
  async build(): Promise<Built | string> {
    this.#context ??= await this.#createContext();
    let result: esbuild.BuildResult<{ write: false; metafile: true }>;
    try {
      result = await this.#context.rebuild();
    } catch (error) {
      const { errors } = error as esbuild.BuildFailure;
      if (!Array.isArray(errors)) throw error;
      return (await esbuild.formatMessages(errors, { kind: "error", color: false })).join("").trimEnd();
    }
    const text = result.outputFiles[0]?.text ?? "";
    const build = createHash("sha256").update(text).digest("hex").slice(0, BUILD_MARK.length);
    const changed = build !== this.#last;
    if (changed) write(this.#layout.bundle, text.replace(BUILD_MARK, build));
    this.#last = build;
    const inputs = Object.keys(result.metafile.inputs)
      .filter((input) => path.basename(input) !== ENTRY)
      .map((input) => path.resolve(this.#layout.project, input));
    return { build, changed, inputs };
  }

  /** Ends esbuild's part. */
  async dispose(): Promise<void> {
    await this.#context?.dispose();
  }

  #createContext() {
    const { project, generated, bundle } = this.#layout;
    return esbuild.context({
      absWorkingDir: project,
      stdin: { contents: entry(this.#key), resolveDir: generated, sourcefile: ENTRY, loader: "js" },
      outfile: bundle,
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      target: "es2024",
      conditions: ["workerd", "worker", "browser"],
      keepNames: true,
      sourcemap: "inline",
      sourcesContent: false,
      logLevel: "silent",
      plugins: [leaveModules(generated), leavePackages(project)],
    });
  }
}

const ENTRY = "computer-dev-entry";

/** The generated worker behind a check that a request came through the front of `computer dev`. */
function entry(key: string): string {
  return `import worker from "./worker.ts";
export * from "./worker.ts";
const KEY = ${JSON.stringify(key)};
const BUILD = ${JSON.stringify(BUILD_MARK)};
export default {
  ...worker,
  fetch(request, env, context) {
    if (request.headers.get(${JSON.stringify(KEY_HEADER)}) !== KEY) {
      return new Response("This port is not a door. Use the one that computer dev printed.\\n", { status: 403 });
    }
    if (request.url.endsWith(${JSON.stringify(BUILD_PATH)}) && new URL(request.url).pathname === ${JSON.stringify(BUILD_PATH)}) {
      return new Response(BUILD);
    }
    return worker.fetch(request, env, context);
  },
};
`;
}

/** Leaves to wrangler what its module rules are for; with absolute paths, since the bundle lies elsewhere. */
function leaveModules(generated: string): esbuild.Plugin {
  const guests = path.join(generated, "guests") + path.sep;
  return {
    name: "leave-modules",
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path: name, resolveDir }) => {
        const file = path.resolve(resolveDir, name);
        return MODULES.test(name) || file.startsWith(guests) ? { path: file, external: true } : undefined;
      });
    },
  };
}

/**
 * Leaves packages to wrangler, but only those that are there: what wrangler cannot bundle, it neither serves nor
 * keeps serving what it had. Names that tsconfig's `paths` lead into the project are bundled.
 */
function leavePackages(project: string): esbuild.Plugin {
  const asked = Symbol("asked");
  return {
    name: "leave-packages",
    setup(build) {
      build.onResolve(
        { filter: /^[^./]/ },
        async ({ path: name, kind, resolveDir, importer, namespace, pluginData }) => {
          if (pluginData === asked || kind === "entry-point" || path.isAbsolute(name)) return undefined;
          if (/^(node|cloudflare|workerd):/.test(name) || isBuiltin(name))
            return { path: name, external: true };
          const found = await build.resolve(name, {
            kind,
            resolveDir,
            importer,
            namespace,
            pluginData: asked,
          });
          if (found.errors.length > 0) return { errors: found.errors };
          const within = path.relative(project, found.path);
          const own = !path.isAbsolute(within) && !/(^|[\\/])(\.\.|node_modules)([\\/]|$)/.test(within);
          return own ? found : { path: name, external: true };
        },
      );
    },
  };
}

/** Whole or not at all, and only for this user: the file holds the key. */
function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.new`;
  writeFileSync(temporary, text, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}
