import { styleText } from "node:util";
import type { ProjectModel } from "../model.ts";
import type { Line } from "./output.ts";

/** Where `computer dev` prints: ordinary lines and complaints. */
export interface DevTerminal {
  out(text: string): void;
  err(text: string): void;
  readonly color: boolean;
}

/** The terminal of this process. */
export const processTerminal: DevTerminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  color: Boolean(process.stdout.isTTY) && !process.env.NO_COLOR,
};

/** Everything that `computer dev` says. */
export class Voice {
  readonly #terminal: DevTerminal;

  constructor(terminal: DevTerminal) {
    this.#terminal = terminal;
  }

  get color(): boolean {
    return this.#terminal.color;
  }

  /** What is served and where, once it is. */
  ready(model: ProjectModel | undefined, url: string, milliseconds: number): void {
    const agents = model?.agents ?? [];
    const width = Math.max(5, ...agents.map(({ name }) => name.length));
    const lines = agents.flatMap(({ name, tools }) => [
      `  ${this.#paint("bold", name.padEnd(width))}  ${this.#paint("cyan", `${url}/agents/${name}/`)}${this.#paint("dim", ":id")}`,
      `  ${" ".repeat(width)}  ${this.#paint("dim", tools.map((tool) => tool.name).join(" · "))}`,
    ]);
    const doors = "/rpc  /tools/:tool  /files/*  /exec";
    this.#terminal.out(
      `\n${lines.join("\n")}\n  ${this.#paint("bold", "doors".padEnd(width))}  ${this.#paint("dim", "below each:")} ${doors}\n\n` +
        `${this.#paint("green", "Ready")} at ${this.#paint("cyan", url)} ${this.#paint("dim", `in ${seconds(milliseconds)}`)}\n`,
    );
  }

  /** A change is being served. */
  reloaded(milliseconds: number): void {
    this.#terminal.out(`${this.#paint("green", "Reloaded")} in ${Math.round(milliseconds)} ms\n`);
  }

  /** Something that is not the developer's fault, or news of what is being done. */
  notice(text: string): void {
    this.#terminal.out(`${this.#paint("yellow", text)}\n`);
  }

  /** What is wrong with the project, and what that means for what is served. */
  problems(text: string, consequence: string): void {
    this.#terminal.err(`\n${text}\n${this.#paint("yellow", consequence)}\n`);
  }

  /** It cannot go on. */
  failed(text: string): void {
    this.#terminal.err(`${this.#paint("red", "error")} ${text}\n`);
  }

  /** A line of the worker's. */
  worker({ kind, text }: Line): void {
    if (kind === "error") this.#terminal.err(`${this.#paint("red", "error")} ${text}\n`);
    else if (kind === "warning") this.#terminal.err(`${this.#paint("yellow", "warning")} ${text}\n`);
    else if (kind === "stack") this.#terminal.err(`${this.#paint("dim", text)}\n`);
    else this.#terminal.out(`${text}\n`);
  }

  #paint(style: Parameters<typeof styleText>[0], text: string): string {
    return this.#terminal.color ? styleText(style, text, { validateStream: false }) : text;
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
