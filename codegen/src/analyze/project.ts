import { existsSync } from "node:fs";
import path from "node:path";
import { ts } from "ts-morph";
import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.ts";
import { createCachingHost } from "./compiler-host.ts";
import { frameAt } from "./context.ts";

/** The folder that codegen writes into, below the project's. */
export const GENERATED = "generated";

/** What is said of a folder that is no project. */
export function noConfig(dir: string): Diagnostic {
  return diagnostic("CMP1001", `There is no tsconfig.json in ${dir}.`);
}

/** A project as the analysis takes it. */
export interface LoadedProject {
  readonly program: ts.Program;
  /** The project's own files: those of tsconfig.json, without what is generated. */
  readonly files: readonly ts.SourceFile[];
}

/** A project's sources, parsed and kept, so that the next look at them costs only what changed. */
export class SourceProject {
  /** Absolute, with forward slashes. */
  readonly dir: string;
  #options: string | undefined;
  #host: ts.CompilerHost | undefined;
  #program: ts.Program | undefined;
  #overlay: Readonly<Record<string, string>> = {};

  constructor(dir: string) {
    this.dir = path.resolve(dir).split(path.sep).join("/");
  }

  /** Whether a file is below the folder that codegen writes into. */
  readonly isGenerated = (file: string): boolean => file.startsWith(`${this.dir}/${GENERATED}/`);

  /**
   * Reads what changed on disk.
   *
   * @param overlay Files to see instead of what is on disk, by path from the project's folder.
   * @returns The program and the project's own files; or why there is none.
   */
  load(overlay: Readonly<Record<string, string>> = {}): LoadedProject | Diagnostic[] {
    const configFile = `${this.dir}/tsconfig.json`;
    if (!existsSync(configFile)) return [noConfig(this.dir)];
    const { options, files, diagnostics } = readConfig(configFile, this.dir);
    if (diagnostics.length > 0) return diagnostics;

    this.#overlay = overlay;
    // Options decide how everything is parsed and resolved, so nothing is kept across a change of them.
    const key = JSON.stringify(options);
    if (!this.#host || this.#options !== key) {
      this.#options = key;
      this.#program = undefined;
      this.#host = createCachingHost(options, {
        read: (file) =>
          file.startsWith(`${this.dir}/`) ? this.#overlay[file.slice(this.dir.length + 1)] : undefined,
        hasDirectory: (directory) =>
          Object.keys(this.#overlay).some((name) => path.posix.dirname(`${this.dir}/${name}`) === directory),
      });
    }
    const own = files.filter((file) => !this.isGenerated(file) && !file.includes("/node_modules/"));
    const program = ts.createProgram({
      rootNames: own,
      options,
      host: this.#host,
      ...(this.#program ? { oldProgram: this.#program } : {}),
    });
    this.#program = program;
    return {
      program,
      files: own.map((file) => program.getSourceFile(file)).filter((file) => file !== undefined),
    };
  }
}

interface Config {
  readonly options: ts.CompilerOptions;
  readonly files: readonly string[];
  readonly diagnostics: Diagnostic[];
}

/** Not errors to us: without a source file there is no agent, which is reported in its own words. */
const NO_INPUTS = new Set([18002, 18003]);

function readConfig(file: string, dir: string): Config {
  const source: ts.TsConfigSourceFile & { parseDiagnostics?: ts.Diagnostic[] } = ts.readJsonConfigFile(
    file,
    ts.sys.readFile,
  );
  const parsed = ts.parseJsonSourceFileConfigFileContent(source, ts.sys, dir, undefined, file);
  const errors = [...(source.parseDiagnostics ?? []), ...parsed.errors].filter(
    ({ category, code }) => category === ts.DiagnosticCategory.Error && !NO_INPUTS.has(code),
  );
  return {
    options: { ...parsed.options, noEmit: true },
    files: parsed.fileNames.map((name) => name.split(path.sep).join("/")),
    diagnostics: errors.map((error) => {
      const start = error.start ?? 0;
      return diagnostic("CMP1002", ts.flattenDiagnosticMessageText(error.messageText, " "), {
        at: error.file && frameAt(dir, error.file, start, start + (error.length ?? 1)),
      });
    }),
  };
}
