import { spawnSync } from "node:child_process";

/**
 * Sends a signal to a process group, given by the process that leads it. On Windows, which has none, the
 * process and its descendants are ended whatever the signal. Harmless when nobody is left.
 */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(leader), "/T", "/F"], { stdio: "ignore" });
    return;
  }
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
