import path from "node:path";
import { printDiagnostics } from "../diagnostics/print.ts";
import { generate } from "../generate.ts";
import type { CodegenArguments, Terminal } from "./program.ts";

/** `computer codegen`: generates, and tells what it did. */
export async function runCodegen({ project, check }: CodegenArguments, terminal: Terminal): Promise<number> {
  const started = performance.now();
  const { diagnostics, written, removed } = await generate(path.resolve(project), { check });
  if (diagnostics.length > 0) {
    terminal.err(
      `${printDiagnostics(diagnostics, { color: process.stderr.isTTY && !process.env.NO_COLOR })}\n`,
    );
    return 1;
  }
  const changes = [
    ...written.map((file) => `  write  ${file}`),
    ...removed.map((file) => `  remove ${file}`),
  ];
  if (check && changes.length > 0) {
    terminal.err(`Not up to date; run \`computer codegen\`:\n${changes.join("\n")}\n`);
    return 1;
  }
  const took = `(${Math.round(performance.now() - started)} ms)`;
  terminal.out(
    changes.length === 0 ? `Up to date ${took}.\n` : `${changes.join("\n")}\nGenerated ${took}.\n`,
  );
  return 0;
}
