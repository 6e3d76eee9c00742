import { closeSync, mkdirSync, statfs } from "node:fs";
import { resolve as resolvePath } from "node:path";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { lockStore, type StoreLock } from "../../tree/store/lock.ts";
import { type Mount, type MountDriver, MountError, type MountOptions } from "../types.ts";
import { attach, clearDeadMount, detach, mountsAt, openDevice } from "./attach.ts";
import { BELL_SIZE, Doorbell } from "./doorbell.ts";
import { JobClient } from "./job-client.ts";
import { LoopClient } from "./loop-client.ts";
import { KernelMount } from "./mount.ts";
import { threadFile } from "./thread-file.ts";
import type { LoopData, NotifierData, NotifyJob, PlayerData, PlayerJob, ReplierData } from "./threads.ts";

/** Room for short-lived objects: there are few, and with more room a large tree would take far more memory. */
const YOUNG_MIB = 12;

/** Speaks the kernel's FUSE protocol itself. Linux, with `/dev/fuse` and the right to mount. */
export const kernelDriver: MountDriver = { name: "kernel", mount: mountKernel };

async function mountKernel(options: MountOptions): Promise<Mount> {
  const path = resolvePath(options.path);
  const lock = lockStore(options.store);
  if (lock === undefined)
    throw new MountError("ERR_STORE_LOCKED", `${options.store} belongs to a daemon that is running`);
  try {
    await clearDeadMount(path);
    mkdirSync(path, { recursive: true });
    return await start(path, options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function start(path: string, options: MountOptions, lock: StoreLock): Promise<Mount> {
  const fd = openDevice();
  const bell = new SharedArrayBuffer(BELL_SIZE);
  const doorbell = new Doorbell(bell, () => statfs(path, () => {}));
  const control = new MessageChannel();
  const toNotifier = new MessageChannel();
  const toReplier = new MessageChannel();
  const toPlayer = new MessageChannel();
  const loopNotifier = new MessageChannel();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const loop = new LoopClient(control.port1, doorbell);
  let stopping = false;
  const watch = (worker: Worker): Worker => {
    const fail = (cause: Error) => {
      if (stopping) return;
      failed.reject(
        new MountError("ERR_MOUNT_FAILED", `the mount could not be served: ${cause.message}`, cause),
      );
    };
    worker.on("error", fail);
    return worker.on("exit", (code) => fail(new Error(`a thread ended with ${code}`)));
  };
  const loopThread = watch(
    thread<LoopData>("loop", {
      fd,
      store: options.store,
      limits: options.limits ?? {},
      spin: options.spin ?? true,
      bell,
      control: control.port2,
      notifier: loopNotifier.port1,
      replier: toReplier.port1,
    }),
  );
  const notifier = new JobClient<NotifyJob>(toNotifier.port1);
  const player = new JobClient<PlayerJob>(toPlayer.port1);
  const helpers: Worker[] = [];

  async function stop(): Promise<void> {
    stopping = true;
    notifier.close();
    player.close();
    // Who writes to the descriptor ends before who may close it.
    await Promise.all(helpers.map((worker) => worker.terminate()));
    await loopThread.terminate();
    loop.close();
    if (!loop.ownsDevice) closeSync(fd);
    lock.release();
  }
  try {
    await attach(fd, path);
  } catch (error) {
    doorbell.announceMount(false);
    await Promise.race([loop.ended, failed.promise]).catch(() => {});
    await stop();
    throw error;
  }
  doorbell.announceMount(true);
  try {
    await Promise.race([loop.ready, failed.promise]);
  } catch (error) {
    await detach(path, true).catch(() => {});
    await stop();
    throw error;
  }
  // Not before: the loop alone can answer, and work for the others waits in their ports.
  helpers.push(
    watch(
      thread<NotifierData>("notifier", {
        fd,
        path,
        bell,
        loop: loopNotifier.port2,
        control: toNotifier.port2,
      }),
    ),
    watch(thread<ReplierData>("replier", { fd, loop: toReplier.port2 })),
    watch(thread<PlayerData>("player", { path, control: toPlayer.port2 })),
  );
  // A thread that dies would leave everybody hanging who uses the mount: take it away.
  failed.promise.catch(async (error: Error) => {
    await detach(path, true).catch(() => {});
    loop.end(error.message);
  });
  const device = mountsAt(path).at(-1)?.device ?? "0:0";
  return new KernelMount({ path, device, loop, notifier, player, doorbell, stop });
}

function thread<Data extends object>(name: string, workerData: Data): Worker {
  const ports = Object.values(workerData).filter((value) => isPort(value));
  return new Worker(threadFile(name), {
    workerData,
    transferList: ports,
    name: `computerd ${name}`,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
  });
}

function isPort(value: unknown): value is MessagePort {
  return typeof value === "object" && value !== null && "postMessage" in value;
}
