import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createProject, summary, writeFiles } from "../test/fixture.ts";
import { Generator, generate } from "./generate.ts";

const AGENT = `import { Agent, tool, type Workspace } from "@computer/framework";
/** Reads. */
@Agent()
export class Reader {
  constructor(readonly workspace: Workspace) {}
  /** Finds. */
  @tool() find(phrase: string): string[] { return [phrase]; }
}
`;

/** Everything in a folder, by path, with its content and the moment it was last written. */
function snapshot(dir: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [
        path.relative(dir, file),
        `${statSync(file).mtimeMs} ${statSync(file).ino} ${readFileSync(file, "utf8")}`,
      ]),
  );
}

let dir: string;
let output: string;
beforeEach(() => {
  dir = createProject({ "src/reader.ts": AGENT });
  output = path.join(dir, "generated");
});

describe("a good project", () => {
  test("is written once and, when nothing changed, not again", async () => {
    const first = await generate(dir);
    expect(first.diagnostics).toEqual([]);
    expect(first.written).toContain("generated/worker.ts");
    const before = snapshot(output);
    expect(Object.keys(before).sort()).toEqual(
      first.written.map((file) => file.replace("generated/", "")).sort(),
    );
    const second = await generate(dir);
    expect(second).toMatchObject({ diagnostics: [], written: [], removed: [] });
    expect(snapshot(output)).toEqual(before);
  });

  test("gives the same bytes in another folder, and by a generator that has seen other versions", async () => {
    await generate(dir);
    const other = createProject({ "src/reader.ts": AGENT.replace("find(", "seek(") });
    const generator = new Generator(other);
    await generator.generate();
    writeFiles(other, { "src/reader.ts": AGENT });
    await generator.generate();
    const texts = (of: string) =>
      Object.fromEntries(
        Object.entries(snapshot(path.join(of, "generated"))).map(([name, text]) => [
          name,
          text.replace(/^\S+ \S+ /, ""),
        ]),
      );
    expect(texts(other)).toEqual(texts(dir));
    expect(JSON.stringify(texts(dir))).not.toContain(dir);
  });

  test("a change writes only the files that it touches", async () => {
    const generator = new Generator(dir);
    await generator.generate();
    writeFiles(dir, { "src/reader.ts": AGENT.replace("Finds.", "Finds it.") });
    const { written } = await generator.generate();
    expect(written).toEqual([
      "generated/agents/reader.ts",
      "generated/client.ts",
      "generated/manifest.json",
      "generated/manifest.ts",
    ]);
  });

  test("a warm generator sees new files, changed imports and deleted files", async () => {
    const generator = new Generator(dir);
    await generator.generate();
    writeFiles(dir, {
      "src/two.ts":
        'import { Agent, tool } from "@computer/framework";\nimport type { T } from "./t.ts";\n@Agent() export class Two { @tool() x(t: T): void {} }',
    });
    expect(summary(await generator.generate())).toEqual([
      expect.stringContaining("CMP1005 src/two.ts:2:24 TS2307"),
    ]);
    writeFiles(dir, { "src/t.ts": "export type T = 'a';" });
    expect((await generator.generate()).written).toContain("generated/agents/two.ts");
    writeFiles(dir, { "src/t.ts": "export type T = () => void;" });
    expect(summary(await generator.generate())).toEqual([expect.stringContaining("CMP1050 src/two.ts:3:39")]);
    rmSync(path.join(dir, "src/t.ts"));
    expect(summary(await generator.generate())).toEqual([
      expect.stringContaining("CMP1005 src/two.ts:2:24 TS2307"),
    ]);
  });

  test("calls at the same time take turns", async () => {
    const generator = new Generator(dir);
    const [first, second] = await Promise.all([generator.generate(), generator.generate()]);
    expect(first.written).not.toEqual([]);
    expect(second).toMatchObject({ diagnostics: [], written: [] });
  });

  test("what is no longer emitted is removed, and nothing else", async () => {
    writeFiles(dir, { "src/two.ts": AGENT.replace("Reader", "Two") });
    await generate(dir);
    writeFiles(dir, { "generated/mine.txt": "kept" });
    rmSync(path.join(dir, "src/two.ts"));
    writeFiles(dir, {
      "package.json": { name: "fixture", type: "module", computer: { deleted: ["TwoObject"] } },
    });
    const { removed, diagnostics } = await generate(dir);
    expect(diagnostics).toEqual([]);
    expect(removed).toEqual(["generated/agents/two.ts"]);
    expect(existsSync(path.join(output, "agents/two.ts"))).toBe(false);
    expect(readFileSync(path.join(output, "mine.txt"), "utf8")).toBe("kept");
  });

  test("a manifest that names files outside makes nothing outside vanish", async () => {
    await generate(dir);
    const file = path.join(output, "manifest.json");
    const manifest = JSON.parse(readFileSync(file, "utf8"));
    manifest.files.push("../src/reader.ts", path.join(dir, "package.json"), "agents/../../tsconfig.json");
    writeFileSync(file, JSON.stringify(manifest));
    expect((await generate(dir)).removed).toEqual([]);
    for (const name of ["src/reader.ts", "package.json", "tsconfig.json"])
      expect(existsSync(path.join(dir, name))).toBe(true);
  });

  test("the generated Env may be imported before it exists, and knows every agent", async () => {
    writeFiles(dir, {
      "src/b.ts":
        'import { Agent } from "@computer/framework";\nimport type { Env } from "../generated/env.ts";\n@Agent() export class Bee { constructor(readonly env: Env) { const { BEE, READER } = env; void BEE; void READER; } }',
      // Cloudflare's global types are not installed here.
      "src/globals.d.ts": "interface DurableObjectNamespace {}\ninterface WorkerLoader {}\n",
    });
    const generator = new Generator(dir);
    const { diagnostics, model } = await generator.generate();
    expect(diagnostics).toEqual([]);
    expect(model?.agents[0]).toMatchObject({ name: "bee", constructorParameters: ["env"] });
    writeFiles(dir, {
      "src/c.ts": 'import { Agent } from "@computer/framework";\n@Agent() export class Cee {}',
    });
    expect((await generator.generate()).written).toContain("generated/env.ts");
  });
});

