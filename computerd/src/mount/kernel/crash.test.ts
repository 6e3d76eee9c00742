import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { requires } from "../../../../.ci/lib/requires.ts";
import { DaemonProcess } from "../../../test/support/daemon-process.ts";
import { requiresFuse } from "../../../test/support/kernel.ts";
import { run, sh } from "../../../test/support/shell.ts";

let folder: string;
let path: string;
let store: string;

beforeEach(async (context) => {
  await requiresFuse(context);
  folder = mkdtempSync(join(tmpdir(), "computerd-crash-"));
  path = join(folder, "tree");
  store = join(folder, "store");
});
afterEach(async () => {
  if (folder === undefined) return;
  await run("umount", ["-f", "-l", path]);
  await run("umount", ["-l", store]);
  rmSync(folder, { recursive: true, force: true });
});

/** Writes files, syncs each, and names it in a log outside of the mount once that is acknowledged. */
const WRITER = `
import os, sys
out = open(sys.argv[1], "a")
i = 0
while True:
    name = f"d{i % 7}/f{i}"
    os.makedirs(f"d{i % 7}", exist_ok=True)
    fd = os.open(name + ".tmp", os.O_CREAT | os.O_WRONLY)
    os.write(fd, (f"{i} " * (i % 3000)).encode())
    os.fsync(fd)
    os.close(fd)
    os.rename(name + ".tmp", name)
    dirfd = os.open(f"d{i % 7}", os.O_RDONLY)
    os.fsync(dirfd)
    os.close(dirfd)
    print(i, file=out, flush=True)
    i += 1
`;

describe("a daemon that dies", () => {
  test("killed under load, it comes back with all that was synced, and clears the dead mount away", async () => {
    let checked = 0;
    for (let round = 0; round < 3; round++) {
      const daemon = await DaemonProcess.start(path, store);
      const log = join(folder, `log${round}`);
      await sh(`mkdir -p '${path}/r${round}'`);
      const writer = run("python3", ["-c", WRITER, log], { cwd: `${path}/r${round}`, timeoutMs: 20_000 });
      await sleep(600 + round * 150);
      await daemon.kill("SIGKILL");
      expect((await writer).late).toBe(false);
      // Whoever stands in the dead mount is told so, and does not hang.
      const dead = await run("ls", [path]);
      expect(dead.err).toContain("not connected");
      await using back = await DaemonProcess.start(path, store);
      const names = readFileSync(log, "utf8").trim().split("\n");
      checked += names.length;
      const check = `import os,sys
for i in map(int, sys.stdin.read().split()):
    assert open(f"d{i % 7}/f{i}").read() == f"{i} " * (i % 3000), i
for root, dirs, files in os.walk("."):
    for name in files: open(os.path.join(root, name), "rb").read()
print("ok")`;
      const { out, err } = await run("python3", ["-c", check], {
        cwd: `${path}/r${round}`,
        input: names.join("\n"),
      });
      expect([out, err]).toEqual(["ok\n", ""]);
      await back.kill("SIGTERM");
      expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(folder);
    }
    expect(checked).toBeGreaterThan(10);
  }, 90_000);

  test("a full disk under the store: ENOSPC to the writer, the daemon lives, removing helps", async () => {
    mkdirSync(store);
    await sh(`mount -t tmpfs -o size=4m tmpfs '${store}'`);
    await using daemon = await DaemonProcess.start(path, store);
    const write = "dd if=/dev/urandom of=f bs=64k count=200 conv=fsync 2>&1";
    const { code, out } = await run("sh", ["-c", write], { cwd: path });
    expect([code, out]).toEqual([1, expect.stringMatching(/No space/)]);
    expect(await sh("df . | tail -1 | awk '{print $4}'", { cwd: path })).toMatch(/^\d{1,3}\n$/);
    expect(await sh("rm f; sync -d .; echo small > g; sync g; cat g", { cwd: path })).toBe("small\n");
    await daemon.kill("SIGKILL");
    await using back = await DaemonProcess.start(path, store);
    expect(await sh("ls; cat g", { cwd: path })).toBe("g\nsmall\n");
    await back.kill("SIGTERM");
  }, 60_000);

  test("a mount of a daemon that lives is not taken away", async () => {
    await using daemon = await DaemonProcess.start(path, store);
    await expect(DaemonProcess.start(path, join(folder, "other"))).rejects.toThrow(/another computerd/);
    expect(await sh("echo x > f && cat f", { cwd: path })).toBe("x\n");
    await daemon.kill("SIGTERM");
  }, 60_000);
});

describe("an ordinary user", () => {
  test("mounts in a user namespace of its own", async (context) => {
    const works = await run("unshare", ["-Urm", "true"]);
    requires(context, "user namespaces", works.code === 0);
    const { mode } = statSync("/dev/fuse");
    chmodSync("/dev/fuse", 0o666);
    try {
      chmodSync(folder, 0o777);
      const script = `
        ${process.execPath} ${new URL("../../../test/support/daemon.ts", import.meta.url).pathname} tree store > out 2>&1 &
        for i in $(seq 200); do grep -q mounted out 2>/dev/null && break; sleep 0.05; done
        cat out; cd tree && echo hello > f && mkdir d && ln f d/g && cat d/g && stat -c '%U %a' f && chmod 600 f && rm -r d && ls
        cd ..; kill %1; wait %1; ls tree`;
      const asUser = [
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "unshare",
        "-Urm",
        "bash",
        "-c",
        script,
      ];
      const { out, err, late } = await run("setpriv", asUser, { cwd: folder, timeoutMs: 30_000 });
      expect([late, out, err]).toEqual([false, "mounted\nhello\nroot 644\nf\n", ""]);
    } finally {
      chmodSync("/dev/fuse", mode & 0o7777);
    }
  }, 60_000);
});
