import { defineCommand } from "just-bash/browser";
import { FileError } from "../errors.ts";
import { atWork, baseName, Complaint, readOperands, type Work } from "./operands.ts";

/** `rm`: removes a link itself. The interpreter's own looks where it leads, and so cannot remove some. */
export const rm = defineCommand("rm", (args, context) =>
  atWork("rm", context, async (work) => {
    const { options, operands } = readOperands(args, "rRfdvi", {
      recursive: "r",
      force: "f",
      dir: "d",
      verbose: "v",
      "preserve-root": "f",
      "one-file-system": "r",
    });
    const recursive = options.has("r") || options.has("R");
    const force = options.has("f");
    if (operands.length === 0 && !force) throw new Complaint("missing operand");
    for (const operand of operands) {
      await work.attempt(`cannot remove '${operand}'`, async () => {
        if (await removeOne(work, operand, { recursive, force, folders: options.has("d") })) {
          if (options.has("v")) work.say(`removed '${operand}'`);
        }
      });
    }
  }),
);

async function removeOne(
  work: Work,
  operand: string,
  { recursive, force, folders }: { recursive: boolean; force: boolean; folders: boolean },
): Promise<boolean> {
  const name = baseName(operand);
  if (name === "." || name === "..")
    throw new Complaint(`refusing to remove '.' or '..' directory: skipping '${operand}'`);
  const path = work.path(operand);
  if (path === "/") throw new Complaint(`it is dangerous to operate recursively on '/'`);
  const kind = await work.kind(path);
  if (kind === undefined) {
    if (force) return false;
    throw new Complaint(`cannot remove '${operand}': No such file or directory`);
  }
  // With a slash at its end a name means the folder, which a link to one is not.
  if (operand.endsWith("/") && kind !== "directory")
    throw new Complaint(`cannot remove '${operand}': Not a directory`);
  if (kind === "directory" && !recursive) {
    if (!folders) throw new Complaint(`cannot remove '${operand}': Is a directory`);
    await removeFolder(work, path);
  } else {
    await work.fs.rm(path, { recursive, force });
  }
  return true;
}

/** `rmdir`: removes folders that are empty. */
export const rmdir = defineCommand("rmdir", (args, context) =>
  atWork("rmdir", context, async (work) => {
    const { options, operands } = readOperands(args, "pv", { parents: "p", verbose: "v" });
    if (operands.length === 0) throw new Complaint("missing operand");
    for (const operand of operands) {
      await work.attempt(`failed to remove '${operand}'`, async () => {
        const bare = operand.replace(/(?<=[^/])\/+$/, "");
        const chain = [bare];
        for (let at = bare.lastIndexOf("/"); options.has("p") && at > 0; at = bare.lastIndexOf("/", at - 1))
          chain.push(bare.slice(0, at));
        for (const folder of chain) {
          if (baseName(folder) === ".") throw new FileError({ code: "EINVAL", message: "" });
          await removeFolder(work, work.path(folder));
          if (options.has("v")) work.say(`rmdir: removing directory, '${folder}'`);
        }
      });
    }
  }),
);

/** `unlink`: removes one name that is no folder. */
export const unlink = defineCommand("unlink", (args, context) =>
  atWork("unlink", context, async (work) => {
    const [operand, extra] = readOperands(args, "").operands;
    if (operand === undefined) throw new Complaint("missing operand");
    if (extra !== undefined) throw new Complaint(`extra operand '${extra}'`);
    await work.attempt(`cannot unlink '${operand}'`, async () => {
      const path = work.path(operand);
      if ((await work.kind(path)) === "directory") throw new FileError({ code: "EISDIR", message: "" });
      await work.fs.rm(path);
    });
  }),
);

async function removeFolder(work: Work, path: string): Promise<void> {
  const kind = await work.kind(path);
  if (kind === undefined) throw new FileError({ code: "ENOENT", message: "" });
  if (kind !== "directory") throw new FileError({ code: "ENOTDIR", message: "" });
  await (work.fs as typeof work.fs & { rmdir(path: string): Promise<void> }).rmdir(path);
}
