import { confirm, isCancel, text } from "@clack/prompts";
import type { Arguments } from "./arguments.ts";
import { Failure } from "./failure.ts";
import { programExists } from "./programs.ts";
import { checkTarget, type Target } from "./target.ts";

/** What the person chose. */
export interface Choices {
  target: Target;
  install: boolean;
  git: boolean;
}

const DEFAULT_NAME = "my-agent";

/**
 * Makes the choices that the command line leaves open: by asking, or by the defaults when nobody can or
 * wants to be asked.
 */
export async function choose(given: Arguments, ask: boolean): Promise<Choices> {
  if (given.target !== undefined) checkTarget(given.target); // before any question
  const target = given.target ?? (ask ? await askName() : DEFAULT_NAME);
  const checked = checkTarget(target);
  const git = given.git !== false && programExists("git");
  return {
    target: checked,
    install: given.install ?? (ask ? await askYesNo("Install the packages now?") : true),
    git: given.git === undefined && ask && git ? await askYesNo("Make it a git repository?") : git,
  };
}

async function askName(): Promise<string> {
  const answer = await text({
    message: "What is your agent's project called?",
    placeholder: DEFAULT_NAME,
    defaultValue: DEFAULT_NAME,
    validate(value) {
      try {
        checkTarget(value || DEFAULT_NAME);
      } catch (error) {
        if (error instanceof Failure) return `${error.message} ${error.mend}`;
        throw error;
      }
    },
  });
  return unlessCancelled(answer);
}

async function askYesNo(message: string): Promise<boolean> {
  return unlessCancelled(await confirm({ message, initialValue: true }));
}

function unlessCancelled<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Failure("Cancelled.", "Nothing was created.", 130);
  return answer as Exclude<T, symbol>;
}
