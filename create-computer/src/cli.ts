import { relative } from "node:path";
import { spinner } from "@clack/prompts";
import { readArguments, USAGE } from "./arguments.ts";
import { type Choices, choose } from "./choices.ts";
import { createProject, type Progress } from "./create.ts";
import { Failure } from "./failure.ts";
import { programExists } from "./programs.ts";
import { VERSION } from "./template.ts";

/**
 * The command: reads the command line, asks what it leaves open when somebody sits there, creates the
 * project, says how to go on.
 *
 * @returns The exit code: 0, 1 for what went wrong, 2 for a bad command line, 130 when interrupted.
 */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const given = readArguments(argv);
    if (given.help || given.version) {
      console.log(given.help ? USAGE : VERSION);
      return 0;
    }
    const interactive = Boolean(process.stdin.isTTY && process.stdout.isTTY) && !process.env.CI;
    if (!interactive && !given.yes) console.log("Nobody to ask here: taking the defaults, as with --yes.");
    await create(await choose(given, interactive && !given.yes), interactive);
    return 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`${error.message}\n${error.mend}`);
    return error.exitCode;
  }
}

async function create(choices: Choices, interactive: boolean): Promise<void> {
  const { target, install, git } = choices;
  if (install && !programExists("npm")) {
    throw new Failure("npm is not installed.", "Install Node with npm, or use --no-install.");
  }
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, stop);
  const show = interactive ? spinnerProgress() : lineProgress();
  const started = performance.now();
  try {
    await createProject({ target, template: "basic", install, git }, show.step, interrupt.signal);
  } catch (error) {
    show.end("failed");
    if (interrupt.signal.aborted) throw new Failure("Interrupted.", "Nothing was left behind.", 130);
    throw fileFailure(error) ?? error;
  } finally {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.removeListener(name, stop);
  }
  show.end(`created ${target.name} in ${((performance.now() - started) / 1000).toFixed(1)} s`);

  const folder = relative(process.cwd(), target.folder);
  const steps = [
    ...(folder === ""
      ? []
      : [`cd ${/^[\w./-]+$/.test(folder) ? folder.replace(/^-/, "./-") : JSON.stringify(folder)}`]),
    ...(install ? [] : ["npm install"]),
    "npm test       # runs the agent's tests",
    "npm run dev    # serves the agent on this machine",
  ];
  console.log(["", "Next:", ...steps.map((step) => `  ${step}`)].join("\n"));
}

/** What the file system refused, in words. */
function fileFailure(error: unknown): Failure | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new Failure("The disk is full.", "Make room first; nothing was left behind.", 1, { cause: error });
  }
  if (code === undefined || !/^E[A-Z]+$/.test(code)) return undefined;
  return new Failure(message, "Nothing was left behind.", 1, { cause: error });
}

interface Show {
  step: Progress;
  end(text: string): void;
}

function lineProgress(): Show {
  return { step: (text) => console.log(`${text} ...`), end: (text) => console.log(text) };
}

function spinnerProgress(): Show {
  const spin = spinner({ indicator: "timer" });
  let running = false;
  return {
    step(text) {
      if (running) spin.message(text);
      else spin.start(text);
      running = true;
    },
    end(text) {
      if (running) spin.stop(text);
    },
  };
}
