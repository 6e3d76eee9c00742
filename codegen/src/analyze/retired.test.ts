import { describe, expect, test } from "vitest";
import { analyzeFiles, summary } from "../../test/fixture.ts";

const OLD = { objectName: "OldObject", className: "Old", file: "src/old.ts" };
const project = (options: string, computer?: object, previous = [OLD]) =>
  analyzeFiles(
    {
      "src/a.ts": `import { Agent } from "@computer/framework";\n@Agent(${options}) export class New {}`,
      "package.json": { name: "fixture", type: "module", ...(computer ? { computer } : {}) },
    },
    previous,
  );

describe("agents of earlier versions", () => {
  test("one that vanished is an error until something is said of it", () => {
    const [found] = project("").diagnostics;
    expect(found).toMatchObject({
      code: "CMP1060",
      message: expect.stringContaining("The agent `Old` of src/old.ts is no longer there"),
    });
    expect(found?.mend).toContain('@Agent({ renamedFrom: "Old" })');
    expect(found?.mend).toContain('"computer": { "deleted": ["OldObject"] }');
  });

  test("renamed", () => {
    const { model, diagnostics } = project('{ renamedFrom: "Old" }');
    expect(diagnostics).toEqual([]);
    expect(model.retired).toEqual([{ objectName: "OldObject", renamedTo: "NewObject" }]);
  });

  test.each(["OldObject", "Old"])("deleted, as %s", (name) => {
    const { model, diagnostics } = project("", { deleted: [name] });
    expect(diagnostics).toEqual([]);
    expect(model.retired).toEqual([{ objectName: "OldObject" }]);
  });

  test("a declaration stands without the earlier output, as in a fresh clone", () => {
    expect(project('{ renamedFrom: "Old" }', { deleted: ["OlderObject"] }, []).model.retired).toEqual([
      { objectName: "OldObject", renamedTo: "NewObject" },
      { objectName: "OlderObject" },
    ]);
  });

  test("declarations that contradict", () => {
    expect(summary(project('{ renamedFrom: "New" }', undefined, []))).toEqual([
      expect.stringContaining("CMP1061 src/a.ts:2:23"),
    ]);
    expect(summary(project("", { deleted: ["New"] }, []))).toEqual([
      expect.stringContaining("CMP1061 package.json declares `New` deleted"),
    ]);
    expect(summary(project('{ renamedFrom: "Old" }', { deleted: ["Old"] }))).toEqual([
      expect.stringContaining(
        "CMP1061 package.json declares `Old` deleted, but `NewObject` takes over its data.",
      ),
    ]);
  });
});
