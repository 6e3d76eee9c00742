/**
 * A daemon for tests that kill it: mounts, says `mounted`, and works until it gets SIGTERM.
 *
 * usage: node daemon.ts PATH STORE
 */
import { kernelDriver } from "../../src/mount/kernel/driver.ts";

const [, , path = "", store = ""] = process.argv;
const mount = await kernelDriver.mount({ path, store });
const stay = setInterval(() => {}, 1 << 30);
process.on("SIGTERM", async () => {
  await mount.close();
  clearInterval(stay);
  process.stdin.destroy();
});
process.stdin.on("data", async (line) => {
  if (String(line).startsWith("status"))
    console.log(JSON.stringify({ ...(await mount.status()), rss: process.memoryUsage().rss }));
  if (String(line).startsWith("quiesce")) console.log(`quiet ${await mount.quiesce()}`);
});
console.log("mounted");
