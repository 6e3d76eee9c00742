import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The nodes of a device (`major:minor`) that any process that we can see watches by inotify, by `st_ino`. */
export function watchedNodes(device: string): Set<number> {
  const [major = 0, minor = 0] = device.split(":").map(Number);
  const wanted = major * 2 ** 20 + minor;
  const found = new Set<number>();
  for (const pid of list("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    for (const fd of list(`/proc/${pid}/fd`)) {
      if (linkOf(`/proc/${pid}/fd/${fd}`) !== "anon_inode:inotify") continue;
      for (const [, ino = "", sdev = ""] of textOf(`/proc/${pid}/fdinfo/${fd}`).matchAll(
        /^inotify wd:\S+ ino:([0-9a-f]+) sdev:([0-9a-f]+)/gm,
      )) {
        if (Number.parseInt(sdev, 16) === wanted) found.add(Number.parseInt(ino, 16));
      }
    }
  }
  return found;
}

/** The names in a folder; none when it may not be read or is gone. */
export function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

export function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
