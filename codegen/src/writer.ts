import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Diagnostic, diagnostic } from "./diagnostics/diagnostic.ts";
import type { Output } from "./emit/emit.ts";
import type { ManifestFile } from "./emit/manifest.ts";
import { STAMP } from "./emit/text.ts";

/** What the writer is about to do; paths from the output's folder, in order. */
export interface WritePlan {
  readonly write: readonly string[];
  readonly remove: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The last good output's manifest, if there is one that can be read. */
export function readManifest(dir: string): ManifestFile | undefined {
  try {
    const manifest = JSON.parse(readFileSync(path.join(dir, "manifest.json"), "utf8")) as ManifestFile;
    const sound =
      manifest.generator === STAMP && Array.isArray(manifest.files) && Array.isArray(manifest.classes);
    return sound ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** Compares the output with what is on disk. Changes nothing. */
export function planWrite(dir: string, output: Output): WritePlan {
  const previous = new Set(readManifest(dir)?.files.filter(isInside) ?? []);
  const write: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [name, text] of Object.entries(output)) {
    const present = read(path.join(dir, name));
    if (present === null) {
      diagnostics.push(
        diagnostic(
          "CMP1070",
          `${path.basename(dir)}/${name} cannot be a file: a folder or a file is in its way.`,
        ),
      );
      continue;
    }
    if (present === text) continue;
    write.push(name);
    const ours =
      present === undefined || previous.has(name) || name === "manifest.json" || present.includes(STAMP);
    if (!ours)
      diagnostics.push(diagnostic("CMP1070", `${path.basename(dir)}/${name} was not written by codegen.`));
  }
  const remove = [...previous].filter(
    (name) => output[name] === undefined && typeof read(path.join(dir, name)) === "string",
  );
  return { write: write.sort(), remove: remove.sort(), diagnostics };
}

/**
 * Carries a plan out. Every file appears whole or not at all; the manifest comes last, so that a run that
 * is cut short is made good by the next.
 */
export function carryOut(dir: string, output: Output, plan: WritePlan): void {
  const last = (name: string) => name === "manifest.json";
  for (const name of [...plan.write].sort((a, b) => Number(last(a)) - Number(last(b)))) {
    if (last(name)) removeStale(dir, plan.remove);
    writeAtomically(path.join(dir, name), output[name] ?? "");
  }
}

function removeStale(dir: string, names: readonly string[]): void {
  for (const name of names) {
    rmSync(path.join(dir, name), { force: true });
    const folder = path.dirname(path.join(dir, name));
    if (folder !== path.resolve(dir) && readdirSync(folder).length === 0) rmdirSync(folder);
  }
}

let counter = 0;

function writeAtomically(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.${counter++}.tmp`);
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** The text of a file; undefined when there is none, null when something else stands there. */
function read(file: string): string | undefined | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "EISDIR" || code === "ENOTDIR") return null;
    throw error;
  }
}

/** A manifest is a file that anyone may edit: what it lists is removed only inside the output's folder. */
function isInside(name: unknown): name is string {
  return (
    typeof name === "string" && name !== "" && !path.isAbsolute(name) && !name.split(/[/\\]/).includes("..")
  );
}
