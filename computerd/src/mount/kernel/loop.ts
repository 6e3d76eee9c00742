/** The loop's thread: owns the tree, reads requests, answers them. It waits for the kernel only. */
import { readSync, statfsSync, writeSync } from "node:fs";
import { receiveMessageOnPort, workerData } from "node:worker_threads";
import { Segments } from "../../tree/content/segments.ts";
import type { Inode } from "../../tree/inode.ts";
import { Tree } from "../../tree/tree.ts";
import type { Outside } from "./context.ts";
import { Doorbell } from "./doorbell.ts";
import { sought } from "./handlers/data.ts";
import { idOf } from "./notices.ts";
import type { Request } from "./request.ts";
import { Session } from "./session.ts";
import type { Answer, Call, Done, LoopData, NotifyJob, SyncJob } from "./threads.ts";

// Errors that are ordinary here (EAGAIN, ENOENT) need no stack.
Error.stackTraceLimit = 0;

const { fd, store, limits, bell, control, notifier, replier } = workerData as LoopData;
const doorbell = new Doorbell(bell, fd);
const segments = new Segments(`${store}/content`);
const tree = new Tree(segments, limits);
const parked = new Map<number, Buffer>();
let nextJob = 1;

const outside: Outside = {
  sync(request: Request) {
    const { uniqueLow, uniqueHigh } = request;
    const job: SyncJob = { fds: segments.takeDirty(), uniqueLow, uniqueHigh };
    replier.postMessage(job);
  },
  writeBack(request: Request, node: Inode) {
    const id = nextJob++;
    parked.set(id, Buffer.from(request.bytes.subarray(0, request.length)));
    const job: NotifyJob = { id, notices: [{ kind: "pages", node: idOf(node) }] };
    notifier.postMessage(job);
  },
  space() {
    const { bsize, blocks, bfree, bavail, ffree } = statfsSync(store);
    const spare = (segments.spare * 4096) / bsize;
    return {
      blockSize: bsize,
      blocks,
      free: bfree,
      available: bavail + 0 * spare,
      files: 0,
      filesFree: ffree,
    };
  },
};

const session = new Session(tree, outside, () => {
  const { minor = 0, flags = 0 } = session.agreed ?? {};
  say({ type: "ready", minor, flags });
});

function say(answer: Answer): void {
  control.postMessage(answer);
}

function send(length: number): void {
  try {
    writeSync(fd, session.output, 0, length);
  } catch {
    // ENOENT: whoever asked was interrupted. ENODEV: the mount is gone, which `read` will say too.
  }
}

function mail(): void {
  for (let got = receiveMessageOnPort(notifier); got !== undefined; got = receiveMessageOnPort(notifier)) {
    const { id } = got.message as Done;
    const request = parked.get(id);
    parked.delete(id);
    if (request === undefined) continue;
    request.copy(session.input);
    const length = session.resume(request.length, sought);
    if (length > 0) send(length);
  }
  for (let got = receiveMessageOnPort(control); got !== undefined; got = receiveMessageOnPort(control)) {
    const { id } = got.message as Call;
    say({ type: "answer", id, result: null });
  }
}

function loop(): string {
  for (;;) {
    let length: number;
    try {
      length = readSync(fd, session.input, 0, session.input.length, null);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "ENODEV") return "unmounted";
      if (code === "EINTR" || code === "EAGAIN" || code === "ENOENT") continue;
      return code;
    }
    if (length === 0) return "aborted";
    const answer = session.handle(length);
    if (answer > 0) send(answer);
    if (doorbell.rang()) mail();
  }
}

say({ type: "ended", reason: loop() });
segments.close();
