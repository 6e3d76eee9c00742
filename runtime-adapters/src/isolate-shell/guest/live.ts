import type { Bash } from "just-bash/browser";
import { LIVE } from "./devices.ts";

type Script = Parameters<Parameters<Bash["registerTransformPlugin"]>[0]["transform"]>[0]["ast"];
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
 * and hands it over at the end; a redirection, though, is written when its command ends. So each pipeline
 * whose output can only be the script's own goes into a group, `{ ...; } >>out 2>>err`: one that is not
 * itself part of a pipe, a substitution, a redirection or a function. A group starts no subshell, so
 * variables, `$?`, `set -e`, `exit`, `break` and standard input are as before.
 *
 * After a command that may send the shell's own output elsewhere (`exec >file`, and `eval` and others
 * whose text is unknown here) the rest of the script is left alone: its output comes at the end.
 */
export function makeLive(script: Script): Script {
  return { ...script, statements: liveBlock(script.statements, { stopped: false }) };
}

/**
 * Makes every loop and function of a script open {@link LIVE.tick} on each round, so that a busy script
 * can be interrupted; the group and the descriptor it opens are closed with the round.
 */
export function addTicks(script: Script): Script {
  return { ...script, statements: tickBlock(script.statements) };
}

interface Progress {
  stopped: boolean;
}

function liveBlock(statements: readonly Statement[], progress: Progress): Statement[] {
  return statements.map((statement) => {
    if (!progress.stopped && hasBarrier(statement)) progress.stopped = true;
    if (progress.stopped || statement.deferredError !== undefined) return statement;
    return { ...statement, pipelines: statement.pipelines.map(livePipeline) };
  });
}

function livePipeline(pipeline: Pipeline): Pipeline {
  const [first] = pipeline.commands;
  const alone = pipeline.commands.length === 1 ? first : undefined;
  // A definition prints nothing, and a function's own redirections would apply whenever it is called.
  if (alone?.type === "FunctionDef") return pipeline;
  const inner = alone === undefined ? pipeline : { ...pipeline, commands: [liveInside(alone)] };
  // `!` stays outside: it keeps the status from counting for `set -e`.
  return {
    type: "Pipeline",
    negated: pipeline.negated,
    commands: [
      group([{ ...inner, negated: false }], [append(LIVE.stdout, 1), append(LIVE.stderr, 2)], pipeline),
    ],
    ...(pipeline.line === undefined ? {} : { line: pipeline.line }),
  };
}

/** The blocks of a compound command whose output is the script's own. */
function liveInside(command: Command): Command {
  if (command.type === "SimpleCommand" || command.type === "FunctionDef") return command;
  if (command.redirections.some((redirection) => !READS.has(redirection.operator))) return command;
  return mapBlocks(command, (block) => liveBlock(block, { stopped: false }));
}

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
    : group([pipelineOf(inner)], [append(LIVE.tick, TICK_FD)], inner);
}

/** Reaches the scripts inside words: `$(...)`, `<(...)`. */
function tickWords<Node>(node: Node): Node {
  if (Array.isArray(node)) return node.map(tickWords) as Node;
  if (typeof node !== "object" || node === null) return node;
  if ("type" in node && node.type === "Script") return addTicks(node as unknown as Script) as Node;
  // Blocks were seen to by the caller.
  if ("type" in node && node.type === "Statement") return node;
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, tickWords(value)])) as Node;
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

/** Whether running the statement may change where the shell's own output goes, as far as its text shows. */
function hasBarrier(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasBarrier);
  if (typeof node !== "object" || node === null) return false;
  if ("type" in node && node.type === "SimpleCommand") {
    const { name } = node as Kind<"SimpleCommand">;
    const text = name === null ? "" : literal(name);
    if (text === undefined || BARRIERS.has(text)) return true;
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
      case "DoubleQuoted":
        parts.unshift(...part.parts);
        break;
      default:
        return undefined;
    }
  }
  return text;
}

function group(
  body: readonly (Pipeline | Statement)[],
  redirections: Redirection[],
  at: { line?: number },
): Kind<"Group"> {
  const statements = body.map((item) => (item.type === "Statement" ? item : statementOf([item as Pipeline])));
  return {
    type: "Group",
    body: statements as Statement[],
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
