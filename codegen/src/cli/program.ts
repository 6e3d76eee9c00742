import { Command, InvalidArgumentError, Option } from "commander";
import { VERSION } from "../version.ts";

/** What the command line asks for, after parsing; one entry per command. */
export interface Commands {
  codegen(options: CodegenArguments): Promise<number>;
  dev(options: DevArguments): Promise<number>;
  doctor(options: DoctorArguments): Promise<number>;
}

/** Arguments of `computer codegen`. */
export interface CodegenArguments {
  readonly project: string;
  readonly check: boolean;
}

/** Arguments of `computer dev`. */
export interface DevArguments {
  readonly project: string;
  /** The port that was asked for; undefined for the default one or the next that is free. */
  readonly port?: number;
  /** The folder of the state; undefined for `.computer/state` of the project. */
  readonly persist?: string;
}

/** Arguments of `computer doctor`. */
export interface DoctorArguments {
  /** The file of the workspace's database. */
  readonly workspace: string;
  readonly json: boolean;
}

/** Where the text of help and of complaints goes. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

/** The grammar of the command line. It calls the commands and hands their exit code on, and does nothing else. */
export function createProgram(
  commands: Commands,
  terminal: Terminal,
  done: (exitCode: number) => void,
): Command {
  const program = new Command("computer")
    .description("Gives each of your agents a durable computer.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError("Run with --help to see what there is.")
    .configureHelp({ showGlobalOptions: false })
    .allowExcessArguments(false);
  const project = () =>
    new Option("--project <dir>", "the project's folder").default(".", "the current folder");

  // `copyInheritedSettings` happens in `command()`, so it must follow the settings above.
  program
    .command("codegen")
    .description("Write the Durable Objects, client, validators and config of a project's agents.")
    .addOption(project())
    .option("--check", "write nothing; exit 1 and list the files that would change", false)
    .action(async (options: CodegenArguments) => done(await commands.codegen(options)));
  program
    .command("dev")
    .description("Serve a project on this machine and follow its changes.")
    .addOption(project())
    .option(
      "--port <number>",
      "the port to serve on; the next free one if it is taken (default: 8787)",
      parsePort,
    )
    .option("--persist <dir>", "where state is kept (default: .computer/state of the project)")
    .action(async (options: DevArguments) => done(await commands.dev(options)));
  program
    .command("doctor")
    .description(
      "Check the database of a workspace that nobody has open; exit 1 if something is wrong with it.",
    )
    .requiredOption("--workspace <file>", "the file, as Workspace.open() takes it")
    .option("--json", "tell the report as JSON", false)
    .action(async (options: DoctorArguments) => done(await commands.doctor(options)));
  return program;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) {
    throw new InvalidArgumentError("A port is a number from 1 to 65535.");
  }
  return port;
}
