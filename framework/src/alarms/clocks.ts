import type { AlarmClock } from "./queue.ts";

/** The part of a Durable Object's storage that sets its alarm. */
export interface AlarmStorage {
  setAlarm?(timeMs: number): Promise<void>;
  deleteAlarm?(): Promise<void>;
}

/** The longest that a timer waits; a later moment is waited for in parts. */
const LONGEST_MS = 2 ** 31 - 1;

/** A timer of this process, which does not keep it alive. What is due while it is not running is done when it runs again. */
export function timerClock(ring: () => void): AlarmClock {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const clock: AlarmClock = {
    set(timeMs) {
      clearTimeout(timer);
      const wait = Math.max(0, timeMs - Date.now());
      timer = setTimeout(() => (wait > LONGEST_MS ? clock.set(timeMs) : ring()), Math.min(wait, LONGEST_MS));
      (timer as { unref?(): void }).unref?.();
    },
    clear: () => clearTimeout(timer),
  };
  return clock;
}

/**
 * The alarm of a Durable Object, which wakes it when it sleeps. A class without `alarm()` cannot set one: then a
 * timer does, for as long as the object lives.
 */
export function durableClock(storage: AlarmStorage, ring: () => void): AlarmClock {
  const timer = timerClock(ring);
  return {
    set(timeMs) {
      if (storage.setAlarm === undefined) return timer.set(timeMs);
      try {
        storage.setAlarm(timeMs).catch(() => timer.set(timeMs));
      } catch {
        timer.set(timeMs);
      }
    },
    clear() {
      timer.clear();
      try {
        storage.deleteAlarm?.().catch(() => {});
      } catch {}
    },
  };
}
