import type { Backend, DurableObjectStorageLike, FileSystem } from "../../src/index.ts";
import { durableObjectSql } from "../../src/vfs/sql/durable-object.ts";
import type { Sql } from "../../src/vfs/sql/types.ts";
import { Workspace, type WorkspaceOptions } from "../../src/workspace/workspace.ts";

/** A backend whose sources are functions of the test. */
class Scripts implements Backend {
  readonly kind = "scripts";
  readonly #scripts = new Map<string, (fs: FileSystem) => Promise<unknown>>();

  describe(): string {
    return "Runs functions of a test.";
  }

  add(script: (fs: FileSystem) => Promise<unknown>): string {
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

/** A run that goes on until it is told to end, and the files as it sees them. */
export interface OpenRun {
  readonly id: string;
  readonly fs: FileSystem;
  end(): Promise<void>;
}

/** A workspace, and ways to do something in it as a run. */
export interface Lab extends AsyncDisposable {
  readonly workspace: Workspace;
  /** The same database, to look at rows. */
  readonly sql: Sql;
  begin(): Promise<OpenRun>;
  /** Does it as a run, and answers the run's id. */
  run(script: (fs: FileSystem) => Promise<unknown>): Promise<string>;
}

/** A workspace in a Durable Object's storage, or in something like it: see `node-storage.ts`. */
export async function lab(storage: DurableObjectStorageLike, options: WorkspaceOptions = {}): Promise<Lab> {
  const scripts = new Scripts();
  const workspace = new Workspace({ ...options, backends: { scripts }, storage });
  const begin = async (): Promise<OpenRun> => {
    const over = Promise.withResolvers<void>();
    const started = Promise.withResolvers<FileSystem>();
    const source = scripts.add((fs) => {
      started.resolve(fs);
      return over.promise;
    });
    const run = workspace.runtime.exec(source);
    const fs = await started.promise;
    const end = async () => {
      over.resolve();
      await run.result();
    };
    return { id: run.id, fs, end };
  };
  return {
    workspace,
    sql: durableObjectSql(storage),
    begin,
    async run(script) {
      const run = await begin();
      try {
        await script(run.fs);
      } finally {
        await run.end();
      }
      return run.id;
    },
    [Symbol.asyncDispose]: () => workspace.close(),
  };
}

/** Something in a tree, by which two trees are compared. */
export interface Item {
  readonly path: string;
  readonly ino: number;
  readonly parent: number;
  readonly kind: "file" | "directory" | "symlink";
  readonly nlink: number;
  /** Mode, size and content. */
  readonly mode: string;
  readonly content: string;
}

/** All that is in a tree. */
export async function items(fs: FileSystem, top = "/"): Promise<Item[]> {
  const found: Item[] = [];
  const visit = async (path: string, parent: number): Promise<void> => {
    const stats = await fs.lstat(path);
    const { ino, nlink } = stats;
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory()) {
      found.push({ path, ino, parent, kind: "directory", nlink, mode, content: "" });
      for (const name of await fs.readdir(path))
        await visit(path === "/" ? `/${name}` : `${path}/${name}`, ino);
    } else if (stats.isSymbolicLink()) {
      found.push({ path, ino, parent, kind: "symlink", nlink, mode, content: await fs.readlink(path) });
    } else {
      const bytes = await fs.readFile(path);
      const content = `${stats.size} ${digest(bytes)} ${stats.mtimeMs}`;
      found.push({ path, ino, parent, kind: "file", nlink, mode, content });
    }
  };
  await visit(top, 0);
  return found;
}

/** A tree as something to compare: by path, all but numbers; names of one node are said to be the same. */
export async function image(fs: FileSystem, top = "/"): Promise<Record<string, string>> {
  const first = new Map<number, string>();
  return Object.fromEntries(
    (await items(fs, top)).map(({ path, ino, kind, nlink, mode, content }) => {
      const same = first.get(ino);
      if (same === undefined) first.set(ino, path);
      return [path, `${kind} ${mode} ${nlink} ${content}${same === undefined ? "" : ` = ${same}`}`];
    }),
  );
}

/** FNV-1a: to compare with, not to trust. */
function digest(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16);
}
