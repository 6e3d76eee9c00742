/** The replier's thread: answers requests whose work takes long, so that the loop does not wait for disks. */
import { fdatasyncSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { receiveMessageOnPort, workerData } from "node:worker_threads";
import type { ReplierData, SyncJob } from "./threads.ts";
import { OUT_HEADER } from "./wire.ts";

const { fd, loop } = workerData as ReplierData;
const reply = Buffer.alloc(OUT_HEADER.size);

loop.on("message", (first: SyncJob) => {
  // All that wait already are served by one sync.
  const jobs = [first];
  for (let more = receiveMessageOnPort(loop); more !== undefined; more = receiveMessageOnPort(loop))
    jobs.push(more.message as SyncJob);
  let errno = 0;
  for (const file of new Set(jobs.flatMap(({ fds }) => fds))) {
    try {
      fdatasyncSync(file);
    } catch (error) {
      errno =
        (error as NodeJS.ErrnoException).code === "ENOSPC" ? constants.errno.ENOSPC : constants.errno.EIO;
    }
  }
  for (const job of jobs) answer(job, errno);
});

function answer({ uniqueLow, uniqueHigh }: SyncJob, errno: number): void {
  reply.writeUInt32LE(reply.length, OUT_HEADER.at.len);
  reply.writeInt32LE(-errno, OUT_HEADER.at.error);
  reply.writeUInt32LE(uniqueLow, OUT_HEADER.at.unique);
  reply.writeUInt32LE(uniqueHigh, OUT_HEADER.at.unique + 4);
  try {
    writeSync(fd, reply);
  } catch {
    // Whoever asked was interrupted, or the mount is gone.
  }
}
