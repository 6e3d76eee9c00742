import type { Bash } from "just-bash/browser";
import { LIVE } from "./devices.ts";

/** A parsed script. */
export type Script = Parameters<Parameters<Bash["registerTransformPlugin"]>[0]["transform"]>[0]["ast"];
type Statement = Script["statements"][number];
type Pipeline = Statement["pipelines"][number];
type Command = Pipeline["commands"][number];
type Kind<Type extends Command["type"]> = Extract<Command, { type: Type }>;
type Redirection = Kind<"Group">["redirections"][number];
type Word = NonNullable<Kind<"SimpleCommand">["name"]>;

/** A descriptor that no script uses: opening it is the interpreter's cue to let the rest of the world in. */
const TICK_FD = 973;
/** Commands after which the shell's own output may go elsewhere, or that run text we do not see. */
const BARRIERS: ReadonlySet<string> = new Set(["exec", "eval", "source", ".", "alias", "command", "builtin"]);

/**
 * Makes a script's output live without changing what it means. The interpreter collects a script's output
 * and hands it over at the end; a redirection, though, is written when its command ends. So each command
 * whose output can only be the script's own gets redirections, before any that it has itself, to where
 * that output leaves at once: `ls` becomes `ls >>out 2>>err`. Commands inside pipes, substitutions,
 * redirected blocks and functions are not such; there, the whole pipe, block or call is.
 *
 * After a command that may send the shell's own output elsewhere (`exec >file`; `eval` and others whose text
 * is unknown here; `set -x`, whose trace is not a command's output) the rest of the script is left alone:
 * its output comes at the end. So does what the shell itself complains of between commands.
 */
export function makeLive(script: Script): Script {
  return { ...script, statements: liveBlock(script.statements, LIVE_BOTH) };
}

/**
 * Makes every loop and function of a script open {@link LIVE.tick} on each round, so that a busy script
 * can be interrupted; the group and the descriptor it opens are closed with the round.
 */
export function addTicks(script: Script): Script {
  return { ...script, statements: tickBlock(script.statements) };
}

const LIVE_STDERR: readonly Redirection[] = [append(LIVE.stderr, 2)];
const LIVE_BOTH: readonly Redirection[] = [append(LIVE.stdout, 1), ...LIVE_STDERR];

function liveBlock(statements: readonly Statement[], outputs: readonly Redirection[]): Statement[] {
  let stopped = false;
  return statements.map((statement) => {
    stopped ||= statement.deferredError !== undefined || hasBarrier(statement);
    if (stopped) return statement;
    return {
      ...statement,
      pipelines: statement.pipelines.map((pipeline) => livePipeline(pipeline, outputs)),
    };
  });
}

function livePipeline(pipeline: Pipeline, outputs: readonly Redirection[]): Pipeline {
  if (pipeline.timed) {
    // What `time` says is not output of the command that it times.
    const { timed, timePosix, ...rest } = pipeline;
    const inner: Pipeline = { ...livePipeline(rest, outputs), negated: false, timed };
    if (timePosix !== undefined) inner.timePosix = timePosix;
    return { ...rest, commands: [group([statementOf([inner])], [...LIVE_STDERR], pipeline)] };
  }
  const last = pipeline.commands.length - 1;
  return {
    ...pipeline,
    commands: pipeline.commands.map((command, index) => {
      if (last === 0) return liveCommand(command, outputs);
      if (index === last) return redirected(command, outputs);
      return pipeline.pipeStderr?.[index] ? command : redirected(command, LIVE_STDERR);
    }),
  };
}

function liveCommand(command: Command, outputs: readonly Redirection[]): Command {
  // A definition prints nothing, and a function's own redirections would apply whenever it is called.
  if (command.type === "FunctionDef") return command;
  if (command.type === "SimpleCommand" || command.redirections.some(({ operator }) => !READS.has(operator))) {
    return redirected(command, outputs);
  }
  switch (command.type) {
    case "ArithmeticCommand":
    case "ConditionalCommand":
      return redirected(command, outputs);
    default: {
      // What is left for the block itself is what the shell complains of within it.
      const inner = liveWords(mapBlocks(command, (block) => liveBlock(block, outputs)));
      return { ...inner, redirections: [...LIVE_STDERR, ...inner.redirections] };
    }
  }
}

/** The command with its output going where the given redirections lead, unless it says otherwise itself. */
function redirected(command: Command, outputs: readonly Redirection[]): Command {
  if (command.type === "FunctionDef") return command;
  const inner = command.type === "SimpleCommand" ? liveWords(command) : command;
  // An assignment alone has no output.
  if (inner.type === "SimpleCommand" && inner.name === null) return inner;
  return { ...inner, redirections: [...outputs, ...inner.redirections] };
}

/** A substitution's stderr is the script's own, whatever the command around it does with its output. */
function liveWords<Node>(node: Node): Node {
  return mapScripts(node, (script) => ({ ...script, statements: liveBlock(script.statements, LIVE_STDERR) }));
}

