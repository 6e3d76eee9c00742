import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Random } from "../../../test/support/random.ts";
import { E } from "../../tree/errors.ts";
import { S_IFDIR, S_IFREG } from "../../tree/inode.ts";
import { Store } from "../../tree/store/store.ts";
import { Session } from "./session.ts";
import {
  CREATE_IN,
  ENTRY_OUT,
  IN_HEADER,
  INIT_IN,
  INIT_OUT,
  OP,
  OUT_HEADER,
  SETATTR_IN,
  WRITE_IN,
} from "./wire.ts";

let folder: string;
let store: Store;
let session: Session;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "computerd-session-"));
  store = Store.open(folder);
  const space = { blockSize: 4096, blocks: 10, free: 5, available: 4, filesFree: 3 };
  session = new Session(store.tree, { sync() {}, writeBack() {}, space: () => space });
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

/** Puts a request into the session's buffer; how long it is. */
function put(opcode: number, body: Uint8Array = new Uint8Array(), node: [number, number] = [1, 0]): number {
  const { input } = session;
  input.fill(0, 0, IN_HEADER.size);
  const length = IN_HEADER.size + body.length;
  input.writeUInt32LE(length, IN_HEADER.at.len);
  input.writeUInt32LE(opcode, IN_HEADER.at.opcode);
  input.writeUInt32LE(77, IN_HEADER.at.unique);
  input.writeUInt32LE(node[0], IN_HEADER.at.nodeid);
  input.writeUInt32LE(node[1], IN_HEADER.at.nodeid + 4);
  input.set(body, IN_HEADER.size);
  return length;
}

function ask(opcode: number, body?: Uint8Array, node?: [number, number]) {
  const length = session.handle(put(opcode, body, node));
  const { output } = session;
  return {
    length,
    errno: length === 0 ? 0 : Math.abs(output.readInt32LE(OUT_HEADER.at.error)),
    unique: length === 0 ? 0 : output.readUInt32LE(OUT_HEADER.at.unique),
    payload: output.subarray(OUT_HEADER.size, Math.max(OUT_HEADER.size, length)),
  };
}

const named = (name: string, size = 0) => Buffer.concat([Buffer.alloc(size), Buffer.from(`${name}\0`)]);

