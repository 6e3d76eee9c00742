import type { Workspace } from "../../src/workspace/workspace.ts";

/** How large the tree is. */
export interface Size {
  /** Entries of the one large folder; as many again are spread over a tree. */
  readonly entries: number;
  /** MiB in large files. */
  readonly mebibytes: number;
}

/** Part of the bench: done in the object, while the isolate's heap is looked at from outside. */
interface Step {
  readonly name: string;
  run(workspace: Workspace, size: Size): Promise<unknown>;
}

/** Files of a folder of the tree, and MiB of a large file. */
const PER_FOLDER = 100;
const LARGE = 64;

/**
 * What is measured, in this order; each is one request. A verb that is to be measured too is one more line here,
 * before the last ones, which take the tree away.
 */
export const STEPS: readonly Step[] = [
  { name: "readdir", run: async ({ fs }) => (await fs.readdir("/flat")).length },
  { name: "grep_text", run: ({ fs }) => everyPage((cursor) => fs.grep("no such text", { ...cursor })) },
  {
    name: "grep_regexp",
    run: ({ fs }) => everyPage((cursor) => fs.grep("no \\w+ (text|words)$", { ...cursor })),
  },
  {
    name: "grep_folded",
    run: ({ fs }) => everyPage((cursor) => fs.grep("NO SUCH TEXT", { ignoreCase: true, ...cursor })),
  },
  {
    name: "grep_matches",
    run: ({ fs }) => everyPage((cursor) => fs.grep("line 7 ", { path: "/tree", context: 2, ...cursor })),
  },
  { name: "find", run: ({ fs }) => everyPage((cursor) => fs.find({ limit: 10_000, ...cursor })) },
  {
    name: "glob",
    async run({ fs }) {
      let found = 0;
      for await (const _ of fs.glob("**/*9")) found += 1;
      return found;
    },
  },
  {
    name: "watch",
    async run(workspace) {
      const slow = workspace.watch("/");
      for (let i = 0; i < 20_000; i++)
        await workspace.fs.writeFile(`/tree/d0/f${i % PER_FOLDER}`, `changed ${i}`);
      return (await slow.next()).value?.kind;
    },
  },
  { name: "rename", run: ({ fs }) => fs.rename("/flat", "/renamed") },
  { name: "rm_folder", run: ({ fs }) => fs.rm("/renamed", { recursive: true }) },
  { name: "rm_tree", run: ({ fs }) => fs.rm("/tree", { recursive: true }) },
  { name: "rm_large", run: ({ fs }) => fs.rm("/large", { recursive: true }) },
];

/** Makes part of the tree: what comes after `from`, so many entries. Answers whether there is more to make. */
export async function fill(
  { fs }: Workspace,
  { entries, mebibytes }: Size,
  from: number,
  count: number,
): Promise<boolean> {
  const text = Array.from({ length: 8 }, (_, i) => `line ${i} of a small file`).join("\n");
  for (let i = from; i < Math.min(from + count, 2 * entries); i++) {
    const n = i % entries;
    const folder = i < entries ? "/flat" : `/tree/d${Math.floor(n / PER_FOLDER)}`;
    if (i === 0 || (i >= entries && n % PER_FOLDER === 0)) await fs.mkdir(folder, { recursive: true });
    await fs.writeFile(`${folder}/f${n % (i < entries ? entries : PER_FOLDER)}`, `${i}\n${text}`);
  }
  if (from + count < 2 * entries) return true;
  await fs.mkdir("/large", { recursive: true });
  for (let made = 0; made < mebibytes; made += LARGE) {
    const writer = fs.createWriteStream(`/large/${made}`).getWriter();
    for (let i = 0; i < LARGE; i++) {
      const line = `${made} ${i} ${"lorem ipsum ".repeat(8)}\n`;
      await writer.write(
        new TextEncoder().encode(line.repeat(Math.ceil(2 ** 20 / line.length)).slice(0, 2 ** 20)),
      );
    }
    await writer.close();
  }
  return false;
}

async function everyPage(
  ask: (cursor: { cursor?: string }) => Promise<{ readonly cursor?: string }>,
): Promise<number> {
  let pages = 0;
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages++) {
    ({ cursor } = await ask(cursor === undefined ? {} : { cursor }));
  }
  return pages;
}
