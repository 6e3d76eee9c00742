import { beforeEach, expect, test, vi } from "vitest";
import { openNodeSql } from "../vfs/sql/node.ts";
import type { Sql } from "../vfs/sql/types.ts";
import { Tree } from "../vfs/tree.ts";
import { timerClock } from "./clocks.ts";
import { AlarmQueue } from "./queue.ts";

let sql: Sql;
let now = 1000;
let alarm: number | undefined;
let sets = 0;
const clock = {
  set: (timeMs: number) => {
    alarm = timeMs;
    sets += 1;
  },
  clear: () => {
    alarm = undefined;
  },
};

beforeEach(() => {
  sql = openNodeSql();
  new Tree(sql, 1000);
  now = 1000;
  alarm = undefined;
  sets = 0;
});

/** What the platform does: an alarm that goes off is set no more. */
async function ring(tasks: AlarmQueue): Promise<void> {
  alarm = undefined;
  await tasks.run();
}

const queue = () => new AlarmQueue(sql, clock, () => now);

test("the alarm is that of the earliest task, and there is none without a task", async () => {
  const tasks = queue();
  const done: string[] = [];
  tasks.register("kind", async ({ key, payload }) => void done.push(`${key} ${JSON.stringify(payload)}`));
  tasks.start();
  expect(sets).toBe(0);
  tasks.schedule({ kind: "kind", key: "late", payload: { a: 1 } }, 3000);
  tasks.schedule({ kind: "kind", key: "early", payload: null }, 2000);
  expect(alarm).toBe(2000);
  now = 2000;
  await ring(tasks);
  expect(done).toEqual(["early null"]);
  expect(alarm).toBe(3000);
  now = 5000;
  await ring(tasks);
  expect(done).toEqual(["early null", 'late {"a":1}']);
  expect(alarm).toBe(undefined);
  await ring(tasks);
  expect(sets).toBe(3);
});

test("of two moments for one task the earlier holds", () => {
  const tasks = queue();
  tasks.schedule({ kind: "kind", key: "", payload: null }, 3000);
  tasks.schedule({ kind: "kind", key: "", payload: null }, 4000);
  expect(tasks.due("kind", "")).toBe(3000);
  tasks.schedule({ kind: "kind", key: "", payload: null }, 2000);
  expect([tasks.due("kind", ""), alarm]).toEqual([2000, 2000]);
  tasks.cancel("kind", "");
  expect(alarm).toBe(undefined);
});

test("what fails is tried again, later each time, and given up in the end", async () => {
  const complain = vi.spyOn(console, "error").mockImplementation(() => {});
  const tasks = queue();
  let tries = 0;
  tasks.register("kind", async () => {
    tries += 1;
    throw new Error("no");
  });
  tasks.schedule({ kind: "kind", key: "", payload: null }, 1000);
  const waits: number[] = [];
  while (alarm !== undefined) {
    now = alarm;
    await ring(tasks);
    if (alarm !== undefined) waits.push(alarm - now);
  }
  expect(tries).toBe(24);
  expect(waits.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
  expect(Math.max(...waits)).toBe(3_600_000);
  expect(complain).toHaveBeenCalledOnce();
  complain.mockRestore();
});

test("a task of a kind that nobody knows waits for code that does", async () => {
  queue().schedule({ kind: "unknown", key: "", payload: null }, 1000);
  const tasks = queue();
  tasks.start();
  expect(alarm).toBe(1000);
  await ring(tasks);
  expect(alarm).toBe(2000);
});

test("what was left to do is done in the next life, and again when it died half way", async () => {
  queue().schedule({ kind: "kind", key: "", payload: 7 }, 1000);
  const dead = queue();
  dead.register("kind", async () => {
    dead.close();
    return undefined;
  });
  await ring(dead);
  const tasks = queue();
  const done: unknown[] = [];
  tasks.register("kind", async ({ payload }) => void done.push(payload));
  tasks.start();
  expect(alarm).toBe(1000);
  await ring(tasks);
  expect(done).toEqual([7]);
});

test("a handler may ask to be called again, and a task scheduled meanwhile is not lost", async () => {
  const tasks = queue();
  tasks.register("again", async () => ({ againAtMs: 9000 }));
  tasks.register("meanwhile", async () => {
    tasks.schedule({ kind: "meanwhile", key: "", payload: null }, 500);
    return undefined;
  });
  tasks.schedule({ kind: "again", key: "", payload: null }, 1000);
  tasks.schedule({ kind: "meanwhile", key: "", payload: null }, 1000);
  await ring(tasks);
  expect([tasks.due("again", ""), tasks.due("meanwhile", "")]).toEqual([9000, 500]);
});

test("a timer rings, and a long wait does not overflow", async () => {
  vi.useFakeTimers();
  const rung = vi.fn();
  const timer = timerClock(rung);
  timer.set(Date.now() + 50 * 24 * 3600 * 1000);
  await vi.advanceTimersByTimeAsync(49 * 24 * 3600 * 1000);
  expect(rung).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(24 * 3600 * 1000);
  expect(rung).toHaveBeenCalledOnce();
  timer.set(Date.now() + 1000);
  timer.clear();
  await vi.advanceTimersByTimeAsync(5000);
  expect(rung).toHaveBeenCalledOnce();
  vi.useRealTimers();
});
