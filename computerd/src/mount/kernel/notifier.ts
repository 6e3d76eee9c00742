/** The notifier's thread: tells the kernel what changed from outside, which may wait for the loop. */
import { statfsSync, writeSync } from "node:fs";
import { type MessagePort, workerData } from "node:worker_threads";
import { Doorbell } from "./doorbell.ts";
import { encodeNotice } from "./notices.ts";
import type { NotifierData, NotifyJob } from "./threads.ts";

const { fd, path, bell, loop, control } = workerData as NotifierData;
const doorbell = new Doorbell(bell, () => statfsSync(path));

listen(loop, () => doorbell.ring());
listen(control, () => {});

function listen(port: MessagePort, after: () => void): void {
  port.on("message", ({ id, notices }: NotifyJob) => {
    for (const notice of notices) {
      try {
        writeSync(fd, encodeNotice(notice));
      } catch {
        // ENOENT: the kernel holds nothing of it. ENOTEMPTY, EBUSY: only `delete` says so; forget the name.
        if (notice.kind === "delete") forget(notice);
      }
    }
    port.postMessage({ id });
    after();
  });
}

function forget({ parent, name }: { parent: { slot: number; generation: number }; name: string }): void {
  try {
    writeSync(fd, encodeNotice({ kind: "entry", parent, name }));
  } catch {
    // It holds nothing of it.
  }
}
