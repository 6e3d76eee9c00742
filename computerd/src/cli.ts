import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type ProbeReport, probe } from "./probe/probe.ts";

const USAGE = `computerd --probe [--json]

  --probe    tells which mount drivers could work on this host, and why not the others;
             exit code 0 when the files could be mounted, 3 when only copying is left
  --json     the same for a program
  --help     this text
  --version  the version

The daemon itself (exec, sync, mount) is not part of this version.`;

/**
 * The command.
 *
 * @returns The exit code: 0, 2 for a bad command line, 3 when no driver can mount.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const options = read(argv);
  if (typeof options === "string") {
    console.error(`${options}\n\n${USAGE}`);
    return 2;
  }
  if (options.help || options.version) {
    console.log(options.help ? USAGE : version());
    return 0;
  }
  if (!options.probe) {
    console.error(USAGE);
    return 2;
  }
  const report = await probe();
  console.log(options.json ? JSON.stringify(report, null, 2) : inWords(report));
  return report.drivers.some(({ driver, usable }) => usable && driver !== "copy") ? 0 : 3;
}

function read(argv: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({ args: [...argv], options: { probe: flag, json: flag, help: flag, version: flag } })
      .values;
  } catch (error) {
    return (error as Error).message;
  }
}

function inWords({ drivers }: ProbeReport): string {
  return drivers
    .map(({ driver, usable, why, mend }) => {
      const hint = mend === undefined ? "" : `\n${" ".repeat(17)}${mend}`;
      return `${usable ? "yes" : "no "}  ${driver.padEnd(11)} ${why}${hint}`;
    })
    .join("\n");
}

function version(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
