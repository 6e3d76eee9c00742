import * as disk from "node:fs/promises";
import type { FileSystem } from "../../src/vfs/types.ts";

/** The verbs that are compared. */
export type Verbs = Pick<
  FileSystem,
  | "access"
  | "appendFile"
  | "chmod"
  | "chown"
  | "copyFile"
  | "cp"
  | "lchown"
  | "link"
  | "lstat"
  | "lutimes"
  | "mkdir"
  | "open"
  | "opendir"
  | "readFile"
  | "readdir"
  | "readlink"
  | "realpath"
  | "rename"
  | "rm"
  | "rmdir"
  | "stat"
  | "symlink"
  | "truncate"
  | "unlink"
  | "utimes"
  | "writeFile"
>;

/** Node's own verbs, below a folder: to them it is the root. Paths in errors and answers are as seen from there. */
export function onDisk(base: string): Verbs {
  const at = (path: string) => base + path;
  const target = (path: string) => (path.startsWith("/") ? at(path) : path);
  const seen = (text: string) => text.replaceAll(`${base}/`, "/").replaceAll(base, "/");
  const one =
    (name: string, places: readonly number[]) =>
    async (...args: unknown[]): Promise<unknown> => {
      // biome-ignore lint/performance/noDynamicNamespaceImportAccess: the verbs are named by the test
      const verb = disk[name as "stat"] as (...args: unknown[]) => Promise<unknown>;
      const moved = args.map((arg, i) => (places.includes(i) ? at(arg as string) : arg));
      try {
        const answer = await verb(...moved);
        return typeof answer === "string" && name !== "readFile" ? seen(answer) : answer;
      } catch (error) {
        const { path, dest, message } = error as NodeJS.ErrnoException & { dest?: string };
        Object.assign(error as Error, { message: seen(message) });
        if (path !== undefined) Object.assign(error as Error, { path: seen(path) });
        if (dest !== undefined) Object.assign(error as Error, { dest: seen(dest) });
        throw error;
      }
    };
  const single =
    "access appendFile chmod chown lchown lstat lutimes mkdir open opendir readFile readdir readlink realpath rm rmdir stat truncate unlink utimes writeFile";
  const verbs: Record<string, unknown> = {};
  for (const name of single.split(" ")) verbs[name] = one(name, [0]);
  for (const name of ["copyFile", "cp", "link", "rename"]) verbs[name] = one(name, [0, 1]);
  const symlink = one("symlink", [1]);
  verbs.symlink = (to: string, path: string) => symlink(target(to), path);
  return verbs as unknown as Verbs;
}

/** Everything there is, as text: kinds, modes, owners, links, sizes, contents; which names are of one file. */
export async function listing(fs: Verbs): Promise<string> {
  const numbers = new Map<number, number>();
  const lines: string[] = [];
  const walk = async (directory: string) => {
    for (const name of (await fs.readdir(directory || "/")).sort()) {
      const path = `${directory}/${name}`;
      const stats = await fs.lstat(path);
      const { ino, mode, uid, gid, nlink, size } = stats;
      let what = "";
      if (stats.isFile()) what = hash(await fs.readFile(path));
      else if (stats.isSymbolicLink()) what = await fs.readlink(path);
      if (!numbers.has(ino)) numbers.set(ino, numbers.size);
      const links = stats.isDirectory() ? "" : `${nlink} #${numbers.get(ino)} ${stats.isFile() ? size : ""}`;
      lines.push(`${path} ${mode.toString(8)} ${uid}:${gid} ${links} ${what}`);
      if (stats.isDirectory()) await walk(path);
    }
  };
  await walk("");
  return lines.join("\n");
}

/** A short text for content of any length. */
export function hash(bytes: Uint8Array): string {
  let sum = 2166136261;
  for (let i = 0; i < bytes.length; i++) sum = Math.imul(sum ^ (bytes[i] as number), 16777619);
  return `${bytes.length}:${(sum >>> 0).toString(16)}`;
}
