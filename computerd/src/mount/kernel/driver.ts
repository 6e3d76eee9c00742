import { closeSync, mkdirSync, readFileSync } from "node:fs";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { attach, detach, openDevice } from "./attach.ts";
import { Doorbell } from "./doorbell.ts";
import type { Answer, HelperData, LoopData } from "./threads.ts";

export interface KernelMountOptions {
  path: string;
  store: string;
}

function threadFile(name: string): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./${name}.${extension}`, import.meta.url);
}

export async function mountKernel({ path, store }: KernelMountOptions): Promise<{ close(): Promise<void> }> {
  mkdirSync(store, { recursive: true });
  const fd = openDevice(false);
  await attach(fd, path);
  const bell = new SharedArrayBuffer(4);
  const toLoop = new MessageChannel();
  const loopNotifier = new MessageChannel();
  const loopReplier = new MessageChannel();
  const mainNotifier = new MessageChannel();
  const mainReplier = new MessageChannel();
  const start = (name: string, workerData: LoopData | HelperData, ports: MessagePort[]) =>
    new Worker(threadFile(name), { workerData, transferList: ports });
  const threads = [
    start(
      "loop",
      {
        fd,
        store,
        limits: {},
        bell,
        control: toLoop.port2,
        notifier: loopNotifier.port1,
        replier: loopReplier.port1,
      },
      [toLoop.port2, loopNotifier.port1, loopReplier.port1],
    ),
    start("notifier", { fd, bell, loop: loopNotifier.port2, control: mainNotifier.port2 }, [
      loopNotifier.port2,
      mainNotifier.port2,
    ]),
    start("replier", { fd, bell, loop: loopReplier.port2, control: mainReplier.port2 }, [
      loopReplier.port2,
      mainReplier.port2,
    ]),
  ];
  void new Doorbell(bell, fd);
  await new Promise<void>((resolve) => {
    toLoop.port1.on("message", (answer: Answer) => {
      if (answer.type === "ready") resolve();
    });
  });
  return {
    async close() {
      await detach(path, false).catch(() => detach(path, true));
      await new Promise((resolve) => setTimeout(resolve, 20));
      for (const thread of threads) await thread.terminate();
      toLoop.port1.close();
      mainNotifier.port1.close();
      mainReplier.port1.close();
      closeSync(fd);
      void readFileSync;
    },
  };
}
