import { describe, expect, test } from "vitest";
import { analyzeFiles, analyzeMembers, summary } from "../../test/fixture.ts";

const read = (parameters: string, types = "") => {
  const analysis = analyzeMembers(`constructor(${parameters}) {}`, types);
  return { takes: analysis.model.agents[0]?.constructorParameters, problems: summary(analysis) };
};

describe("what a constructor may take", () => {
  test.each([
    ["", [], ""],
    ["private readonly w: Workspace", ["workspace"], ""],
    ["id: AgentId, env: Env, w: Workspace", ["id", "env", "workspace"], "interface Env { TOKEN: string }"],
    ["w: W", ["workspace"], "type W = Workspace;"],
    ["w: import('@computer/framework').Workspace", ["workspace"], ""],
    ["w: Workspace, clock = Date.now", ["workspace"], ""],
    ["env: Cloudflare.Env", ["env"], "declare namespace Cloudflare { interface Env { A: string } }"],
  ])("%s", (parameters, takes, types) => {
    expect(read(parameters, types)).toEqual({ takes, problems: [] });
  });

  test("through a namespace, an alias and a re-export; and from a parent's constructor", () => {
    const { model, diagnostics } = analyzeFiles({
      "src/kit.ts":
        'export type { Workspace as Home } from "@computer/framework";\nexport class Base { constructor(readonly home: import("@computer/framework").Workspace) {} }',
      "src/a.ts":
        'import * as c from "@computer/framework";\nimport type { Home } from "./kit.ts";\n@c.Agent() export class A { constructor(a: c.Workspace, b: Home) {} }',
      "src/b.ts":
        'import { Agent } from "@computer/framework";\nimport { Base } from "./kit.ts";\n@Agent() export class B extends Base {}',
    });
    expect(diagnostics).toEqual([]);
    expect(model.agents.map((agent) => agent.constructorParameters)).toEqual([
      ["workspace", "workspace"],
      ["workspace"],
    ]);
  });

  test.each([
    [
      "db: Map<string, string>",
      "CMP1020 src/a.ts:5:13 The constructor of `A` takes `db` of type `Map<string, string>`.",
    ],
    ["name: string", "CMP1020"],
    ["w: Workspace | undefined", "CMP1020"],
  ])("unknown: %s", (parameters, message) => {
    expect(read(parameters).problems).toContainEqual(expect.stringContaining(message));
  });

  test("a class of the same name from elsewhere is another", () => {
    const found = summary(
      analyzeFiles({
        "src/a.ts":
          'import { Agent } from "@computer/framework";\nclass Workspace {}\n@Agent() export class A { constructor(w: Workspace) {} }',
      }),
    );
    expect(found).toEqual([expect.stringContaining("CMP1020 src/a.ts:3:39")]);
  });

  test("private and overloaded constructors", () => {
    expect(summary(analyzeMembers("private constructor() {}"))).toEqual([
      expect.stringContaining("CMP1021 src/a.ts:5:1"),
    ]);
    expect(summary(analyzeMembers("constructor(a: Workspace);\nconstructor(a: any) {}"))).toEqual([
      expect.stringContaining("CMP1021 src/a.ts:5:1"),
    ]);
  });
});

describe("authorize", () => {
  test("is found, also in a parent", () => {
    const { model, diagnostics } = analyzeMembers(
      "static authorize(request: unknown, env: unknown): boolean { return true; }",
    );
    expect(diagnostics).toEqual([]);
    expect(model.agents[0]?.authorize).toBe(true);
    expect(analyzeMembers("authorize(): void {}").model.agents[0]?.authorize).toBe(false);
  });

  test.each([
    "private static authorize(): boolean { return true; }",
    "static authorize = true;",
    "static authorize(a: 1, b: 2, c: 3): void {}",
  ])("%s is refused", (member) =>
    expect(summary(analyzeMembers(member))).toEqual([expect.stringContaining("CMP1018 src/a.ts:5:")]),
  );
});
