import { existsSync } from "node:fs";
import path from "node:path";
import { Project, ts } from "ts-morph";
import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.ts";
import { frameAt } from "./context.ts";

/** The folder that codegen writes into, below the project's. */
export const GENERATED = "generated";

/** A project's sources, parsed and kept, so that the next look at them costs only what changed. */
export class SourceProject {
  /** Absolute, with forward slashes. */
  readonly dir: string;
  #project: Project | undefined;
  #config: string | undefined;

  constructor(dir: string) {
    this.dir = path.resolve(dir).split(path.sep).join("/");
  }

  /** Whether a file is below the folder that codegen writes into. */
  isGenerated = (file: string): boolean => file.startsWith(`${this.dir}/${GENERATED}/`);

  /**
   * Reads what changed on disk.
   *
   * @param overlay Files to see instead of what is on disk, by path from the project's folder.
   * @returns The program and the project's own files; or why there is none.
   */
  load(overlay: Readonly<Record<string, string>> = {}): LoadedProject | Diagnostic[] {
    const configFile = `${this.dir}/tsconfig.json`;
    if (!existsSync(configFile)) return [diagnostic("CMP1001", `There is no tsconfig.json in ${this.dir}.`)];
    const read = readConfig(configFile, this.dir);
    if (read.diagnostics.length > 0) return read.diagnostics;

    // Options decide how everything is parsed and resolved, so new ones mean a new project.
    const config = JSON.stringify(read.options);
    if (!this.#project || this.#config !== config) {
      this.#project = new Project({
        compilerOptions: read.options,
        skipAddingFilesFromTsConfig: true,
        skipFileDependencyResolution: true,
      });
      this.#config = config;
    }
    const project = this.#project;
    const own = read.files.filter((file) => !this.isGenerated(file) && !file.includes("/node_modules/"));
    const wanted = new Set(own);
    for (const file of project.getSourceFiles()) {
      const name = file.getFilePath();
      if (overlay[path.posix.relative(this.dir, name)] !== undefined) continue;
      if (name.includes("/node_modules/")) continue;
      if (!existsSync(name) || (!wanted.has(name) && this.isGenerated(name))) file.forget();
      else file.refreshFromFileSystemSync();
    }
    for (const file of own) project.addSourceFileAtPathIfExists(file);
    for (const [name, text] of Object.entries(overlay)) {
      const file = project.getSourceFile(`${this.dir}/${name}`);
      if (file?.getFullText() !== text)
        project.createSourceFile(`${this.dir}/${name}`, text, { overwrite: true });
    }
    const program = project.getProgram().compilerObject;
    const files = own.map((file) => program.getSourceFile(file)).filter((file) => file !== undefined);
    this.#adopt(project, program);
    return { program, files };
  }

  /** Files outside of tsconfig's list that the program pulled in are kept an eye on, too. */
  #adopt(project: Project, program: ts.Program): void {
    for (const { fileName, isDeclarationFile } of program.getSourceFiles()) {
      if (!isDeclarationFile && !fileName.includes("/node_modules/"))
        project.addSourceFileAtPathIfExists(fileName);
    }
  }
}

/** A project as the analysis takes it. */
export interface LoadedProject {
  readonly program: ts.Program;
  readonly files: readonly ts.SourceFile[];
}

function readConfig(
  file: string,
  dir: string,
): { options: ts.CompilerOptions; files: string[]; diagnostics: Diagnostic[] } {
  const source = ts.readJsonConfigFile(file, ts.sys.readFile);
  const parsed = ts.parseJsonSourceFileConfigFileContent(source, ts.sys, dir, undefined, file);
  // Which files there are is codegen's own question: no file at all is no agent at all.
  const NO_INPUTS = new Set([18002, 18003]);
  const errors = [
    ...((source as { parseDiagnostics?: ts.Diagnostic[] }).parseDiagnostics ?? []),
    ...parsed.errors,
  ].filter(({ category, code }) => category === ts.DiagnosticCategory.Error && !NO_INPUTS.has(code));
  const diagnostics = errors.map((error) => {
    const text = ts.flattenDiagnosticMessageText(error.messageText, " ");
    const start = error.start ?? 0;
    const at = error.file && frameAt(dir, error.file, start, start + (error.length ?? 1));
    return diagnostic("CMP1002", text, { at });
  });
  return {
    options: { ...parsed.options, noEmit: true },
    files: parsed.fileNames.map((name) => name.split(path.sep).join("/")),
    diagnostics,
  };
}
