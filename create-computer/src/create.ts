import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gitInit, npmInstall } from "./programs.ts";
import type { Target } from "./target.ts";
import { writeTemplate } from "./template.ts";

/** What to create, all choices made. */
export interface Project {
  target: Target;
  template: string;
  install: boolean;
  git: boolean;
}

/** Hears how the work goes on, in words: `installing packages`. */
export type Progress = (step: string) => void;

/**
 * Creates a project, whole or not at all: it grows in a folder beside its target, which is moved into
 * place at the end and removed when anything fails.
 *
 * @param signal Stops the work; what was done so far goes.
 *
 * @example
 * await createProject(
 *   { target: checkTarget("my-agent"), template: "basic", install: true, git: true },
 *   console.log,
 *   new AbortController().signal,
 * );
 */
export async function createProject(
  project: Project,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { target, template, install, git } = project;
  // Inside an existing folder, since its parent may belong to somebody else.
  const parent = target.exists ? target.folder : dirname(target.folder);
  const made = mkdirSync(parent, { recursive: true });
  const draft = mkdtempSync(join(parent, `.create-${basename(target.folder)}-`));
  try {
    progress("writing files");
    chmodSync(draft, 0o777 & ~process.umask()); // mkdtemp's folders are private
    writeTemplate(template, draft, target.name);
    if (install) {
      progress("installing packages");
      await npmInstall(draft, signal);
    }
    if (git) await gitInit(draft, signal);
    signal.throwIfAborted();
    moveInto(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
    throw error;
  }
}

function moveInto(draft: string, target: Target): void {
  if (!target.exists) {
    renameSync(draft, target.folder);
    return;
  }
  // The folder itself must stay: it may be somebody's working directory.
  for (const name of readdirSync(draft)) renameSync(join(draft, name), join(target.folder, name));
  rmdirSync(draft);
}
