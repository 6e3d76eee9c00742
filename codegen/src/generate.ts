import path from "node:path";
import { findAgents } from "./analyze/agents.ts";
import { analyze } from "./analyze/analyze.ts";
import { createContext } from "./analyze/context.ts";
import { readPackageSettings } from "./analyze/package-json.ts";
import { GENERATED, type LoadedProject, SourceProject } from "./analyze/project.ts";
import { type Diagnostic, diagnostic, sortDiagnostics } from "./diagnostics/diagnostic.ts";
import { emit, type Output } from "./emit/emit.ts";
import { emitEnv } from "./emit/env.ts";
import { bundleGuests, guestProblem } from "./emit/guest.ts";
import type { ProjectModel } from "./model.ts";
import { bindingName } from "./names.ts";
import { carryOut, planWrite, readManifest, type WritePlan } from "./writer.ts";

/** Options of {@link generate}. */
export interface GenerateOptions {
  /** Only say what would change. Default no. */
  check?: boolean;
}

/** What a run of codegen did. */
export interface GenerateResult {
  /** What is wrong, in order of place. When there is anything, nothing was written and the last good output stays. */
  readonly diagnostics: readonly Diagnostic[];
  /** Files written, or with `check` those that would be; paths from the project's folder. */
  readonly written: readonly string[];
  /** Files removed, or with `check` those that would be. */
  readonly removed: readonly string[];
  /** What was read; undefined when the project could not even be opened. */
  readonly model: ProjectModel | undefined;
}

/**
 * Generates everything that the agents of a project need, once.
 *
 * @example
 * ```ts
 * const { diagnostics, written } = await generate("examples/quickstart");
 * ```
 */
export function generate(projectDir: string, options: GenerateOptions = {}): Promise<GenerateResult> {
  return new Generator(projectDir).generate(options);
}

/**
 * Generates again and again: sources stay parsed between runs, so that a run costs what changed.
 *
 * @example
 * ```ts
 * const generator = new Generator(".");
 * await generator.generate();
 * // a file changes
 * await generator.generate();
 * ```
 */
export class Generator {
  readonly #project: SourceProject;
  #guests: Promise<Output> | undefined;
  #overlay: Output = {};
  #last: Promise<unknown> = Promise.resolve();

  constructor(projectDir: string) {
    this.#project = new SourceProject(projectDir);
  }

  /** The folder that is written to, absolute. */
  get outputDir(): string {
    return path.join(this.#project.dir, GENERATED);
  }

  /**
   * Reads what changed on disk and brings the output up to date. Does not reject for what is wrong in the project.
   * Calls take turns.
   */
  generate(options: GenerateOptions = {}): Promise<GenerateResult> {
    const turn = this.#last.then(() => this.#generate(options));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #generate(options: GenerateOptions): Promise<GenerateResult> {
    const guests = this.#bundleGuests();
    const { dir } = this.#project;
    const { settings, diagnostics: settingsProblems } = readPackageSettings(dir);
    const loaded = this.#load();
    if (Array.isArray(loaded)) return failed([...loaded, ...settingsProblems]);
    const analysis = analyze({
      ...loaded,
      projectDir: dir,
      settings,
      previous: readManifest(this.outputDir)?.classes ?? [],
      isGenerated: this.#project.isGenerated,
    });
    const problems = [...settingsProblems, ...analysis.diagnostics];
    if (problems.length > 0) return failed(problems, analysis.model);

    const bundled = await guests;
    if (Array.isArray(bundled)) return failed(bundled, analysis.model);
    const output = await emit(analysis.model, bundled);
    const plan = this.#write(output, options.check === true);
    if (plan.diagnostics.length > 0) return failed(plan.diagnostics, analysis.model);
    const fromProject = (name: string) => `${GENERATED}/${name}`;
    return {
      diagnostics: [],
      written: plan.write.map(fromProject),
      removed: plan.remove.map(fromProject),
      model: analysis.model,
    };
  }

  #write(output: Output, check: boolean): WritePlan {
    try {
      const plan = planWrite(this.outputDir, output);
      if (plan.diagnostics.length === 0 && !check) carryOut(this.outputDir, output, plan);
      return plan;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { write: [], remove: [], diagnostics: [diagnostic("CMP1072", `Writing failed: ${reason}.`)] };
    }
  }

  /**
   * An agent's file may import the generated `Env`, which on the first run is not there yet and later may be
   * out of date, so the analysis sees it as it will be.
   */
  #load(): LoadedProject | Diagnostic[] {
    const loaded = this.#project.load(this.#overlay);
    if (Array.isArray(loaded)) return loaded;
    if (!loaded.files.some(({ text }) => text.includes(`${GENERATED}/env`))) return loaded;
    const agents = findAgents(createContext(loaded.program, this.#project.dir), loaded.files).map(
      ({ declaration }) => declaration.name?.text ?? "",
    );
    const text = emitEnv(agents.map((className) => ({ className, binding: bindingName(className) })));
    const name = `${GENERATED}/env.ts`;
    if (this.#overlay[name] === text) return loaded;
    this.#overlay = { [name]: text };
    return this.#project.load(this.#overlay);
  }

  /** Begun before the analysis, which it runs beside; kept, since no source of the project goes into it. */
  #bundleGuests(): Promise<Output | Diagnostic[]> {
    this.#guests ??= bundleGuests();
    return this.#guests.catch((error: unknown) => {
      this.#guests = undefined;
      return [guestProblem(error)];
    });
  }
}

function failed(diagnostics: readonly Diagnostic[], model?: ProjectModel): GenerateResult {
  return { diagnostics: sortDiagnostics(diagnostics), written: [], removed: [], model };
}
