import { E, fromNode, TreeError } from "../../tree/errors.ts";
import type { Tree } from "../../tree/tree.ts";
import { type Context, type Handler, LATER, NO_REPLY, type Outside } from "./context.ts";
import * as attributes from "./handlers/attributes.ts";
import * as data from "./handlers/data.ts";
import * as listing from "./handlers/listing.ts";
import * as names from "./handlers/names.ts";
import { type Agreed, MAX_REQUEST, negotiate } from "./init.ts";
import { Reply } from "./reply.ts";
import { Request } from "./request.ts";
import { Stage } from "./stage.ts";
import { BATCH_FORGET_IN, FORGET_IN, FORGET_ONE, IN_HEADER, OP } from "./wire.ts";

/** Room for the greatest WRITE and READ with their headers. */
const BUFFER = MAX_REQUEST + 8192;

const HANDLERS: Handler[] = [];
HANDLERS[OP.LOOKUP] = names.lookup;
HANDLERS[OP.GETATTR] = attributes.getattr;
HANDLERS[OP.SETATTR] = attributes.setattr;
HANDLERS[OP.READLINK] = data.readlink;
HANDLERS[OP.SYMLINK] = names.symlink;
HANDLERS[OP.MKNOD] = names.mknod;
HANDLERS[OP.MKDIR] = names.mkdir;
HANDLERS[OP.UNLINK] = names.unlink;
HANDLERS[OP.RMDIR] = names.rmdir;
HANDLERS[OP.RENAME] = names.rename;
HANDLERS[OP.LINK] = names.link;
HANDLERS[OP.READ] = data.read;
HANDLERS[OP.WRITE] = data.write;
HANDLERS[OP.STATFS] = attributes.statfs;
HANDLERS[OP.FSYNC] = data.fsync;
HANDLERS[OP.SETXATTR] = attributes.setxattr;
HANDLERS[OP.GETXATTR] = attributes.getxattr;
HANDLERS[OP.LISTXATTR] = attributes.listxattr;
HANDLERS[OP.REMOVEXATTR] = attributes.removexattr;
HANDLERS[OP.READDIR] = listing.readdir;
HANDLERS[OP.FSYNCDIR] = data.fsync;
HANDLERS[OP.CREATE] = names.create;
HANDLERS[OP.FALLOCATE] = data.fallocate;
HANDLERS[OP.READDIRPLUS] = listing.readdirplus;
HANDLERS[OP.RENAME2] = names.rename2;
HANDLERS[OP.LSEEK] = data.lseek;
HANDLERS[OP.TMPFILE] = names.tmpfile;

/**
 * One connection with a kernel: takes requests apart, has them handled, puts replies together. It reads and
 * writes no descriptor, so that it can be tested with any bytes.
 *
 * @example
 * const length = readSync(fd, session.input);
 * const answer = session.handle(length);
 * if (answer > 0) writeSync(fd, session.output, 0, answer);
 */
export class Session {
  /** Requests are read into this. */
  readonly input = Buffer.allocUnsafeSlow(BUFFER);
  /** Replies stand here. */
  readonly output = Buffer.allocUnsafeSlow(BUFFER);
  /** How many requests were handled, and how many were refused as malformed. */
  handled = 0;
  malformed = 0;
  /** What INIT agreed on; undefined before. */
  agreed: Agreed | undefined;
  /** INIT was refused: the kernel speaks an older protocol. */
  refused = false;
  readonly #context: Context;
  readonly #onReady: () => void;

