/** The loop's thread: owns the tree, reads requests, answers them. It waits for the kernel only. */
import { statfsSync, writeSync } from "node:fs";
import { receiveMessageOnPort, workerData } from "node:worker_threads";
import { TreeError } from "../../tree/errors.ts";
import type { Inode } from "../../tree/inode.ts";
import { Store } from "../../tree/store/store.ts";
import { Commands } from "./commands.ts";
import type { Outside } from "./context.ts";
import { Doorbell } from "./doorbell.ts";
import { sought } from "./handlers/data.ts";
import { idOf } from "./notices.ts";
import type { Request } from "./request.ts";
import { Session } from "./session.ts";
import { AdaptiveReader, switchFor } from "./spin.ts";
import type { Answer, Call, Done, LoopData, NotifyJob, SyncJob } from "./threads.ts";

/** So many changes at most wait to be put on record; each commit is short then. */
const COMMIT_AFTER = 4096;
const BLOCK = 4096;

// Errors that are ordinary here (EAGAIN, ENOENT) need no stack.
Error.stackTraceLimit = 0;

const { fd, store: folder, limits, spin, bell, control, notifier, replier } = workerData as LoopData;
const doorbell = new Doorbell(bell, () => {});
const store = Store.open(folder, limits);
const { tree } = store;
/** Requests that wait for the notifier, as they came. */
const parked = new Map<number, Buffer>();
let nextJob = 1;
/** A commit failed: the next one by number of changes waits until there are so many more. */
let commitAt = COMMIT_AFTER;

const outside: Outside = {
  sync(request: Request) {
    const { uniqueLow, uniqueHigh } = request;
    const job: SyncJob = { fds: store.commitForSync(), uniqueLow, uniqueHigh };
    replier.postMessage(job);
  },
  writeBack(request: Request, node: Inode) {
    const id = nextJob++;
    parked.set(id, Buffer.from(request.bytes.subarray(0, request.length)));
    const job: NotifyJob = { id, notices: [{ kind: "pages", node: idOf(node) }] };
    notifier.postMessage(job);
  },
  space() {
    const { bsize, blocks, bfree, bavail, ffree } = statfsSync(folder);
    const left = Math.max(0, Math.floor(tree.limits.bytes / bsize - (tree.segments.used * BLOCK) / bsize));
    const nodesLeft = Math.max(0, tree.limits.nodes - tree.table.count);
    return {
      blockSize: bsize,
      blocks: Math.min(blocks, Math.floor(tree.limits.bytes / bsize)),
      free: Math.min(bfree, left),
      available: Math.min(bavail, left),
      filesFree: Math.min(ffree, nodesLeft),
    };
  },
};

const session = new Session(tree, outside, () => {
  const { minor = 0, flags = 0 } = session.agreed ?? {};
  say({ type: "ready", minor, flags });
});
const commands = new Commands(store, session.stage);

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
  for (let got = receiveMessageOnPort(control); got !== undefined; got = receiveMessageOnPort(control))
    say(perform(got.message as Call));
}

function perform({ id, method, args }: Call): Answer {
  try {
    const work = commands[method] as (...args: unknown[]) => unknown;
    return { type: "answer", id, result: work.apply(commands, args) };
  } catch (error) {
    const { message } = error as Error;
    return { type: "failed", id, code: error instanceof TreeError ? error.code : "EIO", message };
  }
}

function commitIfDue(): void {
  if (tree.log.version - store.committed < commitAt) return;
  try {
    store.commit();
    commitAt = COMMIT_AFTER;
  } catch {
    // The disk is full. Writers are told so by their own writes; the next commit tries again.
    commitAt = tree.log.version - store.committed + COMMIT_AFTER;
  }
}

function loop(): string {
  const setBlocking = spin ? switchFor(fd) : undefined;
  if (setBlocking !== undefined) say({ type: "owner" });
  const reader = new AdaptiveReader(fd, setBlocking);
  for (;;) {
    let length: number;
    try {
      length = reader.read(session.input);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "ENODEV") return "unmounted";
      if (code === "EINTR" || code === "EAGAIN" || code === "ENOENT") continue;
      return code;
    }
    if (length === 0) return "aborted";
    const answer = session.handle(length);
    if (answer > 0) send(answer);
    if (session.refused) return "this kernel's FUSE protocol is older than 7.31, that is Linux 5.4";
    commitIfDue();
    if (doorbell.rang()) mail();
    doorbell.show(tree.log.version);
  }
}

const reason = doorbell.waitForMount() ? loop() : "never mounted";
try {
  store.close();
} finally {
  say({ type: "ended", reason });
}
// The descriptor may go with this thread, so that the thread goes last: other threads still write to it.
setInterval(() => {}, 2 ** 30);
