import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { kernelMount, requiresFuse, type TestMount } from "../../../test/support/kernel.ts";

/** Runs a Python program in a mount until it is killed; resolves when it has printed a word. */
async function program(tree: TestMount, script: string, word: string) {
  const child = spawn("python3", ["-c", script], { cwd: tree.path, stdio: ["pipe", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (data) => {
    said += data;
  });
  for (let tries = 0; tries < 1000 && !said.includes(word); tries++) await sleep(10);
  expect(said).toContain(word);
  return { said: () => said, [Symbol.dispose]: () => void child.kill("SIGKILL") };
}

async function bytesOf(tree: TestMount, name: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of tree.mount.read((await tree.mount.find(name))?.id as number)) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe("quiesce", () => {
  beforeEach(requiresFuse);

  test("what was written and never closed is in: delayed writes, mappings, unlinked or not", async () => {
    await using tree = await kernelMount();
    using _writer = await program(
      tree,
      `
import mmap, os, time
plain = os.open("plain", os.O_CREAT | os.O_RDWR); os.write(plain, b"p" * 300_000)
shared = os.open("shared", os.O_CREAT | os.O_RDWR); os.ftruncate(shared, 1_000_000)
m = mmap.mmap(shared, 1_000_000); m[5:10] = b"early"
# The descriptor goes, the mapping stays.
os.close(shared); m[999_000:999_006] = b"mapped"
print("written", flush=True)
time.sleep(60)`,
      "written",
    );
    const version = await tree.mount.quiesce();
    expect(await bytesOf(tree, "plain")).toEqual(Buffer.alloc(300_000, "p"));
    const shared = await bytesOf(tree, "shared");
    expect(shared.length).toBe(1_000_000);
    expect(shared.subarray(5, 10).toString()).toBe("early");
    expect(shared.subarray(999_000, 999_006).toString()).toBe("mapped");
    expect(await tree.mount.status()).toMatchObject({ version, committed: version });
  });

  test("with writers still running: what was before is in, and a file that is read is of one version", async () => {
    await using tree = await kernelMount();
    using _writers = await program(
      tree,
      `
import os, threading
# Each round rewrites all of a file with one byte value, so that a mixture would show a torn read.
def rewrite():
    fd = os.open("whole", os.O_CREAT | os.O_RDWR)
    value = 0
    while True:
        value = (value + 1) % 256
        os.pwrite(fd, bytes([value]) * 200_000, 0)
        os.fsync(fd)
def append():
    fd = os.open("log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    count = 0
    while True:
        os.write(fd, b"%08d\\n" % count)
        count += 1
        if count % 500 == 0: print("at", count, flush=True)
threading.Thread(target=rewrite, daemon=True).start()
append()`,
      "at 1000",
    ).then(async (writers) => {
      for (let round = 0; round < 5; round++) {
        const before = Number([...writers.said().matchAll(/at (\d+)\n/g)].at(-1)?.[1]);
        await tree.mount.quiesce();
        const log = (await bytesOf(tree, "log")).toString();
        const lines = log.split("\n").slice(0, -1);
        expect(lines.length).toBeGreaterThanOrEqual(before);
        expect(lines).toEqual(lines.map((_, line) => String(line).padStart(8, "0")));
        const first = await bytesOf(tree, "whole");
        expect(first.length).toBe(200_000);
      }
      return writers;
    });
  }, 60_000);

  test("a version that is being read does not change, however the file does", async () => {
    await using tree = await kernelMount();
    await tree.inside("head -c 3000000 /dev/zero | tr '\\0' a > f; sync f");
    const id = (await tree.mount.find("f"))?.id as number;
    const pieces: Buffer[] = [];
    let count = 0;
    for await (const piece of tree.mount.read(id)) {
      pieces.push(Buffer.from(piece));
      if (count++ === 0)
        await tree.inside(
          "head -c 2500000 /dev/zero | tr '\\0' b | dd of=f conv=notrunc 2>&1; sync f; truncate -s 10 f",
        );
    }
    expect(Buffer.concat(pieces).equals(Buffer.alloc(3_000_000, "a"))).toBe(true);
    expect(await tree.inside("cat f")).toBe("b".repeat(10));
  });
});
