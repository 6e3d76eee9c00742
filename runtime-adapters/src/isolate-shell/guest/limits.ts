import type { BashOptions } from "just-bash/browser";

const MIB = 1024 * 1024;

/**
 * The interpreter's own bounds. An isolate has 128 MiB, and a string of text may take two bytes per
 * character; time is bounded by the run, which can interrupt any loop.
 */
export const EXECUTION_LIMITS: NonNullable<BashOptions["executionLimits"]> = {
  maxSourceBytes: 4 * MIB,
  maxCallDepth: 100,
  maxCommandCount: 10_000_000,
  maxLoopIterations: 10_000_000,
  maxAwkIterations: 1_000_000,
  maxSedIterations: 1_000_000,
  maxJqIterations: 1_000_000,
  maxWorkUnits: 100_000_000,
  maxStringLength: 16 * MIB,
  maxHeredocSize: 16 * MIB,
  maxLiveBytes: 48 * MIB,
  maxInputBytes: 1024 * MIB,
  // Counts what goes into files too.
  maxOutputSize: 64 * MIB,
  maxArchiveBytes: 48 * MIB,
  maxArchiveCompressedBytes: 24 * MIB,
  maxArchiveEntryBytes: 24 * MIB,
  maxArrayElements: 1_000_000,
  maxGlobOperations: 100_000,
  maxTraversalEntries: 200_000,
  maxBraceExpansionResults: 250_000,
  // The runtime's own clock is the judge; this is a net below it.
  maxExecutionTimeMs: 24 * 3_600_000,
};

/** How the interpreter's last words, or those of a command of its own, name the bound that they came up against. */
const SIGNS: readonly RegExp[] = [
  /^bash: (.*), increase executionLimits\.\w+$/m,
  /^(?:bash: )?(.*(?:limit exceeded|exceeded limit|exceeded maximum|maximum recursion depth|too many).*)$/m,
];

/** The bound that ended a run, in words, if one did: exit status 126 and a sign among its last words. */
export function limitIn(exitCode: number, lastWords: string): string | undefined {
  if (exitCode !== 126) return undefined;
  for (const sign of SIGNS) {
    const words = sign.exec(lastWords)?.[1];
    if (words !== undefined) return `The shell stopped the script: ${words}.`;
  }
  return undefined;
}
