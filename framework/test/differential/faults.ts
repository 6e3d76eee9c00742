import type { TreeFileSystem } from "../../src/vfs/file-system.ts";
import type { Verbs } from "./trees.ts";

/** Puts other verbs in the place of some. */
function instead(fs: TreeFileSystem, verbs: Partial<Verbs>): Verbs {
  return new Proxy(fs, {
    get: (target, name) => {
      const verb = verbs[name as keyof Verbs] ?? target[name as keyof TreeFileSystem];
      return typeof verb === "function" ? (verb as (...args: unknown[]) => unknown).bind(target) : verb;
    },
  }) as Verbs;
}

/** Bugs that a file system may well have, by what they get wrong. */
export const FAULTS: Record<string, (fs: TreeFileSystem) => Verbs> = {
  "overwriting gives the file the mode that was asked for": (fs) =>
    instead(fs, {
      writeFile: async (path, data, options) => {
        await fs.writeFile(path, data, options);
        if (typeof options === "object" && options.mode !== undefined) await fs.chmod(path, options.mode);
      },
    }),
  "rename replaces a directory that is not empty": (fs) =>
    instead(fs, {
      rename: async (from, to) => {
        try {
          await fs.rename(from, to);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY" || `${from}/`.startsWith(`${to}/`))
            throw error;
          await fs.rm(to, { recursive: true });
          await fs.rename(from, to);
        }
      },
    }),
  "a hard link is a copy": (fs) =>
    instead(fs, {
      link: async (existing, path) => {
        const stats = await fs.lstat(existing);
        if (stats.isFile()) await fs.copyFile(existing, path, 1);
        else await fs.link(existing, path);
      },
    }),
  "what a file was cut off comes back when it grows": (fs) => {
    const cut = new Map<string, Uint8Array>();
    return instead(fs, {
      truncate: async (path, length = 0) => {
        const before = await fs.readFile(path).catch(() => new Uint8Array());
        await fs.truncate(path, length);
        if (length < before.length) cut.set(path, before);
        const old = cut.get(path);
        if (old === undefined || length <= before.length) return;
        await using file = await fs.open(path, "r+");
        const rest = old.subarray(before.length, length);
        if (rest.length > 0) await file.write(rest, 0, rest.length, before.length);
      },
    });
  },
  "a file opened to append writes where it is told to": (fs) =>
    instead(fs, { open: (path, flags, mode) => fs.open(path, flags === "a+" ? "r+" : flags, mode) }),
  "links in the middle of a path are not counted": (fs) =>
    instead(fs, {
      stat: async (path) => {
        try {
          return await fs.stat(path);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "ELOOP")
            Object.assign(error as Error, { code: "ENOENT" });
          throw error;
        }
      },
    }),
  "removing a file that is open closes it": (fs) => {
    const open = new Map<string, () => Promise<void>>();
    return instead(fs, {
      open: async (path, flags, mode) => {
        const file = await fs.open(path, flags, mode);
        open.set(path, () => file.close());
        return file;
      },
      unlink: async (path) => {
        await fs.unlink(path);
        await open.get(path)?.();
      },
    });
  },
};