describe("the session", () => {
  test("INIT agrees on the smaller version and only on what both know", () => {
    const init = Buffer.alloc(INIT_IN.size);
    init.writeUInt32LE(7, INIT_IN.at.major);
    init.writeUInt32LE(99, INIT_IN.at.minor);
    init.writeUInt32LE(0xffffffff, INIT_IN.at.flags);
    const { payload } = ask(OP.INIT, init);
    expect(payload.length).toBe(INIT_OUT.size);
    expect(payload.readUInt32LE(INIT_OUT.at.minor)).toBe(38);
    const flags = payload.readUInt32LE(INIT_OUT.at.flags);
    // Never ATOMIC_O_TRUNC.
    expect(flags & (1 << 3)).toBe(0);
    expect(flags & (1 << 16)).not.toBe(0);
    init.writeUInt32LE(31, INIT_IN.at.minor);
    init.writeUInt32LE(1 << 13, INIT_IN.at.flags);
    expect(ask(OP.INIT, init.subarray(0, 16)).payload.readUInt32LE(INIT_OUT.at.flags)).toBe(1 << 13);
    init.writeUInt32LE(8, INIT_IN.at.major);
    expect(ask(OP.INIT, init).payload.readUInt32LE(INIT_OUT.at.major)).toBe(7);
    init.writeUInt32LE(6, INIT_IN.at.major);
    expect(ask(OP.INIT, init).errno).toBe(E.EIO.errno);
  });

  test("a node id that was used before says ESTALE, whatever has its place now", () => {
    const { payload } = ask(OP.CREATE, named("f", CREATE_IN.size));
    const id: [number, number] = [
      payload.readUInt32LE(ENTRY_OUT.at.nodeid),
      payload.readUInt32LE(ENTRY_OUT.at.nodeid + 4),
    ];
    expect(ask(OP.GETATTR, Buffer.alloc(16), id).errno).toBe(0);
    expect(ask(OP.UNLINK, named("f")).errno).toBe(0);
    expect(ask(OP.GETATTR, Buffer.alloc(16), id).errno).toBe(0);
    const forget = Buffer.alloc(8);
    forget.writeUInt32LE(1);
    expect(ask(OP.FORGET, forget, id).length).toBe(0);
    expect(ask(OP.GETATTR, Buffer.alloc(16), id).errno).toBe(E.ESTALE.errno);
    const again = ask(OP.CREATE, named("g", CREATE_IN.size)).payload;
    expect(again.readUInt32LE(ENTRY_OUT.at.nodeid)).toBe(id[0]);
    expect(again.readUInt32LE(ENTRY_OUT.at.nodeid + 4)).toBe(id[1] + 1);
    expect(ask(OP.GETATTR, Buffer.alloc(16), id).errno).toBe(E.ESTALE.errno);
  });

  test("OPEN, OPENDIR and FLUSH are refused once for all, what is unknown too", () => {
    for (const op of [OP.OPEN, OP.OPENDIR, OP.FLUSH, OP.COPY_FILE_RANGE, 9999])
      expect(ask(op, Buffer.alloc(64)).errno).toBe(E.ENOSYS.errno);
    expect(ask(OP.IOCTL, Buffer.alloc(64)).errno).toBe(E.ENOTTY.errno);
  });

  test("lies about lengths are refused", () => {
    const length = put(OP.LOOKUP, named("x"));
    session.input.writeUInt32LE(length + 1, IN_HEADER.at.len);
    expect(session.handle(length)).toBe(OUT_HEADER.size);
    expect(session.output.readInt32LE(OUT_HEADER.at.error)).toBe(-E.EINVAL.errno);
    expect(session.handle(5)).toBe(0);
    expect(session.handle(0)).toBe(0);
    expect(session.malformed).toBe(3);
    const write = Buffer.alloc(WRITE_IN.size + 10);
    write.writeUInt32LE(11, WRITE_IN.at.size);
    const node = store.tree.make(store.tree.root, "f", { mode: S_IFREG, uid: 0, gid: 0 });
    expect(ask(OP.WRITE, write, [node.slot, node.generation]).errno).toBe(E.EINVAL.errno);
    expect(ask(OP.LOOKUP, Buffer.from("no end")).errno).toBe(E.EINVAL.errno);
    expect(ask(OP.MKDIR, named("a/b", 8)).errno).toBe(E.EINVAL.errno);
    expect(ask(OP.MKDIR, named("..", 8)).errno).toBe(E.EINVAL.errno);
    expect(ask(OP.MKDIR, named("n".repeat(256), 8)).errno).toBe(E.ENAMETOOLONG.errno);
    expect(ask(OP.SETATTR, Buffer.alloc(SETATTR_IN.size - 1)).errno).toBe(E.EINVAL.errno);
    expect(ask(OP.BATCH_FORGET, Buffer.from([255, 255, 255, 255, 0, 0, 0, 0])).length).toBe(0);
  });

  test("any bytes are answered or dropped, and the tree stays whole", () => {
    const random = new Random();
    const { tree } = store;
    tree.make(tree.root, "f", { mode: S_IFREG | 0o644, uid: 0, gid: 0 });
    tree.make(tree.root, "d", { mode: S_IFDIR | 0o755, uid: 0, gid: 0 });
    const ops = Object.values(OP).filter((op) => op !== OP.LSEEK);
    const answered = new Map<number, number>();
    for (let round = 0; round < 60_000; round++) {
      const op = random.pick(ops);
      const body = random.bytes(random.pick([0, 1, 8, 16, 40, random.int(200)]));
      // Mostly small numbers, so that sizes, offsets and node ids are often plausible.
      for (let at = 0; at + 4 <= body.length; at += 4)
        if (random.int(3) > 0) body.writeUInt32LE(random.pick([0, 1, 2, 3, 4096, 0xffffffff, 17]), at);
      if (random.int(2) === 0)
        body.write(`${random.pick(["f", "d", "x", "..", "", "a/b"])}\0d\0`, random.int(body.length + 1));
      const length = session.handle(put(op, body, [random.int(6), 0]));
      if (length === 0) continue;
      const errno = Math.abs(session.output.readInt32LE(OUT_HEADER.at.error));
      answered.set(errno, (answered.get(errno) ?? 0) + 1);
      if (errno !== 0 && length !== OUT_HEADER.size)
        expect.fail(`seed ${random.seed}: an error with a payload`);
      if (session.output.readUInt32LE(OUT_HEADER.at.unique) !== 77)
        expect.fail(`seed ${random.seed}: another's answer`);
    }
    for (const errno of [0, E.EINVAL.errno, E.ENOENT.errno, E.ESTALE.errno, E.ENOTDIR.errno, E.EEXIST.errno])
      expect(answered.get(errno) ?? 0, `errno ${errno}, seed ${random.seed}`).toBeGreaterThan(0);
    expect(answered.get(E.EIO.errno) ?? 0).toBeLessThan(30_000);
    for (const node of tree.table.values()) {
      if (node.directory === undefined || (node.entry === undefined && node !== tree.root)) continue;
      for (const { node: child } of node.directory.values()) expect(child?.alive).toBe(true);
    }
    expect(ask(OP.LOOKUP, named("never")).errno).toBe(0);
  });
});
