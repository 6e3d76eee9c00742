import { createHash } from "node:crypto";
import path from "node:path";
import { GENERATED } from "../analyze/project.ts";

/** Where `computer dev` finds and keeps things, absolute. */
export interface DevLayout {
  readonly project: string;
  readonly src: string;
  readonly generated: string;
  /** wrangler's config, written by codegen. */
  readonly config: string;
  /** What `computer dev` itself writes, apart from state. */
  readonly dev: string;
  /** The project's bundle, which wrangler watches. */
  readonly bundle: string;
  /** The developer's variables and secrets. */
  readonly vars: string;
}

/**
 * The layout of a project in this folder, served with its state in that one. A project may be served more than once,
 * each time with other state, and each server needs a bundle of its own: there is a key in it.
 */
export function devLayout(project: string, persist: string = defaultPersist(project)): DevLayout {
  const generated = path.join(project, GENERATED);
  const own = persist === defaultPersist(project) ? "" : `-${shortHash(persist)}`;
  const dev = path.join(project, ".computer", `dev${own}`);
  return {
    project,
    src: path.join(project, "src"),
    generated,
    config: path.join(generated, "wrangler.jsonc"),
    dev,
    bundle: path.join(dev, "worker.js"),
    vars: path.join(project, ".dev.vars"),
  };
}

/** The state's folder unless another one is asked for. */
export function defaultPersist(project: string): string {
  return path.join(project, ".computer", "state");
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
