import { E } from "../../tree/errors.ts";
import { PAYLOAD, type Reply } from "./reply.ts";
import type { Request } from "./request.ts";
import { IN_HEADER, INIT, INIT_IN, INIT_IN_SHORT, INIT_OUT, MAJOR, MINOR, MINOR_AT_LEAST } from "./wire.ts";

/** The greatest READ and WRITE. */
export const MAX_REQUEST = 1 << 20;
const PAGE = 4096;
/** Requests that the kernel may send without waiting: read-ahead and write-back. */
const BACKGROUND = 64;

/**
 * What we ask of the kernel. Not ATOMIC_O_TRUNC: as OPEN is refused, we would never hear of the truncation.
 * Not EXPORT_SUPPORT, not POSIX_ACL, no locks: the kernel does those itself or not at all.
 */
const WANTED =
  INIT.ASYNC_READ |
  INIT.BIG_WRITES |
  INIT.AUTO_INVAL_DATA |
  INIT.DO_READDIRPLUS |
  INIT.READDIRPLUS_AUTO |
  INIT.ASYNC_DIO |
  INIT.WRITEBACK_CACHE |
  INIT.NO_OPEN_SUPPORT |
  INIT.PARALLEL_DIROPS |
  INIT.MAX_PAGES |
  INIT.CACHE_SYMLINKS |
  INIT.NO_OPENDIR_SUPPORT |
  INIT.HANDLE_KILLPRIV_V2;

/** What was agreed on. */
export interface Agreed {
  minor: number;
  flags: number;
}

/** Answers INIT: the payload's length. Throws EPROTO's stand-in for a kernel that is too old. */
export function negotiate(request: Request, reply: Reply, agreed: (agreed: Agreed) => void): number {
  const body = request.body(INIT_IN_SHORT);
  const major = request.u32(body + INIT_IN.at.major);
  const minor = Math.min(MINOR, request.u32(body + INIT_IN.at.minor));
  reply.zero(PAYLOAD, INIT_OUT.size);
  reply.u32(PAYLOAD + INIT_OUT.at.major, MAJOR);
  if (major > MAJOR) return INIT_OUT.size; // It asks again with ours.
  if (major < MAJOR || minor < MINOR_AT_LEAST) throw E.EIO;
  const flags = WANTED & request.u32(IN_HEADER.size + INIT_IN.at.flags);
  reply.u32(PAYLOAD + INIT_OUT.at.minor, minor);
  reply.u32(PAYLOAD + INIT_OUT.at.max_readahead, MAX_REQUEST);
  reply.u32(PAYLOAD + INIT_OUT.at.flags, flags);
  reply.u16(PAYLOAD + INIT_OUT.at.max_background, BACKGROUND);
  reply.u16(PAYLOAD + INIT_OUT.at.congestion_threshold, (BACKGROUND * 3) / 4);
  reply.u32(PAYLOAD + INIT_OUT.at.max_write, MAX_REQUEST);
  reply.u32(PAYLOAD + INIT_OUT.at.time_gran, 1);
  reply.u16(PAYLOAD + INIT_OUT.at.max_pages, MAX_REQUEST / PAGE);
  agreed({ minor, flags });
  return INIT_OUT.size;
}
