import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** A store's lock: one daemon at a time. */
export interface StoreLock {
  release(): void;
}

/**
 * Takes a store's lock. A lock whose process is gone, after a crash, is taken over; undefined when its
 * process lives.
 */
export function lockStore(folder: string): StoreLock | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "lock");
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const fd = openSync(file, "wx", 0o600);
      writeSync(fd, identityOf(process.pid));
      closeSync(fd);
      return { release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const holder = read(file);
      if (holder !== "" && holder === identityOf(Number.parseInt(holder, 10))) return undefined;
      rmSync(file, { force: true });
    }
  }
  return undefined;
}

/** A process's number and when it was started: numbers come again. */
function identityOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything; what follows it is regular. The start is field 22.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A zombie holds nothing any more, though its number is still taken.
  const gone = stat === "" || fields[0] === "Z" || fields[0] === "X";
  return gone ? `${pid} gone` : `${pid} ${fields[19] ?? ""}`;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
