import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";

/**
 * The esbuild options that make the guest of an `IsolateShell`: one module without imports but the
 * runtime's own, without `eval`. Give `write: false` to get its text, or add `outfile`.
 *
 * @example
 * ```ts
 * await build({ ...guestBuildOptions(), outfile: "generated/guests/isolate-shell.js" });
 * ```
 */
export function guestBuildOptions(): BuildOptions & { entryPoints: string[] } {
  return { ...options(here("guest/main")), external: ["cloudflare:*", "node:*"] };
}

/**
 * Bundles the guest of an `IsolateShell`.
 *
 * @example
 * ```ts
 * const shell = new IsolateShell({ loader: env.LOADER, source: await bundleGuest() });
 * ```
 */
export function bundleGuest(): Promise<string> {
  return textOf(guestBuildOptions());
}

/** Bundles the same interpreter for this process: a module that exports `runShell`. */
export function bundleShell(): Promise<string> {
  return textOf({ ...options(here("guest/shell")), external: ["node:*"] });
}

function options(entry: string) {
  return {
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    mainFields: ["module", "main"],
    conditions: ["workerd", "browser"],
    minify: true,
    legalComments: "none",
    logLevel: "silent",
    // The interpreter's text and bytes: see guest/text-coders.ts.
    inject: [here("guest/text-coders")],
    alias: {
      turndown: here("guest/nothing"),
      undici: here("guest/nothing"),
      "seek-bzip": here("guest/nothing"),
    },
  } satisfies BuildOptions;
}

async function textOf(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({ ...options, write: false });
  const text = outputFiles?.[0]?.text;
  if (text === undefined) throw new Error("esbuild answered without a file.");
  return text;
}

/** A module beside this one: TypeScript when run from source, JavaScript when built. */
function here(name: string): string {
  return fileURLToPath(
    new URL(`./${name}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url),
  );
}
