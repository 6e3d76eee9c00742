import type { Inode } from "../../tree/inode.ts";
import {
  NOTIFY,
  NOTIFY_DELETE_OUT,
  NOTIFY_INVAL_ENTRY_OUT,
  NOTIFY_INVAL_INODE_OUT,
  OUT_HEADER,
} from "./wire.ts";

/** A node's number in the kernel, as the two halves of which it is made. */
export interface NodeId {
  slot: number;
  generation: number;
}

/** The number of a node that may die before it is used. */
export function idOf({ slot, generation }: Inode): NodeId {
  return { slot, generation };
}

/** What the kernel is told unasked. */
export type Notice =
  /** Forget what a name led to. */
  | { kind: "entry"; parent: NodeId; name: string }
  /** A name is gone and so is what it led to: watchers of that hear of it. */
  | { kind: "delete"; parent: NodeId; child: NodeId; name: string }
  /** Forget attributes and pages of a node; what was written into pages is written back first. */
  | { kind: "pages"; node: NodeId }
  /** Forget the attributes of a node only. */
  | { kind: "attributes"; node: NodeId };

/** The message for a notice. */
export function encodeNotice(notice: Notice): Buffer {
  switch (notice.kind) {
    case "entry": {
      const { at, size } = NOTIFY_INVAL_ENTRY_OUT;
      const message = start(NOTIFY.INVAL_ENTRY, size + notice.name.length + 1);
      putId(message, OUT_HEADER.size + at.parent, notice.parent);
      message.writeUInt32LE(notice.name.length, OUT_HEADER.size + at.namelen);
      message.write(notice.name, OUT_HEADER.size + size, "latin1");
      return message;
    }
    case "delete": {
      const { at, size } = NOTIFY_DELETE_OUT;
      const message = start(NOTIFY.DELETE, size + notice.name.length + 1);
      putId(message, OUT_HEADER.size + at.parent, notice.parent);
      putId(message, OUT_HEADER.size + at.child, notice.child);
      message.writeUInt32LE(notice.name.length, OUT_HEADER.size + at.namelen);
      message.write(notice.name, OUT_HEADER.size + size, "latin1");
      return message;
    }
    case "pages":
    case "attributes": {
      const { at, size } = NOTIFY_INVAL_INODE_OUT;
      const message = start(NOTIFY.INVAL_INODE, size);
      putId(message, OUT_HEADER.size + at.ino, notice.node);
      // A negative offset means the attributes alone; a length of 0 or less means to the end.
      message.writeBigInt64LE(notice.kind === "pages" ? 0n : -1n, OUT_HEADER.size + at.off);
      message.writeBigInt64LE(0n, OUT_HEADER.size + at.len);
      return message;
    }
  }
}

function start(code: number, payload: number): Buffer {
  const message = Buffer.alloc(OUT_HEADER.size + payload);
  message.writeUInt32LE(message.length, OUT_HEADER.at.len);
  message.writeInt32LE(code, OUT_HEADER.at.error);
  return message;
}

function putId(message: Buffer, at: number, { slot, generation }: NodeId): void {
  message.writeUInt32LE(slot, at);
  message.writeUInt32LE(generation, at + 4);
}