  constructor(tree: Tree, outside: Outside, onReady: () => void = () => {}) {
    this.#onReady = onReady;
    this.#context = {
      tree,
      outside,
      request: new Request(this.input),
      reply: new Reply(this.output),
      stage: new Stage(tree, new Set()),
    };
  }

  /** Where changes from outside are played for watchers. */
  get stage(): Stage {
    return this.#context.stage;
  }

  /** Handles the request in the first `length` bytes of `input`. How long the reply in `output` is; 0: none. */
  handle(length: number): number {
    const { request, reply } = this.#context;
    if (!request.begin(length)) {
      this.malformed++;
      return this.#refuseUnread(length);
    }
    this.handled++;
    const payload = this.#dispatch(request.opcode);
    if (payload < 0) {
      if (payload === NO_REPLY || payload === LATER) return 0;
      return reply.finish(request.uniqueLow, request.uniqueHigh, 0, -payload - ERRNO_BASE);
    }
    return reply.finish(request.uniqueLow, request.uniqueHigh, payload, 0);
  }

  /** Handles a request again that was put off; `handler` answers it now. */
  resume(length: number, handler: Handler): number {
    const { request, reply } = this.#context;
    if (!request.begin(length)) return 0;
    const payload = this.#guard(handler);
    const errno = payload < 0 ? -payload - ERRNO_BASE : 0;
    return reply.finish(request.uniqueLow, request.uniqueHigh, Math.max(0, payload), errno);
  }

  #dispatch(opcode: number): number {
    switch (opcode) {
      case OP.FORGET:
        return this.#guardQuietly(() => this.#forget());
      case OP.BATCH_FORGET:
        return this.#guardQuietly(() => this.#forgetMany());
      case OP.INTERRUPT:
      case OP.NOTIFY_REPLY:
        return NO_REPLY;
      case OP.INIT:
        return this.#init();
      case OP.DESTROY:
        return 0;
      // The kernel asks these once and never again: it opens, closes and flushes on its own.
      case OP.OPEN:
      case OP.OPENDIR:
      case OP.FLUSH:
      case OP.ACCESS:
        return refusal(E.ENOSYS);
      case OP.RELEASE:
      case OP.RELEASEDIR:
        return 0;
      case OP.IOCTL:
        return refusal(E.ENOTTY);
      default: {
        const handler = HANDLERS[opcode];
        return handler === undefined ? refusal(E.ENOSYS) : this.#guard(handler);
      }
    }
  }

  #guard(handler: Handler): number {
    const context = this.#context;
    try {
      const node = context.tree.table.get(context.request.slot, context.request.generation);
      if (node === undefined) return refusal(E.ESTALE);
      return handler(context, node);
    } catch (error) {
      if (!(error instanceof TreeError)) console.error("computerd: a request failed:", error);
      return refusal(fromNode(error));
    }
  }

  #guardQuietly(work: () => void): number {
    try {
      work();
    } catch {
      this.malformed++;
    }
    return NO_REPLY;
  }

  #init(): number {
    const { request, reply } = this.#context;
    try {
      const length = negotiate(request, reply, (agreed) => {
        this.agreed = agreed;
      });
      if (this.agreed !== undefined) this.#onReady();
      return length;
    } catch (error) {
      this.refused = true;
      return refusal(fromNode(error));
    }
  }

  #forget(): void {
    const { request, tree } = this.#context;
    const body = request.body(FORGET_IN.size);
    const node = tree.table.get(request.slot, request.generation);
    if (node !== undefined) tree.forget(node, request.u64(body + FORGET_IN.at.nlookup));
  }

  #forgetMany(): void {
    const { request, tree } = this.#context;
    const body = request.body(BATCH_FORGET_IN.size);
    const count = request.u32(body + BATCH_FORGET_IN.at.count);
    request.body(BATCH_FORGET_IN.size + count * FORGET_ONE.size);
    for (let index = 0, at = body + BATCH_FORGET_IN.size; index < count; index++, at += FORGET_ONE.size) {
      const node = tree.table.get(
        request.u32(at + FORGET_ONE.at.nodeid),
        request.u32(at + FORGET_ONE.at.nodeid + 4),
      );
      if (node !== undefined) tree.forget(node, request.u64(at + FORGET_ONE.at.nlookup));
    }
  }

  /** What is no whole request: answered if at least its number can be read, dropped otherwise. */
  #refuseUnread(length: number): number {
    const { reply } = this.#context;
    const end = IN_HEADER.at.unique + 8;
    if (length < end) return 0;
    const low = this.input.readUInt32LE(IN_HEADER.at.unique);
    const high = this.input.readUInt32LE(IN_HEADER.at.unique + 4);
    return reply.finish(low, high, 0, E.EINVAL.errno);
  }
}

/** Refusals as returned by handlers: below every other negative number that they return. */
const ERRNO_BASE = 100;

function refusal(error: TreeError): number {
  return -error.errno - ERRNO_BASE;
}
