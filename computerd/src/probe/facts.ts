import { spawn } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether a FUSE file system could be mounted, tried for real. */
export interface MountAttempt {
  ok: boolean;
  /** Why not, in the words of the system; empty when it worked. */
  reason: string;
}

/** What of a host decides how a workspace can be mounted there. */
export interface HostFacts {
  platform: NodeJS.Platform;
  arch: string;
  uid: number;
  /** `/dev/fuse`: open for reading and writing, or why not (`missing`, `no device`, or an error code: `EACCES`). */
  device: "open" | "missing" | "no device" | (string & {});
  /** Mounting in a mount namespace of its own, as the user that we are. */
  direct: MountAttempt;
  /** Mounting in a new user namespace, which needs no privilege. */
  userNamespace: MountAttempt;
  /** The AppArmor profile of this process, such as `docker-default (enforce)`; empty when there is none. */
  apparmor: string;
  /** macOS only: whether macFUSE is installed. */
  macfuse: boolean;
}

const DEVICE = "/dev/fuse";
const PATIENCE_MS = 10_000;

/**
 * Reads what a host allows. It mounts for a moment, in a mount namespace that only the attempt sees;
 * nothing of it is left.
 *
 * @example
 * const facts = await readHostFacts();
 * if (facts.device === "EACCES") console.log("try: chmod 666 /dev/fuse");
 */
export async function readHostFacts(): Promise<HostFacts> {
  const device = process.platform === "linux" ? openDevice() : "missing";
  const attempt = (flags: string[]): Promise<MountAttempt> => {
    if (process.platform !== "linux") return Promise.resolve({ ok: false, reason: "Linux only" });
    if (device !== "open") return Promise.resolve({ ok: false, reason: `${DEVICE}: ${device}` });
    return tryMount(flags);
  };
  return {
    platform: process.platform,
    arch: process.arch,
    uid: process.getuid?.() ?? -1,
    device,
    direct: await attempt(["--mount"]),
    userNamespace: await attempt(["--user", "--map-root-user", "--mount"]),
    apparmor: readText("/proc/self/attr/current"),
    macfuse: process.platform === "darwin" && existsSync("/Library/Filesystems/macfuse.fs"),
  };
}

function openDevice(): HostFacts["device"] {
  try {
    if (!statSync(DEVICE).isCharacterDevice()) return "no device";
    closeSync(openSync(DEVICE, constants.O_RDWR));
    return "open";
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "missing" : code;
  }
}

/**
 * Mounts what the kernel driver would mount. The device is opened inside of the namespace, since the
 * kernel wants the file and the mount to belong to the same one; without a daemon behind it the mount
 * answers nothing, so nobody may look into it. It goes with the namespace.
 */
async function tryMount(flags: string[]): Promise<MountAttempt> {
  const folder = mkdtempSync(join(tmpdir(), "computerd-probe-"));
  const script =
    'exec mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 computerd-probe "$1" 3<>"$2"';
  try {
    return await run("unshare", [...flags, "--", "sh", "-c", script, "sh", folder, DEVICE]);
  } finally {
    rmdirSync(folder);
  }
}

function run(file: string, args: string[]): Promise<MountAttempt> {
  return new Promise((resolve) => {
    const env = { ...process.env, LC_ALL: "C" };
    const child = spawn(file, args, {
      stdio: ["ignore", "ignore", "pipe"],
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
      env,
    });
    let said = "";
    child.stderr.on("data", (data: Buffer) => {
      said = (said + data).slice(0, 2000);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      resolve({ ok: false, reason: error.code === "ENOENT" ? `${file} is not installed` : error.message });
    });
    child.on("close", (code, signal) => {
      const reason =
        said.trim().split("\n")[0] || (signal ? `no answer (${signal})` : `${file} ended with ${code}`);
      resolve(code === 0 ? { ok: true, reason: "" } : { ok: false, reason });
    });
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\0/g, "").trim();
  } catch {
    return "";
  }
}
