import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { describe, expect, test } from "vitest";
import { type CodeBlock, codeBlocks } from "./lib/code-blocks.ts";
import { projectFiles } from "./lib/files.ts";
import { ROOT } from "./lib/packages.ts";

/**
 * The code of the READMEs. ` ```ts run ` and ` ```sh run ` blocks run and must end well; where a block
 * ` ```text output ` follows, they must print that. All other ts blocks must at least parse.
 */
const documents = projectFiles().filter((file) => /(^|\/)README\.md$/.test(file));

describe.each(documents)("%s", (file) => {
  const blocks = codeBlocks(readFileSync(join(ROOT, file), "utf8"));
  const code = blocks.filter(
    ({ language, words }) => /^(ts|sh)$/.test(language) && (language === "ts" || words.includes("run")),
  );
  test.each(code.map((block) => ({ block, name: `${block.language} at line ${block.line}` })))(
    "$name",
    async ({ block }) => {
      const program = block.language === "ts" ? await compile(block) : block.code;
      if (!block.words.includes("run")) return;
      const next = blocks[blocks.indexOf(block) + 1];
      const printed = block.language === "ts" ? await runModule(program, file) : await runShell(program);
      if (next?.words.includes("output")) expect(printed).toBe(next.code);
    },
  );
  if (code.length === 0) test("has no code to run", () => expect(code).toEqual([]));
});

/** To JavaScript with esbuild, since agents have decorators, which Node cannot strip. */
async function compile({ code, line }: CodeBlock): Promise<string> {
  const tsconfigRaw = { compilerOptions: { experimentalDecorators: true, verbatimModuleSyntax: true } };
  const options = {
    loader: "ts",
    format: "esm",
    target: "node24",
    sourcefile: `line ${line}`,
    tsconfigRaw,
  } as const;
  return (await transform(code, options)).code;
}

/** Below the README, so that imports resolve as for a reader; in a folder that git ignores. */
async function runModule(program: string, file: string): Promise<string> {
  const parent = join(ROOT, dirname(file), ".computer");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "readme-"));
  try {
    writeFileSync(join(folder, "block.mjs"), program);
    return await run(process.execPath, ["--conditions=@computer/source", join(folder, "block.mjs")], folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runShell(program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "readme-"));
  try {
    return await run("bash", ["-euo", "pipefail", "-c", program], folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a program prints; when it fails, an error with what it said. */
async function run(file: string, args: string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { cwd, timeout: 15_000 });
  return stdout;
}
