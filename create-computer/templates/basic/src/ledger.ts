import { Agent, tool, type Workspace } from "@computer/framework";

/** Something that was paid for. */
export interface Expense {
  what: string;
  amount: number;
  category: string;
}

/** What a category came to. */
export interface Total {
  category: string;
  amount: number;
}

const FILE = "/ledger.tsv";

/** Keeps a book of expenses in one file, and adds it up with ordinary shell commands. */
@Agent()
export class Ledger {
  constructor(private readonly workspace: Workspace) {}

  /**
   * Writes down an expense.
   *
   * @param what What was paid for.
   * @param amount How much it was.
   * @param category Which kind of expense it is.
   */
  @tool()
  async record(what: string, amount: number, category = "other"): Promise<Expense> {
    const expense = { what: oneField(what), amount, category: oneField(category) };
    await this.workspace.fs.appendFile(FILE, `${expense.what}\t${amount}\t${expense.category}\n`);
    return expense;
  }

  /** What each category comes to, the largest first. */
  @tool()
  async totals(): Promise<Total[]> {
    if (!(await this.workspace.fs.exists(FILE))) return [];
    const output = await this.shell(
      `awk -F '\\t' '{ sum[$3] += $2 } END { for (c in sum) printf "%.2f\\t%s\\n", sum[c], c }' "$FILE" | sort -rn`,
    );
    return output
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [amount, category = ""] = line.split("\t");
        return { category, amount: Number(amount) };
      });
  }

  /** Strikes the last expense out and returns it; null when there is none. */
  @tool()
  async undo(): Promise<Expense | null> {
    if (!(await this.workspace.fs.exists(FILE))) return null;
    const last = (await this.shell('tail -n 1 "$FILE"')).trimEnd();
    if (last === "") return null;
    await this.shell(`sed -i '$ d' "$FILE"`);
    const [what = "", amount, category = ""] = last.split("\t");
    return { what, amount: Number(amount), category };
  }

  private async shell(source: string): Promise<string> {
    const run = await this.workspace.runtime.exec(source, { backend: "shell", env: { FILE } }).result();
    if (run.exitCode !== 0) throw new Error(`The shell said: ${run.stderr.trim() || run.status}`);
    return run.stdout;
  }
}

/** A text as one field of the file: tabs and line ends separate fields and lines there. */
function oneField(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
