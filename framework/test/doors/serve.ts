import { request as httpRequest } from "node:http";
import path from "node:path";
import { _, type CodeKeywordDefinition } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import type { Plugin } from "esbuild";
import { schemas } from "../fixtures/notes/schemas.ts";
import { startWorkerd } from "../workerd/harness.ts";

const fixture = path.join(import.meta.dirname, "../fixtures/notes");

/** The fixture's worker on a real workerd. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** What the worker printed so far. */
  readonly log: string[];
}

/** Serves the fixture with these variables as bindings. */
export async function serve(bindings: Record<string, string>): Promise<Served> {
  const log: string[] = [];
  const workerd = await startWorkerd({
    entry: path.join(fixture, "worker.ts"),
    objects: ["NotesObject"],
    bindings,
    plugins: [validators],
    onLog: (message) => log.push(message),
  });
  return {
    url: workerd.url.origin,
    port: Number(workerd.url.port),
    log,
    [Symbol.asyncDispose]: () => workerd.dispose(),
  };
}

/** Stands in for the `validators.js` that codegen would have written. */
const validators: Plugin = {
  name: "validators",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /validators\.js$/ }, () => ({ path: "validators", namespace: "validators" }));
    onLoad({ filter: /./, namespace: "validators" }, () => ({
      contents: compileValidators(),
      loader: "js",
      resolveDir: fixture,
    }));
  },
};

/** A request as it is, host and path included, which `fetch` would not let one choose. */
export function rawRequest(
  port: number,
  target: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array } = {},
): Promise<{
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  code?: string;
}> {
  return new Promise((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const request = httpRequest({ host: "127.0.0.1", port, path: target, method, headers, agent: false });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const answer = { status: response.statusCode ?? 0, headers: response.headers, text };
        const code = codeOf(text);
        resolve(code === undefined ? answer : { ...answer, code });
      });
    });
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: "" });
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Posts this many MiB of spaces piece by piece, and stops when it is answered; a connection may close before. */
export function sendSlowly(
  port: number,
  target: string,
  mebibytes: number,
  declared: boolean,
): Promise<{ status: number; code: string | undefined }> {
  const piece = Buffer.alloc(1024 * 1024, " ");
  return new Promise((resolve, reject) => {
    const headers = declared ? { "content-length": String(mebibytes * piece.length) } : {};
    const request = httpRequest({
      host: "127.0.0.1",
      port,
      path: target,
      method: "POST",
      headers,
      agent: false,
    });
    let answered = false;
    request.on("response", (response) => {
      answered = true;
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, code: codeOf(text) }));
    });
    request.on("error", (error) => {
      if (!answered) reject(error);
    });
    const send = (left: number) => {
      if (answered || left === 0) return void request.end();
      request.write(piece, () => setImmediate(send, left - 1));
    };
    send(mebibytes);
  });
}

function codeOf(text: string): string | undefined {
  try {
    return JSON.parse(text).error?.code;
  } catch {
    return undefined;
  }
}

/** As codegen compiles them. */
function compileValidators(): string {
  const wire: CodeKeywordDefinition = {
    keyword: "x-computer",
    schemaType: "string",
    error: { message: "must be a date or bytes", params: ({ schema }) => _`{kind: ${schema}}` },
    code(context) {
      const { data, schema } = context;
      if (schema === "date") context.fail(_`!(${data} instanceof Date) || Number.isNaN(${data}.getTime())`);
      else context.fail(_`!(${data} instanceof Uint8Array)`);
    },
  };
  const ajv = new Ajv2020({
    code: { source: true, esm: true },
    ownProperties: true,
    discriminator: true,
    strictTypes: false,
    strictRequired: false,
    schemas: Object.entries(schemas).map(([$id, schema]) => ({ $id, ...schema })),
    keywords: [wire],
  });
  return standalone.default(ajv, Object.fromEntries(Object.keys(schemas).map((name) => [name, name])));
}
