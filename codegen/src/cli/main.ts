import { CommanderError } from "commander";
import { runCodegen } from "./codegen.ts";
import { createProgram, type Terminal } from "./program.ts";

/** The exit code of a command line that is not understood. */
const USAGE = 2;

/**
 * Runs the `computer` command.
 *
 * @param args What follows the command's name.
 * @returns The exit code: 0 done, 1 the project has problems, 2 the command line was not understood.
 *
 * @example
 * ```ts
 * process.exitCode = await main(["codegen", "--check"]);
 * ```
 */
export async function main(args: readonly string[], terminal: Terminal = standardTerminal): Promise<number> {
  let exitCode = 0;
  const program = createProgram(
    {
      codegen: (options) => runCodegen(options, terminal),
      // Its dependencies are loaded by this command only.
      dev: async (options) => (await import("../dev/index.ts")).dev(options),
      doctor: async (options) => (await import("./doctor.ts")).runDoctor(options, terminal),
    },
    terminal,
    (code) => {
      exitCode = code;
    },
  );
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help that was asked for exits 0; help for want of a command does not.
    return error.exitCode === 0 ? 0 : USAGE;
  }
  return exitCode;
}

const standardTerminal: Terminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
};
