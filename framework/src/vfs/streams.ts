import type { Version } from "./content.ts";
import { invalidType, outOfRange } from "./errors.ts";
import { CHUNK_BYTES, STEP_BYTES } from "./layout.ts";
import { pause } from "./pause.ts";
import { Staging } from "./staging.ts";
import type { OpenOptions, Tree } from "./tree.ts";
import type { ReadStreamOptions } from "./types.ts";

/** A stream of one version of a file: the one that is there now. */
export function readStream(
  tree: () => Tree,
  path: string,
  options: ReadStreamOptions,
): ReadableStream<Uint8Array> {
  let version: Version | undefined;
  let at = 0;
  let end = 0;
  const release = () => {
    version?.release();
    version = undefined;
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        try {
          at = position("start", options.start) ?? 0;
          const last = position("end", options.end);
          if (last !== undefined && at > last) throw outOfRange("start", `<= "end" (here: ${last})`, at);
          version = tree().open(path);
          end = Math.min(version.size, (last ?? version.size) + 1);
        } catch (error) {
          controller.error(error);
        }
      },
      pull(controller) {
        tree();
        if (version === undefined || at >= end) {
          release();
          controller.close();
          return;
        }
        const to = Math.min(end, (Math.floor(at / CHUNK_BYTES) + 1) * CHUNK_BYTES);
        controller.enqueue(version.read(at, to));
        at = to;
      },
      cancel: release,
    },
    { highWaterMark: 0 },
  );
}

/** A stream that becomes a file's content when it is closed. */
export function writeStream(
  tree: () => Tree,
  path: string,
  options: OpenOptions,
): WritableStream<Uint8Array> {
  let staging: Staging | undefined;
  let base: { size: number; bytes: Uint8Array } | undefined;
  const append = options.flag.startsWith("a");
  return new WritableStream<Uint8Array>({
    // Asynchronous only so that a failure is the stream's, not the constructor's: all is done at once.
    async start() {
      const { store, chunks } = tree();
      tree().checkWritable(path, options);
      staging = new Staging(store, chunks);
      if (!append) return;
      base = tree().tail(path);
      staging.push(base.bytes);
    },
    async write(bytes) {
      if (!(bytes instanceof Uint8Array)) throw invalidType("chunk", "an instance of Uint8Array", bytes);
      for (let at = 0; at < bytes.length; at += STEP_BYTES) {
        if (at > 0) await pause();
        tree();
        staging?.push(bytes.subarray(at, at + STEP_BYTES));
      }
    },
    close() {
      if (staging === undefined) return;
      try {
        if (base === undefined) tree().adopt(path, staging.finish(), options);
        else appendStaged(tree(), path, staging, base, options);
      } finally {
        staging.release();
      }
    },
    abort() {
      tree();
      staging?.release();
    },
  });
}

function appendStaged(
  tree: Tree,
  path: string,
  staging: Staging,
  base: { size: number; bytes: Uint8Array },
  options: OpenOptions,
): void {
  const small = base.size - base.bytes.length + staging.size <= CHUNK_BYTES;
  if (!small && tree.adoptTail(path, staging.finish(true), base, options)) return;
  // Little, or somebody else has written since: put it behind what is there now.
  tree.appendParts(path, skip(staging.parts(), base.bytes.length), options);
}

function* skip(parts: Iterable<Uint8Array>, count: number): Iterable<Uint8Array> {
  let left = count;
  for (const part of parts) {
    if (left < part.length) yield part.subarray(left);
    left = Math.max(0, left - part.length);
  }
}

function position(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw invalidType(name, "of type number", value);
  if (!Number.isSafeInteger(value) || value < 0) throw outOfRange(name, "an integer >= 0", value);
  return value;
}
