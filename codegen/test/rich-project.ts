/** The sources of a project that uses everything that codegen supports, for tests that take the output for a run. */
export const RICH_PROJECT: Readonly<Record<string, string>> = {
  "src/types.ts": `
/** A page of results. */
export interface Page<T> {
  items: T[];
  next: string | null;
}
/** Something on the calendar. */
export type Entry =
  | { kind: "meeting"; at: Date; with: string[]; place?: [x: number, y: number] }
  | { kind: "note"; text: string; attachment?: Uint8Array };
export interface Tree {
  value: string | number;
  children: Tree[];
}
export enum Level {
  Low = "low",
  High = "high",
}
`,
  "src/calendar.ts": `
import * as c from "@computer/framework";
import type { Workspace as Home } from "@computer/framework";
import type { Env } from "../generated/env.ts";
import { type Entry, Level, type Page, type Tree } from "./types.ts";

/** Shared with another agent in name only. */
interface Item {
  id: number;
}

abstract class Base<T> {
  /** Gives back what it got; inherited. */
  @c.tool()
  echo(value: T): T {
    return value;
  }
}

/**
 * Keeps entries. Ends no comment: *\\/
 */
@c.Agent({ name: "cal", renamedFrom: "OldCalendar" })
export class Calendar extends Base<Entry> {
  constructor(
    readonly id: c.AgentId,
    readonly env: Env,
    private readonly home: Home,
    readonly clock = Date.now,
  ) {
    super();
  }

  static authorize(request: Request, env: Env): boolean {
    return env.COMPUTER_MODE === "development" || request.headers.has("x-pass");
  }

  /** @param entry What to add. */
  @c.tool()
  async add(entry: Entry, level: Level = Level.Low, tags: Record<string, string> = {}): Promise<Page<Item>> {
    await this.home.fs.writeFile("/entry.json", JSON.stringify({ entry, level, tags }));
    return { items: [{ id: Object.keys(tags).length }], next: level };
  }

  @c.tool()
  later(at: Date, days: number, exact?: true | "no" | null): Date {
    return new Date(at.getTime() + days * 86_400_000 + (exact === true ? 1 : 0));
  }

  @c.tool({ name: "reverse_bytes", description: "Reverses bytes" })
  reverse(data: Uint8Array, limit?: number): Uint8Array {
    return data.slice(0, limit).reverse();
  }

  @c.tool()
  depth(tree: Tree): number {
    return 1 + Math.max(0, ...tree.children.map((child) => this.depth(child)));
  }

  @c.tool()
  whoami(): { id: string; mode: string | undefined } {
    return { id: this.id, mode: this.env.COMPUTER_MODE };
  }

  @c.tool()
  async nothing(value?: unknown): Promise<void> {
    void value;
  }

  @c.tool()
  maybe(found: boolean): string | undefined {
    return found ? "yes" : undefined;
  }
}
`,
  "src/keeper.ts": `
import { Agent, tool } from "@computer/framework";

interface Item {
  name: string;
}
interface Env {
  MY_OWN: string;
}

@Agent()
export default class TopKeeper {
  constructor(readonly env: Env) {}

  @tool()
  list(from: string | undefined, to: string): Item[] {
    return [{ name: from ?? "-" }, { name: to }];
  }
}
`,
};
