/**
 * `npm start`: builds, serves examples/quickstart as `computer dev` does, makes the guided call of its tour
 * through the generated client, prints where everything is, and keeps serving. With `--once` it ends after the
 * guided call.
 *
 * Exit codes: 0 done, or stopped when asked to; 1 something failed; 2 the arguments were not understood.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs, parseEnv, styleText } from "node:util";
import { ROOT } from "./lib/packages.ts";

const EXAMPLE = join(ROOT, "examples/quickstart");
const EXAMPLE_NAME = relative(ROOT, EXAMPLE);
const color = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;

const { once, port, persist } = readArguments();
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());

process.exitCode = await main();

async function main(): Promise<number> {
  console.log(`\n${paint("bold", "computer")}  a durable computer for every AI agent\n`);
  const built = performance.now();
  const build = await run(join(ROOT, ".ci/build.ts"), [], { quiet: true });
  if (stop.signal.aborted) return 0;
  if (build.status !== 0) {
    process.stderr.write(build.output);
    return fail("The packages do not build; what the compiler says is above.");
  }
  done("Built the packages", built);

  // Only now, since it is what was built.
  const { dev } = await import(join(ROOT, "codegen/dist/dev/index.js"));
  const served = performance.now();
  let failure = false;
  let toured = Promise.resolve();
  const exitCode: number = await dev({
    project: EXAMPLE,
    signal: stop.signal,
    ...(port !== undefined && { port }),
    ...(persist !== undefined && { persist }),
    onReady(url: string) {
      done(`Generated and served ${EXAMPLE_NAME}`, served);
      toured = tour(url).then((ok) => {
        failure = !ok && !stop.signal.aborted;
        if (once || failure) stop.abort();
      });
    },
  });
  await toured;
  if (failure) return fail("The guided call failed; see above.");
  return exitCode;
}

/** The guided call, and then where everything is. */
async function tour(url: string): Promise<boolean> {
  const token = readToken();
  const { status } = await run(join(EXAMPLE, "tour.ts"), [url], {
    env: token === undefined ? {} : { COMPUTER_TOKEN: token },
  });
  if (status !== 0 || stop.signal.aborted) return status === 0;
  if (once) {
    console.log(`\nDone. ${paint("bold", "npm start")} does the same and keeps serving.`);
    return true;
  }
  const agent = `${url}/agents/reader/tour`;
  const bearer = token === undefined ? "" : ` -H "authorization: Bearer $COMPUTER_TOKEN"`;
  const lines = [
    "",
    `${paint("bold", "Try it")}`,
    `  curl -s ${agent}/tools/topWords${bearer} -d '{"title":"Sonnet 18","limit":3}'`,
    "",
    `  what is here  ${paint("cyan", `${url}/`)}`,
    `  its files     ${paint("cyan", `${agent}/files/shelf/`)}`,
    `  its code      ${EXAMPLE_NAME}/src/reader.ts`,
  ];
  console.log(lines.join("\n"));
  console.log(`\nServing. Change the code and call again; ${paint("bold", "Ctrl-C")} ends it.\n`);
  return true;
}

interface Ended {
  status: number;
  output: string;
}

/** Runs one of our TypeScript files by itself, in a process group that ends when we are told to stop. */
function run(
  file: string,
  args: string[],
  { quiet = false, env = {} }: { quiet?: boolean; env?: Record<string, string> } = {},
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const child = spawn(process.execPath, ["--no-warnings", file, ...args], {
    detached: process.platform !== "win32",
    stdio: quiet ? ["ignore", "pipe", "pipe"] : "inherit",
    env: { ...process.env, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const end = () => kill(child);
  stop.signal.addEventListener("abort", end, { once: true });
  if (stop.signal.aborted) end();
  child.on("error", (error) => resolve({ status: 1, output: error.message }));
  child.on("close", (code) => {
    stop.signal.removeEventListener("abort", end);
    resolve({ status: code ?? 1, output });
  });
  return promise;
}

function kill(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  if (process.platform === "win32") child.kill();
  else process.kill(-child.pid, "SIGKILL");
}

/** A token that the developer has set is enforced here, too, so the tour must have it. It is never printed. */
function readToken(): string | undefined {
  const file = join(EXAMPLE, ".dev.vars");
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")).COMPUTER_TOKEN || undefined : undefined;
}

function readArguments(): { once: boolean; port: number | undefined; persist: string | undefined } {
  try {
    const { values } = parseArgs({
      options: { once: { type: "boolean" }, port: { type: "string" }, persist: { type: "string" } },
    });
    const port = values.port === undefined ? undefined : Number(values.port);
    if (port !== undefined && !(Number.isInteger(port) && port > 0 && port <= 65_535)) {
      throw new Error("--port is a number from 1 to 65535.");
    }
    return { once: values.once ?? false, port, persist: values.persist };
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: npm start -- [--once] [--port N] [--persist DIR]`);
    process.exit(2);
  }
}

function done(what: string, began: number): void {
  const took = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  console.log(`${paint("green", "✓")} ${what} ${paint("dim", took)}`);
}

function fail(text: string): number {
  console.error(`\n${paint("red", "error")} ${text}`);
  return 1;
}

function paint(style: Parameters<typeof styleText>[0], text: string): string {
  return color ? styleText(style, text, { validateStream: false }) : text;
}
