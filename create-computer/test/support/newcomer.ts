import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Names an environment variable that every process of a newcomer carries, so that none escapes us. */
const MARK = "COMPUTER_TEST_NEWCOMER";

/** Somebody with a fresh account: an empty home, an empty npm cache, no settings but the registry. */
export class Newcomer {
  /** Where the newcomer works. */
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #mark = crypto.randomUUID();

  /**
   * @param root An empty folder for all that is the newcomer's.
   * @param registry The one line of npm settings.
   */
  constructor(root: string, registry: string) {
    this.folder = join(root, "work");
    const home = join(root, "home");
    for (const folder of [this.folder, home]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(home, ".npmrc"), `registry=${registry}\n`);

    // Nothing of the `npm run` that we may run under, neither its settings nor this repository's commands.
    const own = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_|VITEST)/i.test(name));
    const path = (process.env.PATH ?? "")
      .split(delimiter)
      .filter((folder) => !folder.includes("node_modules"));
    this.#env = {
      ...Object.fromEntries(own),
      PATH: path.join(delimiter),
      HOME: home,
      USERPROFILE: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      XDG_CACHE_HOME: join(home, ".cache"),
      CI: "true",
      [MARK]: this.#mark,
    };
  }

  /** Runs a command to its end. @throws When it fails, with what it printed. */
  async run(command: string, args: string[], cwd: string = this.folder): Promise<string> {
    const child = this.start(command, args, cwd);
    const { code, output } = await child.done;
    if (code !== 0) throw new Error(`${[command, ...args].join(" ")} ended with ${code}:\n${output}`);
    return output;
  }

  /** Starts a command in a process group of its own, as a terminal does. */
  start(command: string, args: string[], cwd: string = this.folder): Started {
    const child = spawn(command, args, {
      cwd,
      env: this.#env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    return new Started(child);
  }

  /** The newcomer's processes that are alive, as `pid command line`; none is known of on other systems than Linux. */
  processes(): string[] {
    if (process.platform !== "linux") return [];
    return readdirSync("/proc").flatMap((pid) => {
      if (!/^\d+$/.test(pid)) return [];
      try {
        if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(this.#mark)) return [];
        readlinkSync(`/proc/${pid}/exe`); // a zombie has none
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()}`];
      } catch {
        return [];
      }
    });
  }

  /** Ends what is still alive. */
  killAll(): void {
    for (const line of this.processes()) {
      try {
        process.kill(Number.parseInt(line, 10), "SIGKILL");
      } catch {
        // it ended by itself
      }
    }
  }
}

/** A started command. */
export class Started {
  /** What it printed so far, both streams. */
  output = "";
  /** Its end. */
  readonly done: Promise<{ code: number | null; signal: NodeJS.Signals | null; output: string }>;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    const keep = (data: Buffer) => {
      this.output += data;
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    this.done = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal, output: this.output }));
    });
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** What Ctrl-C in a terminal does: SIGINT to the whole group in the foreground. */
  interrupt(): void {
    process.kill(-(this.#child.pid as number), "SIGINT");
  }
}
