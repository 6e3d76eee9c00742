import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { analyzeFiles, analyzeMembers, analyzeSource } from "../../test/fixture.ts";
import type { ProjectModel } from "../model.ts";
import { emitAgent } from "./agent.ts";
import { emitClient } from "./client.ts";
import { emit } from "./emit.ts";
import { docComment } from "./text.ts";
import { emitWorker } from "./worker.ts";
import { emitWrangler } from "./wrangler.ts";

const GOLDEN = path.join(import.meta.dirname, "../../test/golden");
const QUICKSTART = path.join(import.meta.dirname, "../../../examples/quickstart");

const agentText = ({ agents, types }: ProjectModel, index = 0) => {
  const agent = agents[index];
  if (!agent) throw new Error("no agent");
  return emitAgent(agent, agents, types);
};

describe("the quickstart", () => {
  test("is emitted as the golden files say; `vitest -u` writes them anew", async () => {
    const source = readFileSync(path.join(QUICKSTART, "src/reader.ts"), "utf8");
    const { model, diagnostics } = analyzeFiles({
      "src/reader.ts": source,
      "package.json": readFileSync(path.join(QUICKSTART, "package.json"), "utf8"),
    });
    expect(diagnostics).toEqual([]);
    const output = await emit(model, { "guests/isolate-shell.js": "" });
    for (const [name, text] of Object.entries(output)) {
      if (!name.startsWith("guests/"))
        await expect(text).toMatchFileSnapshot(path.join(GOLDEN, `${name}.txt`));
    }
  });

  test("holds no decorator, no machine's path and no date of today", async () => {
    const { model } = analyzeFiles({
      "src/reader.ts": readFileSync(path.join(QUICKSTART, "src/reader.ts"), "utf8"),
    });
    const all = Object.values(await emit(model, {})).join("\n");
    expect(all).not.toMatch(/^\s*@(Agent|tool|c\.)/m);
    expect(all).not.toContain(import.meta.dirname.split("/").slice(0, 3).join("/"));
    expect(all).not.toContain(new Date().toISOString().slice(0, 10));
  });
});

describe("agents", () => {
  test("constructor arguments by type, in order", () => {
    const { model } = analyzeMembers(
      "constructor(id: AgentId, env: Env, home: Workspace) {}",
      "interface Env { MY_SECRET: string }",
    );
    expect(agentText(model)).toContain(
      "create: ({ id, env, workspace }) => new A(id, env as unknown as ConstructorParameters<typeof A>[1], workspace),",
    );
  });

  test("no arguments, no tools", () => {
    const text = agentText(analyzeMembers("").model);
    expect(text).toContain("create: () => new A(),");
    expect(text).not.toContain("validators");
  });

  test("parameters that are reserved words, and tools called otherwise than their method", () => {
    const { model } = analyzeMembers('@tool({ name: "go" }) start(from: string, $x: number): void {}');
    expect(agentText(model)).toContain(`      go: {
        parameters: ["from", "$x"],
        validate: validate.a_go,
        invoke: (agent: A, args) => agent.start(args.from, args.$x),
      },`);
  });

  test("dates and bytes bring the schema that JSON is decoded by", () => {
    const { model } = analyzeMembers(
      "@tool() at(when: Date): void {}\n@tool() plain(): Date { return new Date(); }",
    );
    const text = agentText(model);
    expect(text).toContain("wire: { parameters: schemas.a_at },");
    expect(text.match(/wire:/g)).toHaveLength(1);
  });

  test("a class that is called like something in the generated file", () => {
    const { model, diagnostics } = analyzeSource("@Agent() export class Env { @tool() x(): void {} }");
    expect(diagnostics).toEqual([]);
    const text = agentText(model);
    expect(text).toContain('import { Env as EnvAgent } from "../../src/a.ts";');
    expect(text).toContain("export class EnvObject extends DurableObject<Env> {");
    expect(text).toContain("invoke: (agent: EnvAgent) => agent.x(),");
  });

  test("default and renamed exports", () => {
    const { model } = analyzeFiles({
      "src/deep/a.ts": 'import { Agent } from "@computer/framework";\n@Agent() export default class A {}',
      "src/b.ts": 'import { Agent } from "@computer/framework";\n@Agent() class B {}\nexport { B as Bee };',
    });
    expect(agentText(model, 0)).toContain('import A from "../../src/deep/a.ts";');
    expect(agentText(model, 1)).toContain('import { Bee as B } from "../../src/b.ts";');
  });
});

describe("the client", () => {
  test("a parameter left out before a required one", () => {
    const { model } = analyzeMembers("@tool() x(a: string | undefined, b: number, c = 'y'): void {}");
    expect(emitClient(model)).toContain("x(a: string | undefined, b: number, c?: string): Promise<void>;");
  });

  test("an agent called agent", () => {
    const { model } = analyzeSource('@Agent({ name: "agent" }) export class A {}');
    expect(emitClient(model)).toContain("export interface TheAgentClient extends AgentClient {");
  });

  test("imports nothing of the user's", () => {
    const { model } = analyzeMembers(
      "@tool() x(a: Point): Point { return a; }",
      "export interface Point { x: 1 }",
    );
    expect(emitClient(model).match(/^import .*$/gm)).toEqual([
      'import { type AgentClient, type ConnectOptions, createClient } from "@computer/framework/client";',
    ]);
  });
});

describe("comments", () => {
  test("cannot end early", () => {
    const { model } = analyzeSource('@Agent({ description: "a */ alert(1) /*" }) export class A {}');
    expect(emitClient(model)).toContain("/** a *\\/ alert(1) /* */");
  });

  test("of many lines, whatever ends them", () => {
    expect(docComment("a\r\n\nb\u2028c", "  ")).toBe("  /**\n   * a\n   *\n   * b\n   * c\n   */\n");
    expect(docComment(" ")).toBe("");
    expect(docComment(undefined)).toBe("");
  });
});

describe("the worker and its configuration", () => {
  test("authorize is called on its class, for the agent that has it", () => {
    const { model } = analyzeSource(`
@Agent() export class Open {}
@Agent() export class Shut { static authorize(request: unknown): boolean { return request !== null; } }`);
    const text = emitWorker(model);
    expect(text).toContain("open: { namespace: (env) => env.OPEN },");
    expect(text).toMatch(/shut: \{\s+namespace: \(env\) => env\.SHUT,\s+authorize: .*Shut\.authorize\(/s);
    expect(text).toContain('import { Shut } from "../src/a.ts";');
    expect(text).not.toContain("import { Open }");
  });

  test("classes of earlier versions get their tombstones", () => {
    const { model } = analyzeFiles({
      "src/a.ts":
        'import { Agent } from "@computer/framework";\n@Agent({ renamedFrom: "Was" }) export class A {}',
      "package.json": { name: "@acme/My App", computer: { deleted: ["GoneObject"] } },
    });
    const config = JSON.parse(emitWrangler(model).replace(/^\/\/.*$/gm, ""));
    expect(config.name).toBe("my-app");
    expect(config.exports).toEqual({
      AObject: { type: "durable-object", storage: "sqlite" },
      GoneObject: { type: "durable-object", state: "deleted" },
      WasObject: { type: "durable-object", state: "renamed", renamed_to: "AObject" },
    });
    expect(config.durable_objects.bindings).toEqual([{ name: "A", class_name: "AObject" }]);
  });
});
