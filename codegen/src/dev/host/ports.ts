import type { Server } from "node:http";
import net from "node:net";

/** How many ports are tried, the wanted one included. */
const TRIES = 50;

/** A pair of servers, for both loopback addresses, so that `localhost` is ours however it is resolved. */
export interface Listening {
  readonly port: number;
  readonly servers: readonly Server[];
}

/**
 * Listens on the loopback addresses, on the wanted port or the next that is free. Whoever binds first has the
 * port, so two that start at once get two ports.
 *
 * @param create Makes a server; called for each address and try.
 */
export async function listenFrom(port: number, create: () => Server): Promise<Listening> {
  const last = Math.min(port + TRIES - 1, 65_535);
  for (let candidate = port; candidate <= last; candidate++) {
    const servers = await listenOn(candidate, create);
    if (servers) return { port: candidate, servers };
  }
  throw new Error(`No port from ${port} to ${last} is free. Give another one: \`computer dev --port N\`.`);
}

async function listenOn(port: number, create: () => Server): Promise<Server[] | undefined> {
  // Somebody on the wildcard address does not keep us from binding on every system, but would share the port.
  if (await answers(port)) return undefined;
  const main = create();
  if ((await listen(main, port, "127.0.0.1")) !== undefined) return undefined;
  const second = create();
  const refusal = await listen(second, port, "::1");
  if (refusal === undefined) return [main, second];
  if (refusal !== "EADDRINUSE") return [main];
  main.close();
  return undefined;
}

/** Resolves with the error's code, or undefined when the server listens. */
function listen(server: Server, port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host }, () => {
      server.removeAllListeners("error");
      resolve(undefined);
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: "127.0.0.1" });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(500, () => done(true));
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
  });
}
