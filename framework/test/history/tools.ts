import type { Backend, FileSystem } from "../../src/index.ts";
import { Workspace, type WorkspaceOptions } from "../../src/workspace/workspace.ts";

/** What a run does, in JavaScript. */
export type Script = (fs: FileSystem) => Promise<unknown>;

/** A backend whose sources are functions of the test. */
export class Scripts implements Backend {
  readonly kind = "scripts";
  readonly #scripts = new Map<string, Script>();

  describe(): string {
    return "Runs functions of a test.";
  }

  add(script: Script): string {
    const name = String(this.#scripts.size);
    this.#scripts.set(name, script);
    return name;
  }

  async connect() {
    return {
      exec: async ({ source, fs }: { source: string; fs: FileSystem }) => {
        await this.#scripts.get(source)?.(fs);
        return { exitCode: 0 };
      },
      close: async () => {},
    };
  }
}

/** A workspace, and a way to do something in it as a run. */
export interface Lab extends AsyncDisposable {
  readonly workspace: Workspace;
  /** Does it as a run, and answers the run's id. */
  run(script: Script): Promise<string>;
}

export async function lab(options: WorkspaceOptions = {}, file?: string): Promise<Lab> {
  const scripts = new Scripts();
  const all = { ...options, backends: { scripts } };
  const workspace = file === undefined ? await Workspace.memory(all) : await Workspace.open(file, all);
  return {
    workspace,
    async run(script) {
      const { runId, status, message } = await workspace.runtime.exec(scripts.add(script)).result();
      if (status !== "exited") throw new Error(message ?? status);
      return runId;
    },
    [Symbol.asyncDispose]: () => workspace.close(),
  };
}

/** All that is in a tree: by path, kind, mode, content, and which paths are one node. */
export async function image(fs: FileSystem): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const nodes = new Map<number, string>();
  const visit = async (path: string): Promise<void> => {
    const stats = await fs.lstat(path);
    const first = nodes.get(stats.ino);
    nodes.set(stats.ino, first ?? path);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory()) {
      found[path] = `directory ${mode} ${stats.nlink}`;
      for (const name of await fs.readdir(path)) await visit(path === "/" ? `/${name}` : `${path}/${name}`);
    } else if (stats.isSymbolicLink()) found[path] = `-> ${await fs.readlink(path)}`;
    else {
      const bytes = await fs.readFile(path);
      found[path] = `file ${mode} ${stats.nlink} ${stats.size} ${digest(bytes)}${first ? ` = ${first}` : ""}`;
    }
  };
  await visit("/");
  return found;
}

/** FNV-1a: to compare with, not to trust. */
function digest(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16);
}
