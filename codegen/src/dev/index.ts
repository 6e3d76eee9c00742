import type { DevArguments } from "../cli/program.ts";

/** `computer dev`: serves a project on this machine. Resolves with the exit code when the server has ended. */
export async function dev(_options: DevArguments): Promise<number> {
  process.stderr.write("`computer dev` is not part of this build.\n");
  return 1;
}
