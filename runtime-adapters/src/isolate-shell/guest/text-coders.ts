/**
 * Stand-ins that the bundle puts in the place of the global TextEncoder and TextDecoder wherever the
 * interpreter uses them (see `bundle.ts`): they keep every byte, and they do not swallow a byte order mark.
 */
import { decodeText, encodeText } from "./bytes.ts";

class ByteKeepingEncoder {
  readonly encoding = "utf-8";

  encode(text = ""): Uint8Array {
    return encodeText(text);
  }
}

class ByteKeepingDecoder {
  readonly encoding = "utf-8";
  readonly fatal = false;
  readonly ignoreBOM = true;

  decode(bytes?: Uint8Array | ArrayBuffer): string {
    if (bytes === undefined) return "";
    return decodeText(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
  }
}

export { ByteKeepingDecoder as TextDecoder, ByteKeepingEncoder as TextEncoder };
