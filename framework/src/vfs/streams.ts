import type { Version } from "./content.ts";
import { invalidType, outOfRange } from "./errors.ts";
import { CHUNK_BYTES } from "./layout.ts";
import type { OpenOptions } from "./options.ts";
import type { Tree } from "./tree.ts";
import type { ReadStreamOptions } from "./types.ts";
import { FileWriter } from "./writer.ts";

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

/** A stream that becomes a file's content, or is added to it, when it is closed. */
export function writeStream(
  tree: () => Tree,
  path: string,
  options: OpenOptions,
): WritableStream<Uint8Array> {
  let writer: FileWriter | undefined;
  return new WritableStream<Uint8Array>({
    // Asynchronous only so that a failure is the stream's, not the constructor's: all is done at once.
    async start() {
      writer = new FileWriter(tree, path, options);
    },
    async write(bytes) {
      try {
        if (!(bytes instanceof Uint8Array)) throw invalidType("chunk", "an instance of Uint8Array", bytes);
        await writer?.write(bytes);
      } catch (error) {
        writer?.release();
        throw error;
      }
    },
    close() {
      try {
        writer?.commit();
      } finally {
        writer?.release();
      }
    },
    abort() {
      writer?.release();
    },
  });
}

function position(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw invalidType(name, "of type number", value);
  if (!Number.isSafeInteger(value) || value < 0) throw outOfRange(name, "an integer >= 0", value);
  return value;
}
