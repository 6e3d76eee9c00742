import { ComputerError } from "../errors.ts";
import { errorResponse } from "./errors.ts";
import { checkHost, checkOrigin, checkToken, isDevelopment } from "./guards.ts";
import { rootResponse } from "./root.ts";
import { parseRoute, type Route } from "./route.ts";
import type { Door, DoorEnv, DoorOptions } from "./types.ts";

/**
 * Makes the door of a worker: its default export, through which every request comes. It checks host, origin and
 * token, in this order, and passes a request for an agent on to the agent's Durable Object.
 *
 * @example
 * ```ts
 * export default createDoor<Env>({
 *   manifest,
 *   agents: { reader: { namespace: (env) => env.READER, authorize: Reader.authorize } },
 * });
 * ```
 */
export function createDoor<Env extends object>(options: DoorOptions<Env>): Door<Env> {
  return {
    async fetch(request, env) {
      const development = isDevelopment(env as DoorEnv);
      let origin: string | undefined;
      try {
        checkHost(request, env as DoorEnv);
        origin = checkOrigin(request, env as DoorEnv);
        // A browser asks beforehand without the token.
        if (request.method === "OPTIONS") return preflight(request, origin);
        return dress(await answer(options, request, env), origin);
      } catch (error) {
        if (!(error instanceof ComputerError)) console.error(error);
        return dress(errorResponse(error, development), origin);
      }
    },
  };
}

async function answer<Env extends object>(
  options: DoorOptions<Env>,
  request: Request,
  env: Env,
): Promise<Response> {
  const route = tryRoute(request.url);
  const name = "agent" in route ? route.agent : undefined;
  const agent = name !== undefined && Object.hasOwn(options.agents, name) ? options.agents[name] : undefined;
  if (agent?.authorize !== undefined) await checkAuthorized(agent.authorize, request, env);
  else checkToken(request, env as DoorEnv);

  if ("error" in route) throw route.error;
  if (route.door === "root") return rootResponse(request, options.manifest);
  if (agent === undefined) {
    const known = Object.keys(options.agents).join(", ");
    throw new ComputerError(
      "ERR_UNKNOWN_AGENT",
      `There is no agent ${JSON.stringify(route.agent)}; there are ${known}.`,
    );
  }
  const namespace = agent.namespace(env);
  try {
    return await namespace.get(namespace.idFromName(route.id) as never).fetch(request);
  } catch (error) {
    throw objectFailure(error);
  }
}

/** What it means that an object did not answer at all. workerd says so by properties of the error. */
function objectFailure(error: unknown): unknown {
  const { overloaded, retryable } = error as { overloaded?: unknown; retryable?: unknown };
  if (overloaded === true) {
    return new ComputerError("ERR_BUSY", "The agent has too much to do; try again later.", { cause: error });
  }
  if (retryable === true) {
    return new ComputerError("ERR_UNAVAILABLE", "The agent's object stopped; the call may have happened.", {
      cause: error,
    });
  }
  return error;
}

/** Where a request leads is told only to those who may know, so an unreadable route is kept for later. */
function tryRoute(url: string): Route | { error: unknown } {
  try {
    return parseRoute(url);
  } catch (error) {
    return { error };
  }
}

async function checkAuthorized<Env>(
  authorize: (request: Request, env: Env) => boolean | Promise<boolean>,
  request: Request,
  env: Env,
): Promise<void> {
  let allowed = false;
  try {
    // Without its body: that is for the agent to read.
    allowed =
      (await authorize(
        new Request(request.url, { method: request.method, headers: request.headers }),
        env,
      )) === true;
  } catch (error) {
    console.error(error);
  }
  if (!allowed) throw new ComputerError("ERR_UNAUTHORIZED", "The agent does not let this request in.");
}

function preflight(request: Request, origin: string | undefined): Response {
  const headers = new Headers({
    "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
    "access-control-allow-headers": "authorization, content-type, range, if-match, if-none-match",
    "access-control-max-age": "600",
  });
  if (request.headers.has("access-control-request-private-network")) {
    headers.set("access-control-allow-private-network", "true");
  }
  return dress(new Response(null, { status: 204, headers }), origin);
}

/** What every answer carries, so that no browser uses it for what it is not. */
function dress(response: Response, origin: string | undefined): Response {
  // A WebSocket's answer must stay the object that holds the socket.
  if (response.status === 101) return response;
  const dressed = new Response(response.body, response);
  dressed.headers.set("x-content-type-options", "nosniff");
  dressed.headers.set("cross-origin-resource-policy", "same-origin");
  dressed.headers.append("vary", "origin");
  if (origin !== undefined) {
    dressed.headers.set("access-control-allow-origin", origin);
    dressed.headers.set("access-control-expose-headers", "accept-ranges, content-range, etag");
  }
  return dressed;
}
