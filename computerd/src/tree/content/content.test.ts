import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Random } from "../../../test/support/random.ts";
import { Inode, S_IFREG } from "../inode.ts";
import { Content, type Pin } from "./content.ts";
import { BLOCK, SEGMENT_BLOCKS } from "./extents.ts";
import { Segments } from "./segments.ts";

let folder: string;
let segments: Segments;
let content: Content;
let next = 2;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "computerd-content-"));
  segments = new Segments(folder);
  content = new Content(segments);
});
afterEach(() => {
  segments.close();
  rmSync(folder, { recursive: true });
});

const newFile = () => new Inode(next, 0, next++, S_IFREG | 0o644);
const all = (file: Inode) => {
  const bytes = Buffer.alloc(file.size);
  content.read(file, 0, file.size, bytes, 0);
  return bytes;
};
const write = (file: Inode, offset: number, bytes: Buffer) =>
  content.write(file, offset, bytes, 0, bytes.length);

describe("content", () => {
  test("does to several files what a model does, pinned versions included", () => {
    const random = new Random();
    const verbs = { write: 0, resize: 0, punch: 0, reserve: 0, pin: 0, unpin: 0, drop: 0 };
    let files = Array.from({ length: 4 }, () => ({ file: newFile(), model: Buffer.alloc(0) }));
    let pins: { pin: Pin; model: Buffer }[] = [];
    for (let round = 0; round < 6000; round++) {
      const verb = random.pick([
        "write",
        "write",
        "write",
        "resize",
        "punch",
        "reserve",
        "pin",
        "unpin",
        "drop",
      ] as const);
      const item = random.pick(files);
      const { file } = item;
      const offset = random.pick([random.int(200_000), random.int(40) * BLOCK, item.model.length]);
      const length = random.pick([1, random.int(100) + 1, BLOCK, random.int(70_000) + 1]);
      verbs[verb]++;
      if (verb === "write") {
        const bytes = random.bytes(length);
        write(file, offset, bytes);
        if (offset + length > item.model.length)
          item.model = Buffer.concat([item.model, Buffer.alloc(offset + length - item.model.length)]);
        bytes.copy(item.model, offset);
      } else if (verb === "resize") {
        content.resize(file, offset);
        item.model = Buffer.concat([
          item.model.subarray(0, offset),
          Buffer.alloc(Math.max(0, offset - item.model.length)),
        ]);
      } else if (verb === "punch") {
        content.punch(file, offset, length);
        item.model = Buffer.from(item.model);
        item.model.fill(0, Math.min(offset, item.model.length), Math.min(offset + length, item.model.length));
      } else if (verb === "reserve") content.reserve(file, offset, length);
      else if (verb === "pin") pins.push({ pin: content.pin(file), model: Buffer.from(item.model) });
      else if (verb === "unpin") {
        const [first, ...others] = pins;
        if (first !== undefined) content.unpin(first.pin);
        pins = others;
      } else if (random.int(10) === 0) {
        content.drop(file);
        files = files.filter((other) => other !== item).concat({ file: newFile(), model: Buffer.alloc(0) });
      }
      if (random.int(5) === 0) segments.release();
      const same = all(file).equals(item.model) && file.size === item.model.length;
      if (verb !== "drop" && !same)
        expect.fail(`seed ${random.seed}, round ${round}: after ${verb} ${offset}+${length}`);
      for (const { pin, model } of pins.slice(0, round % 10 === 0 ? 9 : 0)) {
        const bytes = Buffer.alloc(pin.size);
        content.readPin(pin, 0, pin.size, bytes, 0);
        if (!bytes.equals(model))
          expect.fail(`seed ${random.seed}, round ${round}: a pinned version changed`);
      }
      if (pins.length > 6) content.unpin((pins.shift() as { pin: Pin }).pin);
    }
    expect(Object.values(verbs).every((count) => count > 100)).toBe(true);
    // Nothing leaks: when all is gone, no block is in use.
    for (const { pin } of pins) content.unpin(pin);
    for (const { file } of files) content.drop(file);
    segments.release();
    expect(segments.used).toBe(0);
  });

  test("holes take no space and are told", () => {
    const file = newFile();
    write(file, 10 * BLOCK, Buffer.alloc(BLOCK, 1));
    content.resize(file, 100 * BLOCK);
    expect(segments.used).toBe(1);
    expect(content.seek(file, 0, true)).toBe(10 * BLOCK);
    expect(content.seek(file, 10 * BLOCK + 5, true)).toBe(10 * BLOCK + 5);
    expect(content.seek(file, 11 * BLOCK, true)).toBeUndefined();
    expect(content.seek(file, 0, false)).toBe(0);
    expect(content.seek(file, 10 * BLOCK, false)).toBe(11 * BLOCK);
    expect(content.seek(file, 100 * BLOCK, false)).toBeUndefined();
  });

  test("space that was used and is used again reads as zeros", () => {
    const old = newFile();
    write(old, 0, Buffer.alloc(64 * BLOCK, 7));
    content.drop(old);
    segments.release();
    const fresh = newFile();
    write(fresh, 100, Buffer.from("x"));
    content.reserve(fresh, 0, 32 * BLOCK);
    content.resize(fresh, 32 * BLOCK);
    const bytes = all(fresh);
    expect(bytes[100]).toBe(120);
    bytes[100] = 0;
    expect(bytes.equals(Buffer.alloc(32 * BLOCK))).toBe(true);
  });

  test("freed space is not given out before release, and a segment that is empty goes back to the disk", () => {
    const file = newFile();
    write(file, 0, Buffer.alloc(8 * BLOCK, 1));
    const [, before = 0] = file.extents?.runs ?? [];
    content.drop(file);
    const other = newFile();
    write(other, 0, Buffer.alloc(BLOCK, 2));
    expect(other.extents?.runs[1]).toBeGreaterThanOrEqual(before + 8);
    content.drop(other);
    segments.release();
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).size)).toEqual([BLOCK * 0]);
  });

  test("the map of a file written at random stays small", () => {
    const file = newFile();
    const random = new Random(5);
    const piece = Buffer.alloc(BLOCK, 1);
    for (let write = 0; write < 24_000; write++)
      content.write(file, random.int(500_000) * BLOCK, piece, 0, BLOCK);
    expect((file.extents?.runs.length ?? 0) / 3).toBeLessThan(50_000);
    expect(segments.used).toBeLessThan(SEGMENT_BLOCKS * 16);
  });

  test("a file larger than a segment is what was written, and all of its space comes back", () => {
    const file = newFile();
    const piece = Buffer.alloc(1 << 20);
    const count = (SEGMENT_BLOCKS * BLOCK) / piece.length + 20;
    for (let at = 0; at < count; at++) {
      piece.writeUInt32LE(at, 12);
      content.write(file, at * piece.length, piece, 0, piece.length);
    }
    const { runs } = file.extents as NonNullable<typeof file.extents>;
    for (let run = 0; run < runs.length; run += 3) {
      const [, start = 0, length = 0] = runs.slice(run, run + 3);
      expect(Math.floor(start / SEGMENT_BLOCKS)).toBe(Math.floor((start + length - 1) / SEGMENT_BLOCKS));
    }
    // Read at another step, so that reads lie across the boundaries of writes.
    const back = Buffer.alloc(piece.length);
    for (let at = 0; at < count - 1; at++) {
      content.read(file, at * piece.length + 100, back.length, back, 0);
      expect(back.readUInt32LE(piece.length - 100 + 12)).toBe(at + 1);
    }
    const other = newFile();
    content.reserve(other, 0, (SEGMENT_BLOCKS + 100) * BLOCK);
    content.drop(other);
    content.drop(file);
    segments.release();
    expect(segments.used).toBe(0);
    write(other, 0, Buffer.alloc(BLOCK, 1));
    expect(segments.used).toBe(1);
  });
});
