/**
 * The host process of `computer dev`: it has the port and wrangler, and does little else, so that requests go
 * through while the other process compiles. It leaves nothing behind: when the channel to `computer dev` closes,
 * however that happened, it ends wrangler and itself.
 */
import type { FromHost, HostSettings, ToHost } from "../messages.ts";
import { createFront } from "./front.ts";
import { Host } from "./host.ts";
import { lockState } from "./lock.ts";
import { type Listening, listenFrom } from "./ports.ts";
import { Upstream } from "./upstream.ts";

const settings: HostSettings = JSON.parse(process.argv[2] ?? "");
const upstream = new Upstream();
const host = new Host(settings, upstream, send);

// Signals of the terminal are for `computer dev`, which says when to stop.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("disconnect", () => {
  host.kill();
  process.exit(1);
});
process.on("message", (message: ToHost) => {
  if (message.type === "serve") void host.serve(message.build, message.restart);
  else void host.stop().finally(() => process.exit(0));
});

try {
  const lock = lockState(settings.persist);
  process.on("exit", () => lock[Symbol.dispose]());
  const create = () => createFront({ upstream, key: settings.key, suspect: () => void host.suspect() });
  const { port }: Listening = await listenFrom(settings.port, create);
  send({ type: "listening", port, ...(port !== settings.port && { taken: settings.port }) });
} catch (error) {
  process.send?.({ type: "failed", text: (error as Error).message } satisfies FromHost, () =>
    process.exit(1),
  );
}

function send(message: FromHost): void {
  if (process.connected) process.send?.(message);
}
