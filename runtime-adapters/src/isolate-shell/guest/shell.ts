import { Bash, getCommandNames } from "just-bash/browser";
import type { GuestHost, GuestOutcome, GuestRequest } from "../protocol.ts";
import { encodeText, latin1FromBytes } from "./bytes.ts";
import { OUR_COMMANDS } from "./commands/index.ts";
import { Devices } from "./devices.ts";
import { FileError, reason, ShellError } from "./errors.ts";
import { GuestFiles } from "./files.ts";
import { EXECUTION_LIMITS, limitIn } from "./limits.ts";
import { addTicks, makeLive } from "./live.ts";
import { Output } from "./output.ts";
import { RefusedScript, repair } from "./repairs.ts";
import { inPlainWords } from "./words.ts";

/** Commands that need what an isolate does not have, or that are not worth their weight. */
const LEFT_OUT: ReadonlySet<string> = new Set(["sqlite3", "html-to-markdown", "tar", "clear"]);
const COMMANDS = getCommandNames().filter((name) => !LEFT_OUT.has(name));
const COMMAND_NAMES: ReadonlySet<string> = new Set([...COMMANDS, ...OUR_COMMANDS.map(({ name }) => name)]);
/** After so many steps of a script the rest of the world gets its turn. */
const STEPS_PER_TURN = 64;
/** How much of the end of stderr is looked at for the interpreter's last words. */
const LAST_WORDS = 2048;

/**
 * Runs one script in a fresh interpreter over the files that the host lends it. With `live: false` all output
 * comes at the end, which is there to compare with.
 */
export async function runShell(
  request: GuestRequest,
  host: GuestHost,
  { live = true }: { live?: boolean } = {},
): Promise<GuestOutcome> {
  const stop = new AbortController();
  host.stopped().then(
    () => stop.abort(),
    () => stop.abort(),
  );
  const output = new Output(host, request.maxOutputBytes);
  let lastWords = "";
  const hear = (stream: "stdout" | "stderr", data: Uint8Array) => {
    if (stream === "stdout") return output.write(stream, data);
    lastWords = (lastWords + latin1FromBytes(data.subarray(-LAST_WORDS))).slice(-LAST_WORDS);
    return output.write(stream, inPlainWords(data));
  };
  const outcome = (exitCode: number, limit?: string): GuestOutcome => ({
    exitCode,
    droppedBytes: output.droppedBytes,
    ...(limit === undefined ? {} : { limit }),
  });
  const bash = interpreter(request, host, { output: hear, tick: turns(stop.signal) }, live);
  try {
    const result = await bash.exec(request.source, {
      rawScript: true,
      stdin: latin1FromBytes(request.stdin),
      stdinKind: "bytes",
      signal: stop.signal,
    });
    await hear("stdout", encodeText(result.stdout));
    await hear("stderr", encodeText(result.stderr));
    const limit = limitIn(result.exitCode, lastWords);
    return outcome(result.exitCode, limit);
  } catch (error) {
    if (error instanceof ShellError || error instanceof FileError) {
      const message = error instanceof ShellError ? error.message : `bash: ${reason(error)}`;
      await hear("stderr", encodeText(`${message}\n`));
      return outcome(1);
    }
    if (!(error instanceof RefusedScript)) throw error;
    await hear("stderr", encodeText(`bash: ${error.message}\n`));
    return outcome(126, `The shell did not run the script: ${error.message}.`);
  } finally {
    await output.flush();
  }
}

function interpreter(
  request: GuestRequest,
  host: GuestHost,
  hooks: ConstructorParameters<typeof Devices>[0],
  live: boolean,
): Bash {
  const bash = new Bash({
    fs: new GuestFiles(host, new Devices(hooks), COMMAND_NAMES),
    cwd: request.cwd,
    env: { ...request.env },
    commands: COMMANDS as NonNullable<ConstructorParameters<typeof Bash>[0]>["commands"] & string[],
    customCommands: OUR_COMMANDS,
    executionLimits: EXECUTION_LIMITS,
    defenseInDepth: false,
  });
  let outermost = live;
  bash.registerTransformPlugin({
    name: "live",
    transform({ ast }) {
      // Scripts within the script (`bash -c`, `xargs`) may be captured: only the outermost is live.
      const script = outermost ? makeLive(repair(ast)) : repair(ast);
      outermost = false;
      return { ast: addTicks(script) };
    },
  });
  return bash;
}

/** Lets timers and answers in from time to time, and ends the script once the run must stop. */
function turns(signal: AbortSignal): () => Promise<void> {
  let steps = 0;
  return async () => {
    if (++steps % STEPS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
  };
}
