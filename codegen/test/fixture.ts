import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { type Analysis, analyze } from "../src/analyze/analyze.ts";
import { readPackageSettings } from "../src/analyze/package-json.ts";
import { SourceProject } from "../src/analyze/project.ts";
import type { PreviousClass } from "../src/analyze/retired.ts";

const TSCONFIG = {
  compilerOptions: {
    target: "es2022",
    lib: ["es2023"],
    module: "nodenext",
    types: [],
    strict: true,
    experimentalDecorators: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ["src"],
};

/** Files by path from the project's folder; an object is written as JSON. */
export type Files = Readonly<Record<string, string | object>>;

const projects: string[] = [];
afterAll(() => {
  for (const dir of projects) rmSync(dir, { recursive: true, force: true });
});

/**
 * A project in a temporary folder, with a stub of the framework installed; gone when the file's tests are done.
 * Without a tsconfig.json or package.json of its own it gets ordinary ones.
 */
export function createProject(files: Files): string {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), "codegen-test-")));
  projects.push(dir);
  const stub = path.join(dir, "node_modules/@computer/framework");
  cpSync(path.join(import.meta.dirname, "framework-stub"), stub, { recursive: true });
  writeFiles(dir, {
    "tsconfig.json": TSCONFIG,
    "package.json": { name: "fixture", type: "module" },
    ...files,
  });
  return dir;
}

export function writeFiles(dir: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(
      path.join(dir, name),
      typeof content === "string" ? content : JSON.stringify(content, null, 2),
    );
  }
}

/** Analyses a project of these files. */
export function analyzeFiles(files: Files, previous: readonly PreviousClass[] = []): Analysis {
  const dir = createProject(files);
  const project = new SourceProject(dir);
  const loaded = project.load();
  if (Array.isArray(loaded)) throw new Error(`the fixture cannot be loaded: ${JSON.stringify(loaded)}`);
  const { settings } = readPackageSettings(dir);
  return analyze({ ...loaded, projectDir: dir, settings, previous, isGenerated: project.isGenerated });
}

const IMPORTS = 'import { Agent, type AgentId, tool, type Workspace } from "@computer/framework";\n';

/** Analyses one file, `src/a.ts`; the framework's imports stand on its first line. */
export function analyzeSource(source: string): Analysis {
  return analyzeFiles({ "src/a.ts": IMPORTS + source });
}

/** Analyses an agent `A` with these members; the types go before the class. */
export function analyzeMembers(members: string, types = ""): Analysis {
  return analyzeSource(`${types}\n@Agent()\nexport class A {\n${members}\n}\n`);
}

/** `CMP1030 src/a.ts:3:7 message` of each diagnostic. */
export function summary({ diagnostics }: Pick<Analysis, "diagnostics">): string[] {
  return diagnostics.map(
    ({ code, at, message }) => `${code} ${at ? `${at.file}:${at.line}:${at.column} ` : ""}${message}`,
  );
}
