import { expect, test } from "vitest";
import { ABSENT, EntryCache } from "./entry-cache.ts";

test("a miss is a question to the database, or an answer where all is known", () => {
  const cache = new EntryCache(100);
  expect(cache.find(1, "a")).toBeUndefined();
  cache.set(1, "a", 7);
  expect([cache.find(1, "a"), cache.find(1, "b")]).toEqual([7, undefined]);
  cache.created(2);
  expect(cache.find(2, "a")).toBe(ABSENT);
  cache.set(2, "a", 8);
  cache.set(2, "a", 9);
  expect([cache.find(2, "a"), cache.find(2, "b")]).toEqual([9, ABSENT]);
  cache.delete(2, "a");
  cache.delete(1, "a");
  expect([cache.find(2, "a"), cache.find(1, "a")]).toEqual([ABSENT, undefined]);
  cache.clear();
  expect(cache.find(2, "a")).toBeUndefined();
});

test("it keeps within its bound, and is sure of nothing that it has forgotten", () => {
  const cache = new EntryCache(10);
  cache.created(1);
  for (let i = 0; i < 9; i++) cache.set(1, `${i}`, i + 1);
  expect(cache.find(1, "x")).toBe(ABSENT);
  cache.set(2, "a", 1);
  expect([cache.find(1, "0"), cache.find(1, "x"), cache.find(2, "a")]).toEqual([undefined, undefined, 1]);
  for (let i = 0; i < 1000; i++) cache.created(i + 10);
  expect([cache.find(1009, "x"), cache.find(1000, "x"), cache.find(10, "x")]).toEqual([
    ABSENT,
    ABSENT,
    undefined,
  ]);
});
