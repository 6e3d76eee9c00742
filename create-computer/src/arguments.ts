import { parseArgs } from "node:util";
import { Failure } from "./failure.ts";

/** What the command line asks for. A choice that it leaves open is `undefined`. */
export interface Arguments {
  target: string | undefined;
  yes: boolean;
  install: boolean | undefined;
  git: boolean | undefined;
  help: boolean;
  version: boolean;
}

export const USAGE = `npm create computer [FOLDER] -- [OPTIONS]

Creates the project of an agent that has its own durable computer.

  FOLDER            where; its last part becomes the project's name (my-agent)
  -y, --yes         ask nothing, take the defaults: install, git init
      --no-install  do not run npm install
      --no-git      do not run git init
  -h, --help        this text
  -v, --version     the version`;

/**
 * Reads a command line.
 *
 * @throws {Failure} For an unknown option or a second folder; exit code 2.
 *
 * @example
 * readArguments(["my-agent", "--yes"]).target; // "my-agent"
 */
export function readArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = parse(argv);
  if (positionals.length > 1) {
    throw new Failure(`One folder, please; these are ${positionals.length}.`, "Quote a name with spaces.", 2);
  }
  return {
    target: positionals[0],
    yes: values.yes ?? false,
    install: values["no-install"] ? false : undefined,
    git: values["no-git"] ? false : undefined,
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        yes: { type: "boolean", short: "y" },
        "no-install": { type: "boolean" },
        "no-git": { type: "boolean" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
      },
    });
  } catch (error) {
    throw new Failure((error as Error).message, "See --help.", 2, { cause: error });
  }
}
