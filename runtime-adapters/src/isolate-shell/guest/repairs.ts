import { hasBarrier, type Script } from "./live.ts";

/** The most items of a range that the interpreter expands; of a longer one it silently drops the rest. */
const INTERPRETER_RANGE = 10_000;
/** The most items of a range that we expand for it. */
const MAX_RANGE = 100_000;

/** A script that is not run because it would come out wrong; the message is for whoever wrote it. */
export class RefusedScript extends Error {}

/**
 * Mends a script where the interpreter would give another result than bash: brace ranges of more than
 * 10,000 items, which it cuts short; octal escapes in the format of `printf`, which it takes for characters
 * instead of bytes; bytes that a command sends to stderr, which it takes for characters as well; a file that a
 * redirection cannot open, which ends the script unless it is in a block.
 *
 * @throws RefusedScript for a range that is too long to expand.
 */
export function repair(script: Script): Script {
  // Once `exec` has redirected the shell, the interpreter would not heed a redirected block.
  const move = hasBarrier(script) ? (command: Command) => command : toStderr;
  return repairNode(script, move) as Script;
}

interface Range {
  type: "Range";
  start: string | number;
  end: string | number;
  step?: number;
  startStr?: string;
  endStr?: string;
}

function repairNode(node: unknown, move: (command: Command) => Command): unknown {
  if (Array.isArray(node)) return node.map((item) => repairNode(item, move));
  if (typeof node !== "object" || node === null) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, repairNode(value, move)]),
  );
  if (copy.type === "BraceExpansion")
    copy.items = (copy.items as (Range | { type: "Word" })[]).flatMap(longRange);
  if (copy.type === "SimpleCommand") copy.args = printfBytes(copy as unknown as Command);
  if (copy.type === "Pipeline") copy.commands = (copy.commands as Command[]).map(move).map(guarded);
  return copy;
}

/** Operators that open a file to write. */
const WRITES: ReadonlySet<string> = new Set([">", ">>", ">|", "&>", "&>>", "<>"]);

/** The command in a block of its own if a redirection of it may fail. */
function guarded(command: Command): Command {
  if (!command.redirections.some(({ operator }) => WRITES.has(operator))) return command;
  // What `exec` redirects is the shell itself; a definition's redirections belong to its calls.
  if (command.type === "FunctionDef" || literalName(command) === "exec") return command;
  return group(command, []);
}

/** Commands whose output is text, so that it comes through `>&2` as it is. */
const SPEAKERS: ReadonlySet<string | undefined> = new Set(["echo", "printf", "exec"]);

/** The command in a block that sends its output to stderr: on its own, it would take bytes for characters. */
function toStderr(command: Command): Command {
  const isMoved = command.redirections.some(({ operator, fd }) => operator === ">&" && (fd ?? 1) === 1);
  if (!isMoved || command.type !== "SimpleCommand" || SPEAKERS.has(literalName(command))) return command;
  return group({ ...command, redirections: [] }, command.redirections);
}

function group(command: Command, redirections: Command["redirections"]): Command {
  const pipeline = { type: "Pipeline", commands: [command], negated: false };
  const statement = { type: "Statement", pipelines: [pipeline], operators: [], background: false };
  return { type: "Group", body: [statement], redirections } as unknown as Command;
}

function longRange(item: Range | { type: "Word" }): unknown[] {
  if (item.type !== "Range" || typeof item.start !== "number" || typeof item.end !== "number") return [item];
  const { start, end } = item;
  const step = Math.max(1, Math.abs(item.step ?? 1));
  const count = Math.floor(Math.abs(end - start) / step) + 1;
  if (count <= INTERPRETER_RANGE) return [item];
  if (count > MAX_RANGE) {
    throw new RefusedScript(
      `the brace range {${start}..${end}} has ${count} items; at most ${MAX_RANGE} are allowed. Use seq or a loop`,
    );
  }
  // A leading zero on either side pads both to the longer one.
  const bounds = [item.startStr ?? "", item.endStr ?? ""];
  const width = bounds.some((bound) => /^-?0\d/.test(bound))
    ? Math.max(...bounds.map(({ length }) => length))
    : 0;
  const direction = end < start ? -step : step;
  return Array.from({ length: count }, (_, index) => {
    const number = start + index * direction;
    const digits = String(Math.abs(number)).padStart(number < 0 ? width - 1 : width, "0");
    const value = number < 0 ? `-${digits}` : digits;
    return { type: "Word", word: { type: "Word", parts: [{ type: "Literal", value }] } };
  });
}

interface Command {
  type: string;
  redirections: { operator: string; fd: number | null }[];
  name?: { parts: Part[] } | null;
  args: { parts: Part[] }[];
}
interface Part {
  type: string;
  value?: string;
  parts?: Part[];
}

/** Writes `\377` in the format of `printf` as `\xff`, which the interpreter takes for a byte. */
function printfBytes(command: Command): unknown {
  const { args } = command;
  if (literalName(command) !== "printf") return args;
  return args.map((word) => ({ ...word, parts: word.parts.map(octalToHex) }));
}

function octalToHex(part: Part): Part {
  if (part.parts !== undefined) return { ...part, parts: part.parts.map(octalToHex) };
  if (part.type !== "SingleQuoted" && part.type !== "Literal") return part;
  return {
    ...part,
    value: (part.value ?? "").replace(/\\(?:([0-3][0-7]{2})|.)/gs, (sequence, octal?: string) => {
      const byte = Number.parseInt(octal ?? "0", 8);
      return byte < 0x80 ? sequence : `\\x${byte.toString(16)}`;
    }),
  };
}

function literalName({ name }: Command): string | undefined {
  const [first, ...others] = name?.parts ?? [];
  return first?.type === "Literal" && others.length === 0 ? first.value : undefined;
}
