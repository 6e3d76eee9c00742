/**
 * The player's thread: after changes from outside it does through the mount what makes the kernel tell
 * watchers; see `Stage`. Where there is much to do it acts only where somebody watches.
 */
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { workerData } from "node:worker_threads";
import type { Play } from "./stage.ts";
import type { PlayerData, PlayerJob } from "./threads.ts";
import { watchedNodes } from "./watchers.ts";

/** So few plays cost less than to find out who watches. */
const FEW = 32;

const { path, control } = workerData as PlayerData;

control.on("message", ({ id, enter, plays, device }: PlayerJob) => {
  if (enter !== undefined) quietly(() => lstatSync(`${path}/${enter}`));
  if (plays !== undefined && plays.length > 0) {
    const watched = plays.length > FEW ? watchedNodes(device) : undefined;
    for (const play of plays) {
      if (watched === undefined || watched.has(play.parent) || watched.has(play.node)) perform(play);
    }
  }
  control.postMessage({ id });
});

function perform({ path: below, act, mode }: Play): void {
  const target = Buffer.concat([Buffer.from(`${path}/`), Buffer.from(below, "latin1")]);
  const touchIt = () => quietly(() => chmodSync(target, mode ?? lstatSync(target).mode & 0o7777));
  switch (act) {
    case "make":
      // As a writer would: made, opened, closed after writing. If it was looked up meanwhile, it exists.
      quietly(
        () => closeSync(openSync(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)),
        touchIt,
      );
      break;
    case "make directory":
      quietly(() => mkdirSync(target), touchIt);
      break;
    case "make link":
      quietly(() => symlinkSync("-", target));
      break;
    case "remove":
      quietly(() => unlinkSync(target));
      break;
    case "remove directory":
      quietly(() => rmdirSync(target));
      break;
    case "touch":
      touchIt();
      break;
  }
}

function quietly(work: () => unknown, otherwise: () => void = () => {}): void {
  try {
    work();
  } catch {
    otherwise();
  }
}
