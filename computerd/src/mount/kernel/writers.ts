import { linkOf, list, textOf } from "./watchers.ts";

const ACCESS_MODE = 3;

/**
 * The nodes of a mount that some process may still be writing: open for writing, or mapped shared and
 * writable. By `st_ino`. Everything else was written back when it was closed.
 *
 * Of descriptors the kernel tells the number but not the device, so that numbers of other file systems are
 * among them: to write back too much does no harm.
 *
 * @param device `major:minor`, as `/proc/PID/maps` shows it.
 */
export function nodesBeingWritten(device: string): number[] {
  const found = new Set<number>();
  const dev = device
    .split(":")
    .map((part) => Number(part).toString(16).padStart(2, "0"))
    .join(":");
  for (const pid of list("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    for (const fd of list(`/proc/${pid}/fd`)) {
      // Files of other mount namespaces show other paths, so that only clear foreigners are passed over.
      const link = linkOf(`/proc/${pid}/fd/${fd}`);
      if (!link.startsWith("/") || link.startsWith("/dev/") || link.startsWith("/proc/")) continue;
      const info = textOf(`/proc/${pid}/fdinfo/${fd}`);
      const flags = Number.parseInt(/^flags:\s+(\d+)/m.exec(info)?.[1] ?? "0", 8);
      const ino = /^ino:\s+(\d+)/m.exec(info)?.[1];
      if ((flags & ACCESS_MODE) !== 0 && ino !== undefined) found.add(Number(ino));
    }
    for (const [, perms = "", where = "", ino = ""] of textOf(`/proc/${pid}/maps`).matchAll(
      /^\S+ (\S{4}) \S+ (\S+) (\d+)/gm,
    )) {
      if (where === dev && perms[1] === "w" && perms[3] === "s") found.add(Number(ino));
    }
  }
  return [...found];
}
