import type { Inode } from "../inode.ts";
import { RECORD, type RecordReader, type RecordWriter } from "./records.ts";

/** A node as it stands in the journal. */
export interface StoredNode {
  mode: number;
  uid: number;
  gid: number;
  rdev: number;
  size: number;
  times: number[];
  target: Buffer | undefined;
  xattrs: Map<string, Buffer> | undefined;
  runs: number[];
}

/** What a journal says: the last word on everything. */
export interface StoredState {
  version: number;
  nextId: number;
  nodes: Map<number, StoredNode>;
  names: Map<number, Map<string, number>>;
}

export function writeHead(writer: RecordWriter, version: number, nextId: number): void {
  writer.u8(RECORD.HEAD);
  writer.f64(version);
  writer.f64(nextId);
}

export function writeNode(writer: RecordWriter, node: Inode): void {
  writer.u8(RECORD.NODE);
  writer.f64(node.id);
  writer.u32(node.mode);
  writer.u32(node.uid);
  writer.u32(node.gid);
  writer.u32(node.rdev);
  writer.f64(node.size);
  writer.f64(node.atimeSec);
  writer.f64(node.mtimeSec);
  writer.f64(node.ctimeSec);
  writer.u32(node.atimeNsec);
  writer.u32(node.mtimeNsec);
  writer.u32(node.ctimeNsec);
  writer.u8(node.target === undefined ? 0 : 1);
  if (node.target !== undefined) writer.bytes(node.target);
  writer.u32(node.xattrs?.size ?? 0);
  for (const [name, value] of node.xattrs ?? []) {
    writer.text(name);
    writer.bytes(value);
  }
}

export function writeRuns(writer: RecordWriter, node: Inode): void {
  const runs = node.extents?.runs ?? [];
  writer.u8(RECORD.RUNS);
  writer.f64(node.id);
  writer.u32(runs.length);
  for (const value of runs) writer.u32(value);
}

export function writeName(writer: RecordWriter, parent: number, name: string, node: number): void {
  writer.u8(RECORD.NAME);
  writer.f64(parent);
  writer.text(name);
  writer.f64(node);
}

/** Takes the records of one frame into a state. Throws when they make no sense. */
export function readInto(state: StoredState, reader: RecordReader): void {
  while (!reader.done) {
    const kind = reader.u8();
    if (kind === RECORD.HEAD) {
      state.version = reader.f64();
      state.nextId = reader.f64();
    } else if (kind === RECORD.NODE) readNode(state, reader);
    else if (kind === RECORD.RUNS) {
      const node = state.nodes.get(reader.f64());
      const runs: number[] = [];
      for (let left = reader.u32(); left > 0; left--) runs.push(reader.u32());
      if (node !== undefined) node.runs = runs;
    } else if (kind === RECORD.NAME) {
      const parent = reader.f64();
      const name = reader.text();
      const node = reader.f64();
      let names = state.names.get(parent);
      if (names === undefined) {
        names = new Map();
        state.names.set(parent, names);
      }
      if (node === 0) names.delete(name);
      else names.set(name, node);
    } else throw new Error(`a record of the unknown kind ${kind}`);
  }
}

function readNode(state: StoredState, reader: RecordReader): void {
  const id = reader.f64();
  const node: StoredNode = {
    mode: reader.u32(),
    uid: reader.u32(),
    gid: reader.u32(),
    rdev: reader.u32(),
    size: reader.f64(),
    times: [reader.f64(), reader.f64(), reader.f64(), reader.u32(), reader.u32(), reader.u32()],
    target: reader.u8() === 1 ? reader.bytes() : undefined,
    xattrs: undefined,
    runs: state.nodes.get(id)?.runs ?? [],
  };
  for (let left = reader.u32(); left > 0; left--) {
    node.xattrs ??= new Map();
    node.xattrs.set(reader.text(), reader.bytes());
  }
  state.nodes.set(id, node);
}
