const ALPHABET = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** The bytes that base64 or base64url stands for; undefined for what is neither. */
export function base64ToBytes(text: string): Uint8Array | undefined {
  if (!ALPHABET.test(text)) return undefined;
  const bare = text.replace(/=+$/, "");
  if (bare.length % 4 === 1 || (bare.length !== text.length && text.length % 4 !== 0)) return undefined;
  const binary = atob(bare.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Bytes as base64. */
export function bytesToBase64(bytes: Uint8Array): string {
  let binary = "";
  // `fromCharCode` takes its bytes as arguments, of which there can only be so many.
  for (let start = 0; start < bytes.length; start += 8192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return btoa(binary);
}

/** Bytes as base64url without padding, which may stand in a header. */
export function bytesToBase64Url(bytes: Uint8Array): string {
  return bytesToBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
