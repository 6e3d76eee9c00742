import { defineCommand } from "just-bash/browser";
import { atWork, baseName, below, Complaint, readOperands, type Work } from "./operands.ts";

/** `mv`: moves a link itself, wherever it leads. */
export const mv = defineCommand("mv", (args, context) =>
  atWork("mv", context, async (work) => {
    const { options, operands, values } = readOperands(args, "fnvit:T", {
      force: "f",
      "no-clobber": "n",
      verbose: "v",
      "target-directory": "t",
      "no-target-directory": "T",
    });
    const { sources, place } = await whereTo(work, operands, values.get("t"), options.has("T"), false);
    for (const operand of sources) {
      const [source, shown] = [work.path(operand), place(operand)];
      const target = work.path(shown);
      await work.attempt(`cannot move '${operand}' to '${shown}'`, async () => {
        const kind = await work.kind(source);
        if (kind === undefined) throw new Complaint(`cannot stat '${operand}': No such file or directory`);
        if (source === target) throw new Complaint(`'${operand}' and '${shown}' are the same file`);
        if (`${target}/`.startsWith(`${source}/`) && kind === "directory")
          throw new Complaint(`cannot move '${operand}' to a subdirectory of itself, '${shown}'`);
        if (shown.endsWith("/") && kind !== "directory")
          throw new Complaint(`cannot move '${operand}' to '${shown}': Not a directory`);
        if (options.has("n") && (await work.kind(target)) !== undefined) return;
        await work.fs.mv(source, target);
        if (options.has("v")) work.say(`renamed '${operand}' -> '${shown}'`);
      });
    }
  }),
);

/** `ln`: with -f it replaces a link itself, wherever that leads. */
export const ln = defineCommand("ln", (args, context) =>
  atWork("ln", context, async (work) => {
    const { options, operands, values } = readOperands(args, "sfnvrt:T", {
      symbolic: "s",
      force: "f",
      "no-dereference": "n",
      verbose: "v",
      "target-directory": "t",
      "no-target-directory": "T",
    });
    if (options.has("r"))
      throw new Complaint("relative links by -r are not there; write the relative target");
    const symbolic = options.has("s");
    const here = operands.length === 1 ? "." : values.get("t");
    const { sources, place } = await whereTo(work, operands, here, options.has("T"), options.has("n"));
    for (const operand of sources) {
      const shown = place(operand);
      const path = work.path(shown);
      const what = symbolic ? "symbolic link" : "hard link";
      await work.attempt(`failed to create ${what} '${shown}'`, async () => {
        if (!symbolic) {
          const kind = await work.kind(work.path(operand));
          if (kind === undefined)
            throw new Complaint(`failed to access '${operand}': No such file or directory`);
          if (kind === "directory") throw new Complaint(`${operand}: hard link not allowed for directory`);
        }
        const there = await work.kind(path);
        if (there === "directory") throw new Complaint(`${shown}: cannot overwrite directory`);
        if (there !== undefined && !options.has("f"))
          throw new Complaint(`failed to create ${what} '${shown}': File exists`);
        if (!symbolic && path === work.path(operand))
          throw new Complaint(`'${operand}' and '${shown}' are the same file`);
        if (there !== undefined) await work.fs.rm(path);
        if (symbolic) await work.fs.symlink(operand, path);
        else await work.fs.link(work.path(operand), path);
        if (options.has("v")) work.say(`'${shown}' -> '${operand}'`);
      });
    }
  }),
);

/** Tells the sources of `mv` and `ln` from their target, which may be a folder for all of them. */
async function whereTo(
  work: Work,
  operands: readonly string[],
  folder: string | undefined,
  exact: boolean,
  noDereference: boolean,
): Promise<{ sources: readonly string[]; place: (source: string) => string }> {
  const [first, ...others] = operands;
  if (first === undefined) throw new Complaint("missing file operand");
  const last = others.at(-1);
  if (folder !== undefined) {
    if (!(await work.leadsToFolder(work.path(folder))))
      throw new Complaint(`target directory '${folder}': Not a directory`);
    const prefix = folder === "." ? "./" : `${folder}/`;
    return { sources: operands, place: (source) => prefix.replace(/\/+$/, "/") + baseName(source) };
  }
  if (last === undefined) throw new Complaint(`missing destination file operand after '${first}'`);
  const sources = operands.slice(0, -1);
  const opaque = noDereference && (await work.kind(work.path(last))) === "symlink";
  if (!exact && !opaque && (await work.leadsToFolder(work.path(last))))
    return { sources, place: (source) => below(last, baseName(source)) };
  if (sources.length > 1)
    throw new Complaint(exact ? `extra operand '${last}'` : `target '${last}': Not a directory`);
  return { sources, place: () => last };
}
