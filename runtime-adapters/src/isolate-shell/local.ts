import type { Backend, BackendHost, BackendSession } from "@computer/framework";
import { bundleShell } from "./bundle.ts";
import { DESCRIPTION } from "./describe.ts";
import { FileBridge } from "./file-bridge.ts";
import type { Guest } from "./protocol.ts";
import { RunHost } from "./run-host.ts";

let shell: Promise<Guest["exec"]> | undefined;

/**
 * The interpreter of `IsolateShell` in this process, for unit tests of agents in Node. There is no isolate
 * around it: a script that keeps a command busy keeps this process busy. It reaches the workspace's files
 * and nothing else of the machine, since it is an interpreter and starts no program.
 *
 * @example
 * ```ts
 * const workspace = await Workspace.memory({ backends: { shell: new LocalShell() } });
 * const { stdout } = await workspace.runtime.exec("echo hello | tr a-z A-Z").result();
 * ```
 */
export class LocalShell implements Backend {
  readonly kind = "isolate-shell";

  describe(): string {
    return DESCRIPTION;
  }

  async connect(_host: BackendHost): Promise<BackendSession> {
    shell ??= load();
    const exec = await shell;
    return {
      async exec({ fs, source, cwd, env, stdin, maxOutputBytes, signal }, output) {
        const over = new AbortController();
        const runHost = new RunHost(new FileBridge(fs), output, AbortSignal.any([signal, over.signal]));
        try {
          return await exec({ source, cwd, env, stdin, maxOutputBytes }, runHost);
        } finally {
          over.abort();
        }
      },
      async close() {},
    };
  }
}

/** The very module that runs in an isolate, so that both behave the same to the byte. */
async function load(): Promise<Guest["exec"]> {
  const text = await bundleShell();
  const module = (await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`)) as {
    runShell: Guest["exec"];
  };
  return module.runShell;
}
