import type { WatchOptions } from "../watch/types.ts";
import { RemoteFileSystem } from "./fs.ts";
import type { Link } from "./link.ts";
import { openLink } from "./open-link.ts";
import { checkOptions } from "./options.ts";
import { plainValue } from "./revive.ts";
import { findRun, startRun } from "./run.ts";
import { watch } from "./search.ts";
import type { AgentClient, ConnectOptions, RemoteAgent } from "./types.ts";

/**
 * Makes a client of agents. A generated `connect` calls it with what it knows of the project; `Client` says the
 * same in types.
 *
 * @example
 * ```ts
 * export function connect(options: ConnectOptions): Client {
 *   return createClient<Client>(options, {
 *     reader: { agent: "reader", tools: ["shelve", "topWords", "find"] },
 *   });
 * }
 * ```
 *
 * @throws {ComputerError} `ERR_BAD_ARGUMENT` for options that cannot be right.
 */
export function createClient<Client extends Disposable>(
  options: ConnectOptions,
  agents: Readonly<Record<string, RemoteAgent>>,
): Client {
  const target = checkOptions(options);
  const links = new Set<Link>();
  const client: Record<string | symbol, unknown> = {
    [Symbol.dispose]() {
      for (const link of links) link[Symbol.dispose]();
      links.clear();
    },
  };
  for (const [name, { agent, tools }] of Object.entries(agents)) {
    client[name] = (id: string) => {
      const link = openLink(target, agent, id);
      links.add(link);
      return agentClient(link, tools, () => {
        links.delete(link);
        link[Symbol.dispose]();
      });
    };
  }
  return client as unknown as Client;
}

function agentClient(link: Link, tools: readonly string[], dispose: () => void): AgentClient {
  const client: Record<string | symbol, unknown> = {
    workspace: {
      fs: new RemoteFileSystem(link),
      usage: async () => plainValue(await link.use((root) => root.workspace.usage())),
      revision: () => link.use((root) => root.workspace.revision()),
      watch: (path: string, options?: WatchOptions) => watch(link, path, options),
      runtime: {
        exec: (source: string, options?: object) => startRun(link, source, options),
        get: (id: string) => findRun(link, id),
        backends: async () => plainValue(await link.use((root) => root.workspace.runtime.backends())),
      },
    },
    [Symbol.dispose]: dispose,
  };
  for (const tool of tools) {
    client[tool] = async (...args: unknown[]) => plainValue(await link.use((root) => root.call(tool, args)));
  }
  return client as unknown as AgentClient;
}
