import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { DRIVER_CHOICES, type DriverChoice, mountTree } from "./mount/select.ts";
import { MountError } from "./mount/types.ts";
import { type ProbeReport, probe } from "./probe/probe.ts";

const USAGE = `computerd --path FOLDER --store FOLDER [--mount DRIVER]
computerd --probe [--json]

  --path     the folder at which the tree appears
  --store    the folder that holds it between starts
  --mount    auto (the best that works; the default), kernel, fuse-native or copy
  --probe    tells which mount drivers could work on this host, and why not the others;
             exit code 0 when the files could be mounted, 3 when only copying is left
  --json     the same for a program
  --help     this text
  --version  the version

It serves until it gets SIGTERM or SIGINT, or the folder is unmounted. Exec and sync are not part of
this version.`;

/**
 * The command.
 *
 * @returns The exit code: 0, 1 when mounting failed or the mount was taken away, 2 for a bad command line,
 * 3 when no driver can mount.
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
  if (options.probe) {
    const report = await probe();
    console.log(options.json ? JSON.stringify(report, null, 2) : inWords(report));
    return report.drivers.some(({ driver, usable }) => usable && driver !== "copy") ? 0 : 3;
  }
  const { path, store, mount } = options;
  if (path === undefined || store === undefined) {
    console.error(USAGE);
    return 2;
  }
  if (!isChoice(mount)) {
    console.error(`--mount ${mount}: it is one of ${DRIVER_CHOICES.join(", ")}\n\n${USAGE}`);
    return 2;
  }
  return serve(path, store, mount);
}

async function serve(path: string, store: string, driver: DriverChoice): Promise<number> {
  // Signals count from the first moment: nothing may be left mounted.
  const asked = Promise.withResolvers<void>();
  const stop = () => asked.resolve();
  process.on("SIGTERM", stop).on("SIGINT", stop);
  // An event loop with nothing to wait for would end.
  const stay = setInterval(() => {}, 2 ** 30);
  try {
    const mount = await mountTree({ path, store, driver, log: (line) => console.log(line) });
    const reason = await Promise.race([asked.promise, mount.ended]);
    await mount.close();
    if (reason === undefined) return 0;
    console.error(`computerd: the mount at ${mount.path} has ended: ${reason}`);
    return 1;
  } catch (error) {
    if (!(error instanceof MountError)) throw error;
    console.error(`computerd: ${error.message}`);
    return error.code === "ERR_MOUNT_IMPOSSIBLE" ? 3 : 1;
  } finally {
    clearInterval(stay);
    process.off("SIGTERM", stop).off("SIGINT", stop);
  }
}

function read(argv: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args: [...argv],
      options: {
        path: text,
        store: text,
        mount: { ...text, default: "auto" },
        probe: flag,
        json: flag,
        help: flag,
        version: flag,
      },
    }).values;
  } catch (error) {
    return (error as Error).message;
  }
}

function isChoice(name: string): name is DriverChoice {
  return (DRIVER_CHOICES as readonly string[]).includes(name);
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