/** Options of `set` that print what is run. */
const TRACES = /^-\w*[xv]|^(xtrace|verbose)$/;
const READS: ReadonlySet<string> = new Set(["<", "<<", "<<-", "<<<"]);

function tickBlock(statements: readonly Statement[]): Statement[] {
  return statements.map((statement) => ({
    ...statement,
    pipelines: statement.pipelines.map((pipeline) => ({
      ...pipeline,
      commands: pipeline.commands.map(tickCommand),
    })),
  }));
}

function tickCommand(command: Command): Command {
  if (command.type === "SimpleCommand") return tickWords(command);
  if (command.type === "FunctionDef") {
    return { ...command, body: ticking(command.body) as typeof command.body };
  }
  const inner = tickWords(mapBlocks(command, tickBlock));
  switch (inner.type) {
    case "For":
    case "CStyleFor":
    case "While":
    case "Until":
      return {
        ...inner,
        body: [statementOf([pipelineOf(group(inner.body, [append(LIVE.tick, TICK_FD)], inner))])],
      };
    default:
      return inner;
  }
}

/** A function's body, with a tick for each call. */
function ticking(body: Kind<"FunctionDef">["body"]): Command {
  const inner = tickCommand(body);
  return inner.type === "Group"
    ? { ...inner, redirections: [append(LIVE.tick, TICK_FD), ...inner.redirections] }
    : group([statementOf([pipelineOf(inner)])], [append(LIVE.tick, TICK_FD)], inner);
}

function tickWords<Node>(node: Node): Node {
  return mapScripts(node, addTicks);
}

/** A node with the scripts inside its words (`$(...)`, `<(...)`) replaced; blocks are left to the caller. */
function mapScripts<Node>(node: Node, map: (script: Script) => Script): Node {
  if (Array.isArray(node)) return node.map((item) => mapScripts(item, map)) as Node;
  if (typeof node !== "object" || node === null) return node;
  if ("type" in node && node.type === "Script") return map(node as unknown as Script) as Node;
  if ("type" in node && node.type === "Statement") return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, mapScripts(value, map)]),
  ) as Node;
}

/** A compound command with each of its blocks replaced. */
function mapBlocks(
  command: Exclude<Command, Kind<"SimpleCommand"> | Kind<"FunctionDef">>,
  map: (block: Statement[]) => Statement[],
): Exclude<Command, Kind<"SimpleCommand"> | Kind<"FunctionDef">> {
  switch (command.type) {
    case "If":
      return {
        ...command,
        clauses: command.clauses.map(({ condition, body }) => ({
          condition: map(condition),
          body: map(body),
        })),
        elseBody: command.elseBody === null ? null : map(command.elseBody),
      };
    case "For":
    case "CStyleFor":
    case "Subshell":
    case "Group":
      return { ...command, body: map(command.body) };
    case "While":
    case "Until":
      return { ...command, condition: map(command.condition), body: map(command.body) };
    case "Case":
      return { ...command, items: command.items.map((item) => ({ ...item, body: map(item.body) })) };
    default:
      return command;
  }
}

/** Whether running this may change where the shell's own output goes, as far as its text shows. */
export function hasBarrier(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasBarrier);
  if (typeof node !== "object" || node === null) return false;
  if ("type" in node && node.type === "SimpleCommand") {
    const { name, args } = node as Kind<"SimpleCommand">;
    const text = name === null ? "" : literal(name);
    if (text === undefined || BARRIERS.has(text)) return true;
    if (text === "set" && args.some((word) => TRACES.test(literal(word) ?? "-x"))) return true;
  }
  return Object.values(node).some(hasBarrier);
}

/** What a word says, if no expansion is needed to know. */
function literal(word: Word): string | undefined {
  let text = "";
  const parts = [...word.parts];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "Escaped":
        text += part.value;
        break;
      case "Glob":
        // The command `[` looks like the beginning of a pattern.
        if (part.pattern !== "[" || word.parts.length > 1) return undefined;
        text += part.pattern;
        break;
      case "DoubleQuoted":
        parts.unshift(...part.parts);
        break;
      default:
        return undefined;
    }
  }
  return text;
}

function group(body: Statement[], redirections: Redirection[], at: { line?: number }): Kind<"Group"> {
  return {
    type: "Group",
    body,
    redirections,
    ...(at.line === undefined ? {} : { line: at.line }),
  };
}

function statementOf(pipelines: Pipeline[]): Statement {
  return { type: "Statement", pipelines, operators: [], background: false };
}

function pipelineOf(command: Command): Pipeline {
  return { type: "Pipeline", commands: [command], negated: false };
}

function append(path: string, fd: number): Redirection {
  return {
    type: "Redirection",
    fd,
    operator: ">>",
    target: { type: "Word", parts: [{ type: "Literal", value: path }] },
  };
}
