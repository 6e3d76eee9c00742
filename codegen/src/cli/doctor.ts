import type { DoctorArguments, Terminal } from "./program.ts";

/** `computer doctor`: checks a workspace's file, and tells what is wrong with it. */
export async function runDoctor(
  { workspace: file, json }: DoctorArguments,
  terminal: Terminal,
): Promise<number> {
  const { existsSync } = await import("node:fs");
  const { ComputerError, Workspace } = await import("@computer/framework");
  if (!existsSync(file)) {
    terminal.err(`There is no file ${file}.\n`);
    return 1;
  }
  const started = performance.now();
  try {
    await using workspace = await Workspace.open(file);
    const report = await workspace.check({ pages: true });
    if (json) terminal.out(`${JSON.stringify(report, undefined, 2)}\n`);
    else terminal.out(describe(file, report, performance.now() - started));
    return report.ok ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ComputerError)) throw error;
    terminal.err(`${error.code}: ${error.message}\n`);
    return 1;
  }
}

function describe(
  file: string,
  { ok, problems, truncated, checked }: import("@computer/framework").CheckReport,
  ms: number,
): string {
  const { nodes, entries, chunks, versions } = checked;
  const looked = `${nodes} nodes, ${entries} entries, ${chunks} chunks, ${versions} old versions (${Math.round(ms)} ms)`;
  if (ok) return `${file} is sound: ${looked}.\n`;
  const lines = problems.map(
    ({ code, where, what }) => `  ${code.padEnd(13)} ${printable(where)}: ${printable(what)}`,
  );
  const count = `${problems.length}${truncated ? " and more" : ""} problem${problems.length === 1 ? "" : "s"}`;
  return `${count} in ${file}, of ${looked}:\n${lines.join("\n")}\n`;
}

/** A file's name may hold what would move a terminal's cursor. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
