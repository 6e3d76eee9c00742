import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { DaemonProcess } from "../support/daemon-process.ts";
import { requiresFuse } from "../support/kernel.ts";
import { run, sh } from "../support/shell.ts";

const MIB = 2 ** 20;
/** What computerd may take, whatever it holds. */
const RESIDENT = 512 * MIB;

describe("bounds", () => {
  beforeEach(requiresFuse);

  async function withDaemon(
    work: (path: string, rss: () => Promise<number>, daemon: DaemonProcess) => Promise<void>,
  ) {
    const folder = mkdtempSync(join(tmpdir(), "computerd-limits-"));
    const path = join(folder, "tree");
    try {
      await using daemon = await DaemonProcess.start(path, join(folder, "store"));
      await work(path, async () => (JSON.parse(await daemon.ask("status")) as { rss: number }).rss, daemon);
      await daemon.kill("SIGTERM");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test("300,000 entries and a file of 20 GB fit in 512 MiB", async () => {
    await withDaemon(async (path, rss) => {
      const make = `import os
for d in range(300):
    os.mkdir(f"d{d}")
    for f in range(1000):
        fd = os.open(f"d{d}/file-with-a-name-of-usual-length-{f}.ts", os.O_CREAT | os.O_WRONLY)
        os.write(fd, b"x" * 200)
        os.close(fd)`;
      const made = await run("python3", ["-c", make], { cwd: path, timeoutMs: 600_000 });
      expect([made.late, made.err]).toEqual([false, ""]);
      const entries = await rss();
      // Sparse for the most part, so that a disk of any size will do; every 16 MiB there is some data.
      const large = `import os
fd = os.open("large", os.O_CREAT | os.O_RDWR)
for at in range(0, 20 * 2**30, 16 * 2**20): os.pwrite(fd, b"y" * 70_000, at)
os.fsync(fd)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
assert all(os.pread(fd, 3, at) == b"yyy" for at in range(0, 20 * 2**30, 16 * 2**20))
print(os.fstat(fd).st_size)`;
      const { out, err } = await run("python3", ["-c", large], { cwd: path, timeoutMs: 300_000 });
      expect([out, err]).toEqual([`${20 * 2 ** 30 - 16 * MIB + 70_000}\n`, ""]);
      const all = await rss();
      console.log(
        `resident: ${Math.round(entries / MIB)} MiB with 300,000 entries, ${Math.round(all / MIB)} MiB with 20 GB`,
      );
      expect(all).toBeLessThan(RESIDENT);
    });
  }, 900_000);

  test("10,000 open files, unlinked meanwhile", async () => {
    await withDaemon(async (path, rss) => {
      const script = `import os, resource
resource.setrlimit(resource.RLIMIT_NOFILE, (12000, 12000))
fds = [os.open(f"f{i}", os.O_CREAT | os.O_RDWR) for i in range(10000)]
for i, fd in enumerate(fds): os.write(fd, b"%d" % i)
for i in range(10000): os.unlink(f"f{i}")
assert os.listdir(".") == []
assert all(os.pread(fd, 9, 0) == b"%d" % i for i, fd in enumerate(fds))
print("ok")`;
      const { out, err } = await run("python3", ["-c", script], { cwd: path, timeoutMs: 120_000 });
      expect([out, err]).toEqual(["ok\n", ""]);
      expect(await rss()).toBeLessThan(RESIDENT);
      // Nothing of them is left when the last descriptor is gone.
      await sh("sync -f .", { cwd: path });
    });
  }, 300_000);

  test("a folder of 200,000 entries removed while it is read", async () => {
    await withDaemon(async (path, rss, daemon) => {
      const script = `import os, threading
os.mkdir("many")
for i in range(200000): os.close(os.open(f"many/{i}", os.O_CREAT | os.O_WRONLY))
def read():
    while os.path.exists("many"):
        try:
            for entry in os.scandir("many"): pass
        except FileNotFoundError: pass
threads = [threading.Thread(target=read) for _ in range(2)]
for t in threads: t.start()
for entry in os.scandir("many"): os.unlink(entry.path)
os.rmdir("many")
for t in threads: t.join()
print("ok")`;
      const { out, err } = await run("python3", ["-c", script], { cwd: path, timeoutMs: 400_000 });
      expect([out, err]).toEqual(["ok\n", ""]);
      expect(await rss()).toBeLessThan(RESIDENT);
      expect(JSON.parse(await daemon.ask("status"))).toMatchObject({ bytes: 0 });
    });
  }, 600_000);
});
