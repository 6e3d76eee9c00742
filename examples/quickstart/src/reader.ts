import { Agent, tool, type Workspace } from "@computer/framework";

/** A text on the shelf, measured. */
export interface Shelved {
  path: string;
  lines: number;
  words: number;
}

/** How often a word occurs. */
export interface WordCount {
  word: string;
  count: number;
}

/** A line that holds what was looked for. */
export interface Match {
  path: string;
  line: number;
  text: string;
}

/** Keeps texts on a shelf of files and answers questions about them with ordinary shell pipelines. */
@Agent()
export class Reader {
  constructor(private readonly workspace: Workspace) {}

  /**
   * Puts a text on the shelf.
   *
   * @param title What to call it; becomes the file's name.
   * @param text The text itself.
   */
  @tool()
  async shelve(title: string, text: string): Promise<Shelved> {
    const path = `/shelf/${fileName(title)}`;
    await this.workspace.fs.mkdir("/shelf", { recursive: true });
    await this.workspace.fs.writeFile(path, text);
    const counts = await this.shell('wc -lw < "$FILE"', { FILE: path });
    const [lines = 0, words = 0] = counts.trim().split(/\s+/).map(Number);
    return { path, lines, words };
  }

  /**
   * The words that a text uses most.
   *
   * @param title The title it was shelved under.
   * @param limit How many words to list.
   */
  @tool()
  async topWords(title: string, limit = 10): Promise<WordCount[]> {
    const path = `/shelf/${fileName(title)}`;
    if (!(await this.workspace.fs.exists(path))) throw new Error(`"${title}" is not on the shelf.`);
    const output = await this.shell(
      `tr -cs A-Za-z '\\n' < "$FILE" | tr A-Z a-z | grep -E '.{4,}' | sort | uniq -c | sort -rn | head -n "$LIMIT"`,
      { FILE: path, LIMIT: String(limit) },
    );
    return lines(output).map((line) => {
      const [count, word] = line.trim().split(/\s+/);
      return { word: word ?? "", count: Number(count) };
    });
  }

  /**
   * Every line on the shelf that holds a phrase, whatever its case.
   *
   * @param phrase What to look for, taken literally.
   */
  @tool()
  async find(phrase: string): Promise<Match[]> {
    const output = await this.shell('mkdir -p /shelf; grep -rinF -e "$PHRASE" /shelf || test $? = 1', {
      PHRASE: phrase,
    });
    return lines(output).map((found) => {
      const [, path = "", line, text = ""] = /^(.*?):(\d+):(.*)$/.exec(found) ?? [];
      return { path, line: Number(line), text };
    });
  }

  private async shell(source: string, env: Record<string, string>): Promise<string> {
    const run = await this.workspace.runtime.exec(source, { backend: "shell", env }).result();
    if (run.exitCode !== 0) throw new Error(`The shell said: ${run.stderr.trim() || run.status}`);
    return run.stdout;
  }
}

function fileName(title: string): string {
  return `${
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "untitled"
  }.txt`;
}

function lines(output: string): string[] {
  return output.split("\n").filter((line) => line !== "");
}
