import assert from "node:assert/strict";
import type { Sql } from "../../../src/vfs/sql/types.ts";
import type { WorkspaceUsage } from "../../../src/vfs/stat-fs.ts";
import type { FileSystem } from "../../../src/vfs/types.ts";
import type { Quota } from "../../../src/vfs/usage.ts";
import type { Case } from "../../workerd/cases.ts";
import { problems } from "../integrity.ts";

/** An empty tree in one of its homes. */
export interface TreeContext {
  readonly fs: FileSystem;
  /** The same database, to look at rows; also a second user of its tables would see it so. */
  readonly sql: Sql;
  /** Lets go of the tree, whatever is still going on, and opens it again; undefined where nothing lasts. */
  readonly reopen: (() => Promise<{ fs: FileSystem; sql: Sql }>) | undefined;
  /** The same with a quota; an empty one where nothing lasts. */
  withQuota(quota: Quota): Promise<{ fs: FileSystem; sql: Sql; usage(): Promise<WorkspaceUsage> }>;
}

/** A case that leaves a sound tree behind, which is checked. */
export function sound(name: string, run: (context: TreeContext) => Promise<void>): Case<TreeContext> {
  return {
    name,
    async run(context) {
      let { sql } = context;
      const { reopen, withQuota } = context;
      const watched: TreeContext = {
        ...context,
        reopen:
          reopen &&
          (async () => {
            const reopened = await reopen();
            sql = reopened.sql;
            return reopened;
          }),
        withQuota: async (quota) => {
          const limited = await withQuota(quota);
          sql = limited.sql;
          return limited;
        },
      };
      await run(watched);
      assert.deepEqual(problems(sql), []);
    },
  };
}

/** Expects a call to fail with a code; answers the error. */
export async function fails(code: string, promise: Promise<unknown>): Promise<NodeJS.ErrnoException> {
  try {
    await promise;
  } catch (error) {
    const { code: actual, message } = error as NodeJS.ErrnoException;
    assert.equal(actual, code, `expected ${code}, got: ${message}`);
    return error as NodeJS.ErrnoException;
  }
  assert.fail(`expected ${code}, but it succeeded`);
}

/** Bytes that look random and are the same each time; different seeds have no chunk in common. */
export function noise(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  const words = new Uint32Array(bytes.buffer, 0, length >> 2);
  let state = (seed * 2654435761) >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  for (let i = 0; i < words.length; i++) words[i] = next();
  for (let i = words.length * 4; i < length; i++) bytes[i] = next();
  return bytes;
}

/** Compares bytes without printing them when they differ. */
export function sameBytes(actual: Uint8Array, expected: Uint8Array, what = "content"): void {
  assert.equal(actual.length, expected.length, `${what}: length`);
  const at = actual.findIndex((byte, i) => byte !== expected[i]);
  assert.equal(at, -1, `${what}: differs from byte ${at} on`);
}

/** All bytes of a stream. */
export async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return concat(parts);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
