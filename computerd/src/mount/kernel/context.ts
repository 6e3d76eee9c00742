import { E } from "../../tree/errors.ts";
import type { Inode } from "../../tree/inode.ts";
import type { Tree } from "../../tree/tree.ts";
import type { Reply } from "./reply.ts";
import type { Request } from "./request.ts";
import type { Stage } from "./stage.ts";

/** What a handler returns instead of a payload's length: the request wants no answer, or gets it later. */
export const NO_REPLY = -1;
export const LATER = -2;

/** How the file system under the tree fares, for statfs. */
export interface Space {
  blockSize: number;
  blocks: number;
  free: number;
  available: number;
  filesFree: number;
}

/** What handlers cannot do themselves, because it may take long: other threads do it. */
export interface Outside {
  /** Puts what the tree holds on the disk, then answers the request. */
  sync(request: Request): void;
  /** Has the kernel write back what it holds of a node, then handles the request again. */
  writeBack(request: Request, node: Inode): void;
  space(): Space;
}

/** What a handler works with. */
export interface Context {
  tree: Tree;
  request: Request;
  reply: Reply;
  outside: Outside;
  /** Threads of ours that only play: what they do through the mount makes events, not changes. */
  stage: Stage;
}

/** Answers one operation: writes the payload, and returns its length or why there is none. */
export type Handler = (context: Context, node: Inode) => number;

/** A node that a request's body names by its id. */
export function nodeAt({ tree, request }: Context, offset: number): Inode {
  const node = tree.table.get(request.u32(offset), request.u32(offset + 4));
  if (node === undefined) throw E.ESTALE;
  return node;
}
