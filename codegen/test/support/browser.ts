import { existsSync, mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import esbuild from "esbuild";
import { type BrowserContext, chromium } from "playwright-core";

/** Where Debian's package puts it. */
const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Whether there is a browser to test with, or why not. */
export const browserIsThere: true | string =
  existsSync(EXECUTABLE) || `no ${EXECUTABLE}; \`apt-get install chromium\`, or name another by CHROMIUM`;

/** A browser with a profile of its own, for which the hosts named are this machine. */
export async function openBrowser(hosts: readonly string[]): Promise<BrowserContext & AsyncDisposable> {
  const profile = mkdtempSync(path.join(tmpdir(), "computer-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE,
    headless: true,
    args: [
      // Root, as in a container, has no sandbox; the pages are this test's own.
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--host-resolver-rules=${hosts.map((host) => `MAP ${host} 127.0.0.1`).join(", ")}`,
    ],
  });
  return Object.assign(context, {
    async [Symbol.asyncDispose]() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  });
}

/** A server of pages on loopback: what a developer's own front end is, or a stranger's. */
export interface PageServer extends AsyncDisposable {
  readonly port: number;
}

/** Serves an empty page at `/`, and one script at `/app.js`. */
export async function servePages(script: () => string): Promise<PageServer> {
  const server = http.createServer((request, response) => {
    const isScript = request.url === "/app.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
    // So that the browser does not ask for an icon.
    const page = '<!doctype html><link rel="icon" href="data:,"><body><script src="/app.js"></script></body>';
    response.end(isScript ? script() : page);
  });
  return { port: await listen(server), [Symbol.asyncDispose]: () => close(server) };
}

/** A way to a server that notes what it answered: a browser does not tell what it kept from a page. */
export interface Witness extends AsyncDisposable {
  readonly url: string;
  /** Method, path and status of every answer so far. */
  readonly answers: readonly string[];
}

/** Stands in front of a server of `http:`, and hands every request on as it came. */
export async function watchAnswers(url: string): Promise<Witness> {
  const { hostname: host, port: upstream } = new URL(url);
  const answers: string[] = [];
  const server = http.createServer((request, response) => {
    const { method, url: path, headers } = request;
    const onward = http.request({ host, port: upstream, method, path, headers, agent: false }, (reply) => {
      answers.push(`${method} ${path} ${reply.statusCode}`);
      response.writeHead(reply.statusCode ?? 502, reply.rawHeaders);
      reply.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, answers, [Symbol.asyncDispose]: () => close(server) };
}

async function listen(server: http.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function close(server: http.Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Bundles a project's generated client for a browser; its exports become the global `client`. */
export async function bundleClient(project: string): Promise<string> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(project, "generated/client.ts")],
    bundle: true,
    write: false,
    platform: "browser",
    format: "iife",
    globalName: "client",
    target: "es2022",
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
