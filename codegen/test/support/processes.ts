import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process of this machine that is alive, not merely unreaped. */
export interface Process {
  readonly pid: number;
  readonly group: number;
  readonly command: string;
}

/** All processes. */
export function processes(): Process[] {
  return process.platform === "linux" ? fromProc() : fromPs();
}

/** The wrangler that serves a project, and the runtimes of its group; empty when none is left. */
export function groupOf(project: string): Process[] {
  const all = processes();
  const leader = all.find(({ command }) => command.includes("wrangler") && command.includes(project));
  return leader ? all.filter(({ group }) => group === leader.pid) : [];
}

/** Everything that belongs to the serving of a project. */
export function belongingTo(project: string): Process[] {
  const own = processes().filter(({ command, pid }) => command.includes(project) && pid !== process.pid);
  return [...new Map([...own, ...groupOf(project)].map((each) => [each.pid, each])).values()];
}

/** Which of these are still there. */
export function alive(known: readonly Process[]): Process[] {
  const now = processes();
  return known.filter(({ pid, command }) => now.some((each) => each.pid === pid && each.command === command));
}

/** The loopback ports that a process listens on. Linux only. */
export function listeningPorts(pid: number): number[] {
  const sockets = new Set<string>();
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
      if (inode) sockets.add(inode);
    } catch {
      // Closed meanwhile.
    }
  }
  const LISTEN = "0A";
  return readFileSync(`/proc/${pid}/net/tcp`, "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTEN && sockets.has(fields[9] ?? ""))
    .map((fields) => Number.parseInt(fields[1]?.split(":")[1] ?? "", 16));
}

function fromProc(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // The name in parentheses may hold anything; state, parent and group follow it.
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state === "Z" || state === "X") return [];
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return [{ pid: Number(name), group: Number(group), command }];
    } catch {
      return [];
    }
  });
}

function fromPs(): Process[] {
  const lines = execFileSync("ps", ["-axo", "pid=,pgid=,stat=,args="], { encoding: "utf8" })
    .trim()
    .split("\n");
  return lines.flatMap((line) => {
    const [, pid, group, state, command = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s*(.*)$/.exec(line) ?? [];
    return state === undefined || state.startsWith("Z")
      ? []
      : [{ pid: Number(pid), group: Number(group), command }];
  });
}
