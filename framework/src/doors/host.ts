import { ComputerError } from "../errors.ts";
import type { AgentId } from "../workspace/agent-id.ts";
import { Workspace } from "../workspace/workspace.ts";
import { checkArguments, nameArguments } from "./arguments.ts";
import { readJson } from "./body.ts";
import { resultAs, toJson, toResult } from "./data.ts";
import { codeOf, errorResponse, toolFailure } from "./errors.ts";
import { serveExec } from "./exec.ts";
import { serveFiles } from "./files.ts";
import { FileSystemStub } from "./fs-stub.ts";
import { isDevelopment } from "./guards.ts";
import { parseRoute } from "./route.ts";
import { serveRpc } from "./rpc.ts";
import { RuntimeStub } from "./runtime-stub.ts";
import type { Session } from "./session.ts";
import { type AgentSession, RESERVED_TOOL_NAMES } from "./stub.ts";
import type { AgentHostOptions, DoorEnv, ToolArguments, ToolDoor } from "./types.ts";
import { compileDecoder, type Decode } from "./wire.ts";
import { WorkspaceStub } from "./workspace-stub.ts";

/**
 * One agent inside its Durable Object: its workspace, the instance of its class, and the doors that lead to both.
 * The generated Durable Object holds one and hands it every request.
 */
export class AgentHost<Instance, Env extends object> {
  readonly #options: AgentHostOptions<Instance, Env>;
  readonly #decoders = new Map<string, Decode | undefined>();
  readonly #development: boolean;
  #workspace: Workspace | undefined;
  #agent: Promise<Instance> | undefined;

  constructor(options: AgentHostOptions<Instance, Env>) {
    for (const tool of Object.keys(options.tools)) {
      if (RESERVED_TOOL_NAMES.includes(tool)) {
        throw new ComputerError(
          "ERR_UNSUPPORTED",
          `A tool cannot be named ${tool}; name it by @tool({ name }).`,
        );
      }
    }
    this.#options = options;
    this.#development = isDevelopment(options.env as DoorEnv);
    // An error deep in the file system should still lead to the agent's own line.
    if (this.#development) Error.stackTraceLimit = Math.max(Error.stackTraceLimit, 50);
  }

  /** The files and runs of this agent. Opened when first needed: what stands against that is an answer like others. */
  get workspace(): Workspace {
    const { ctx, backends } = this.#options;
    this.#workspace ??= new Workspace({
      storage: ctx.storage,
      ...(backends === undefined ? {} : { backends }),
    });
    return this.#workspace;
  }

  /** Does what is due in the workspace. The generated Durable Object forwards its alarm. */
  alarm(): Promise<void> {
    return this.workspace.alarm();
  }

  /** Answers a request that {@link createDoor} passed on. Never rejects. */
  async fetch(request: Request): Promise<Response> {
    try {
      const route = parseRoute(request.url);
      if (route.door === "root") throw new ComputerError("ERR_NOT_FOUND", "An agent has no root.");
      const id = route.id as AgentId;
      switch (route.door) {
        case "rpc":
          return await serveRpc(request, this.#development, (session) =>
            this.#options.rpc(this.#agentSession(session, id)),
          );
        case "tools":
          return await this.#serveTool(request, route.tool, id);
        case "files":
          return await serveFiles(request, this.workspace.fs, route.path);
        case "exec":
          return await serveExec(request, this.workspace.runtime);
      }
    } catch (error) {
      if (codeOf(error) === undefined) console.error(error);
      return errorResponse(error, this.#development);
    }
  }

  async #serveTool(request: Request, name: string, id: AgentId): Promise<Response> {
    const tool = this.#tool(name);
    if (request.method !== "POST")
      throw new ComputerError("ERR_METHOD_NOT_ALLOWED", "A tool is called by POST.");
    const body = await readJson(request);
    const args = checkArguments(name, tool, this.#decoder(name, tool)?.(body) ?? body);
    const result = resultAs(toJson, await this.#invoke(tool, args, id));
    return Response.json(result, { headers: { "cache-control": "no-store" } });
  }

  #agentSession(session: Session, id: AgentId): AgentSession {
    const fs = new FileSystemStub(this.workspace.fs, session);
    const runtime = new RuntimeStub(this.workspace.runtime, session);
    return {
      workspace: new WorkspaceStub(this.workspace, session, fs, runtime),
      call: (name, args) =>
        session.run(async () => {
          const tool = this.#tool(name);
          const named = nameArguments(name as string, tool.parameters, args);
          return resultAs(
            toResult,
            await this.#invoke(tool, checkArguments(name as string, tool, named), id),
          );
        }),
    };
  }

  #tool(name: unknown): ToolDoor<Instance> {
    const { tools } = this.#options;
    if (typeof name === "string" && Object.hasOwn(tools, name)) return tools[name] as ToolDoor<Instance>;
    const known = Object.keys(tools).join(", ") || "none";
    const asked =
      typeof name === "string" ? JSON.stringify(name.slice(0, 100)) : "that is not named by a string";
    throw new ComputerError(
      "ERR_UNKNOWN_TOOL",
      `${this.#options.agent} has no tool ${asked}; it has ${known}.`,
    );
  }

  async #invoke(tool: ToolDoor<Instance>, args: ToolArguments, id: AgentId): Promise<unknown> {
    try {
      return await tool.invoke(await this.#instance(id), args);
    } catch (error) {
      // As it was thrown, so that what prints it can map the stack to the agent's own source.
      console.error(error);
      throw toolFailure(error);
    }
  }

  #instance(id: AgentId): Promise<Instance> {
    if (this.#agent !== undefined) return this.#agent;
    const made = this.#create(id);
    this.#agent = made;
    // The next call tries anew.
    made.catch(() => {
      this.#agent = undefined;
    });
    return made;
  }

  async #create(id: AgentId): Promise<Instance> {
    return this.#options.create({ workspace: this.workspace, env: this.#options.env, id });
  }

  #decoder(name: string, tool: ToolDoor<Instance>): Decode | undefined {
    if (!this.#decoders.has(name)) {
      this.#decoders.set(name, tool.wire === undefined ? undefined : compileDecoder(tool.wire.parameters));
    }
    return this.#decoders.get(name);
  }
}
