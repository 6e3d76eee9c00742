import { spawn } from "node:child_process";
import { constants, openSync, readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { MountError } from "../types.ts";

const DEVICE = "/dev/fuse";
/** What mounts of ours are called in the mount table. */
export const SOURCE = "computerd";
const PATIENCE_MS = 10_000;

/** Opens the FUSE device: a connection that no mount uses yet. */
export function openDevice(): number {
  return openSync(DEVICE, constants.O_RDWR);
}

/** Mounts a connection at a path, by mount(8), which inherits the descriptor. */
export async function attach(fd: number, path: string): Promise<void> {
  const options = [
    "fd=3",
    "rootmode=40000",
    `user_id=${process.getuid?.() ?? 0}`,
    `group_id=${process.getgid?.() ?? 0}`,
    "allow_other",
    "default_permissions",
    "max_read=1048576",
  ];
  await run("mount", ["-i", "-t", "fuse", "-o", options.join(","), SOURCE, path], fd);
}

/** Unmounts a path. With `force` whatever is open in it ends, and the connection with it. */
export async function detach(path: string, force: boolean): Promise<void> {
  await run("umount", ["-i", ...(force ? ["-f", "-l"] : []), path]);
}

/** Has the kernel begin to write back what it holds of a mount. */
export async function flush(path: string): Promise<void> {
  await run("sync", ["-f", path]).catch(() => {});
}

/** How many requests of a connection wait for us; 0 too where the kernel does not tell. */
export function requestsWaiting(device: string): number {
  try {
    const minor = device.split(":")[1] ?? "";
    return Number.parseInt(readFileSync(`/sys/fs/fuse/connections/${minor}/waiting`, "utf8"), 10);
  } catch {
    return 0;
  }
}

/**
 * Takes away a mount of a daemon that died. One that answers belongs to a daemon that lives: refused, as is
 * any other file system there.
 */
export async function clearDeadMount(path: string): Promise<void> {
  for (let line = mountsAt(path).at(-1); line !== undefined; line = mountsAt(path).at(-1)) {
    if (line.source !== SOURCE || !line.type.startsWith("fuse")) return;
    const answer = await Promise.race([
      statfs(path).then(
        () => "alive",
        (error: NodeJS.ErrnoException) => error.code ?? "unknown",
      ),
      sleep(PATIENCE_MS / 2, "silent", { ref: false }),
    ]);
    if (answer !== "ENOTCONN" && answer !== "ECONNABORTED") {
      throw new MountError(
        "ERR_MOUNT_FAILED",
        `${path} is mounted by another computerd (${answer}); stop it, or umount -f -l ${path}`,
      );
    }
    await detach(path, true);
  }
}

/** A line of the mount table. */
export interface MountLine {
  path: string;
  /** `major:minor`; the minor number is the connection's in fusectl. */
  device: string;
  type: string;
  source: string;
}

/** What is mounted at a path, the uppermost last. Reads only the mount table, so that a dead mount does no harm. */
export function mountsAt(path: string): MountLine[] {
  return mountTable().filter((line) => line.path === path);
}

/** The mount table of this process. */
export function mountTable(): MountLine[] {
  return readFileSync("/proc/self/mountinfo", "latin1")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [left = "", right = ""] = line.split(" - ");
      const fields = left.split(" ");
      const [type = "", source = ""] = right.split(" ");
      return { path: unquote(fields[4] ?? ""), device: fields[2] ?? "", type, source };
    });
}

function unquote(text: string): string {
  const bytes = text.replace(/\\(\d{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function run(file: string, args: string[], fd?: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      stdio: ["ignore", "ignore", "pipe", ...(fd === undefined ? [] : [fd])],
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
      cwd: "/",
      env: { ...process.env, LC_ALL: "C" },
    });
    let said = "";
    child.stderr?.on("data", (data: Buffer) => {
      said = (said + data).slice(0, 2000);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(said.trim().split("\n")[0] || `${file} ended with ${signal ?? code}`));
    });
  });
}