describe("check", () => {
  test("says what would change and writes nothing", async () => {
    const { written } = await generate(dir, { check: true });
    expect(written).toContain("generated/client.ts");
    expect(existsSync(output)).toBe(false);
    await generate(dir);
    writeFileSync(path.join(output, "client.ts"), "// edited by hand");
    expect((await generate(dir, { check: true })).written).toEqual(["generated/client.ts"]);
    expect(readFileSync(path.join(output, "client.ts"), "utf8")).toBe("// edited by hand");
  });
});

describe("a bad project", () => {
  test("eight different mistakes are reported together, each with code, file, line and column", async () => {
    writeFiles(dir, {
      "src/reader.ts": `import { Agent, tool } from "@computer/framework";
class Db {}
@Agent()
export class Reader {
  constructor(readonly db: Db) {}
  @tool() private hidden(): void {}
  @tool() shelve(options: { when: { callback: () => void } }): void {}
  @tool() then(): void {}
  @tool() spread(...lines: string[]): void {}
}
`,
      "src/writer.ts": `import { Agent, tool } from "@computer/framework";
@Agent()
class Writer {
  @tool() write(text: string): void {}
  @tool({ name: "write" }) rewrite(text: string): void {}
}
`,
      "src/twin.ts": `import { Agent } from "@computer/framework";
@Agent({ name: "reader" })
export class Twin {
  count: number = "many";
}
`,
    });
    const { diagnostics, written } = await generate(dir);
    expect(written).toEqual([]);
    expect(existsSync(output)).toBe(false);
    expect(summary({ diagnostics })).toEqual([
      "CMP1020 src/reader.ts:5:24 The constructor of `Reader` takes `db` of type `Db`.",
      "CMP1030 src/reader.ts:6:19 The tool `Reader.hidden` is private.",
      "CMP1050 src/reader.ts:7:18 `Reader.shelve(options.when.callback)`: a function cannot cross the boundary.",
      "CMP1036 src/reader.ts:8:11 The tool `Reader.then` cannot be called `then`: an object with a `then` method is taken for a promise.",
      "CMP1041 src/reader.ts:9:21 The parameter `lines` of the tool `Reader.spread` takes any number of arguments.",
      "CMP1016 src/twin.ts:3:14 This agent and the one in src/reader.ts:4 are both called `reader`.",
      "CMP1005 src/twin.ts:4:3 TS2322: Type 'string' is not assignable to type 'number'.",
      "CMP1010 src/writer.ts:3:7 The agent `Writer` is not exported by its file.",
      "CMP1037 src/writer.ts:5:28 The tools `Writer.write` (line 4) and `Writer.rewrite` are both called `write`.",
    ]);
  });

  test("leaves the last good output as it is, and is good again when mended", async () => {
    const generator = new Generator(dir);
    await generator.generate();
    const before = snapshot(output);
    writeFiles(dir, { "src/reader.ts": AGENT.replace("@tool()", "@tool() private") });
    expect(summary(await generator.generate())).toEqual([
      expect.stringContaining("CMP1030 src/reader.ts:7:19"),
    ]);
    expect(snapshot(output)).toEqual(before);
    writeFiles(dir, { "src/reader.ts": AGENT });
    expect(await generator.generate()).toMatchObject({ diagnostics: [], written: [] });
  });

  test("a file in the way that codegen did not write is kept", async () => {
    writeFiles(dir, { "generated/worker.ts": "// mine" });
    expect(summary(await generate(dir))).toEqual(["CMP1070 generated/worker.ts was not written by codegen."]);
    expect(readFileSync(path.join(output, "worker.ts"), "utf8")).toBe("// mine");
    expect(readdirSync(output)).toEqual(["worker.ts"]);
  });

  test.each([
    [
      "no tsconfig",
      (at: string) => rmSync(path.join(at, "tsconfig.json")),
      /^CMP1001 There is no tsconfig\.json/,
    ],
    [
      "tsconfig that is no JSON",
      (at: string) => writeFiles(at, { "tsconfig.json": '{ "compilerOptions": { "strict" true } }' }),
      /^CMP1002 tsconfig\.json:1:\d+ /,
    ],
    [
      "tsconfig that extends nothing",
      (at: string) => writeFiles(at, { "tsconfig.json": { extends: "./none.json" } }),
      /^CMP1002 /,
    ],
    [
      "unknown option",
      (at: string) => writeFiles(at, { "tsconfig.json": '{ "compilerOptions": { "sctrict": true } }' }),
      /^CMP1002 tsconfig\.json:1:\d+ /,
    ],
    [
      "package.json that is no JSON",
      (at: string) => writeFiles(at, { "package.json": "{" }),
      /^CMP1007 package\.json cannot be read/,
    ],
    [
      "odd settings",
      (at: string) => writeFiles(at, { "package.json": { computer: { deleted: [1] } } }),
      /^CMP1007 "computer" in package\.json/,
    ],
    ["no source at all", (at: string) => rmSync(path.join(at, "src"), { recursive: true }), /^CMP1004 /],
    ["a folder that is none", (at: string) => rmSync(at, { recursive: true }), /^CMP1001 /],
  ])("%s", async (_, spoil, message) => {
    spoil(dir);
    const found = summary(await generate(dir));
    expect(found).toContainEqual(expect.stringMatching(message));
    if (!existsSync(dir)) mkdirSync(dir);
  });

  test("an agent that vanished is an error until declared, and then never again", async () => {
    await generate(dir);
    writeFiles(dir, { "src/reader.ts": AGENT.replace("class Reader", "class Librarian") });
    expect(summary(await generate(dir))).toEqual([
      expect.stringContaining("CMP1060 The agent `Reader` of src/reader.ts"),
    ]);
    const renamed = AGENT.replace("class Reader", "class Librarian").replace(
      "@Agent()",
      '@Agent({ renamedFrom: "Reader" })',
    );
    writeFiles(dir, { "src/reader.ts": renamed });
    expect((await generate(dir)).diagnostics).toEqual([]);
    const config = readFileSync(path.join(output, "wrangler.jsonc"), "utf8");
    expect(JSON.parse(config.replace(/^\/\/.*$/m, "")).exports).toEqual({
      LibrarianObject: { type: "durable-object", storage: "sqlite" },
      ReaderObject: { type: "durable-object", state: "renamed", renamed_to: "LibrarianObject" },
    });
  });
});
